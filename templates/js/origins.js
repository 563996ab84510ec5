/** Where a number in the text comes from: its title, shown at a tap, a click or a key and not only under a mouse. */

export function showOrigins() {
  const values = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".run-value[title]")]);
  if (!values.length) return;
  const note = document.createElement("p");
  note.className = "origin";
  note.id = "origin";
  note.role = "status";
  note.hidden = true;
  document.body.append(note);
  /** @type {HTMLElement | null} */
  let open = null;

  const close = () => {
    open?.setAttribute("aria-expanded", "false");
    open = null;
    note.hidden = true;
  };
  /** @param {HTMLElement} value */
  const show = (value) => {
    close();
    open = value;
    value.setAttribute("aria-expanded", "true");
    note.textContent = value.dataset.origin ?? "";
    note.hidden = false;
    const box = value.getBoundingClientRect();
    const left = Math.max(16, Math.min(box.left, document.documentElement.clientWidth - note.offsetWidth - 16));
    note.style.setProperty("left", `${left + scrollX}px`);
    note.style.setProperty("top", `${box.bottom + scrollY + 6}px`);
  };

  for (const value of values) {
    value.dataset.origin = value.title;
    value.tabIndex = 0;
    value.role = "button";
    value.setAttribute("aria-expanded", "false");
    value.addEventListener("click", () => (open === value ? close() : show(value)));
    value.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      value.click();
    });
    value.addEventListener("blur", close);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open) close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (open && event.target instanceof Node && !open.contains(event.target) && !note.contains(event.target)) close();
  });
}
