/** @param {HTMLElement} root */
export function mount(root) {
  return { show(state) { root.textContent = `t = ${state.t}`; } };
}
