/** A few alternatives as buttons in one row; exactly one of them is pressed. */

import { html, set } from "./svg.js";

/**
 * @template {string | number} Value
 * @param {{ label: string, values: Value[], text?: (value: Value) => string, said?: (value: Value) => string, changed: (value: Value) => void }} options
 *   label: what is chosen, before the buttons; text: what stands on a button; said: what a screen reader hears instead
 */
export function choices({ label, values, text = String, said, changed }) {
  const buttons = values.map((value) => {
    const button = html("button", { type: "button", class: "choice", "aria-label": said?.(value), "aria-pressed": "false" }, text(value));
    button.addEventListener("click", () => changed(value));
    return button;
  });
  const element = html("div", { class: "choices", role: "group", "aria-label": label }, html("span", { class: "choices-label", "aria-hidden": "true" }, label), ...buttons);
  return {
    element,
    /** @param {Value} chosen */
    show(chosen) {
      buttons.forEach((button, index) => set(button, { "aria-pressed": String(values[index] === chosen) }));
    },
  };
}
