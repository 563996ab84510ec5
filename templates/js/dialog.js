/** A dialog of the page: a title, what it holds, and a way to close it; beside Esc, a click next to it closes it too. */

import { html } from "./svg.js";

/**
 * @param {string} name  the class that says how it looks
 * @param {string} title
 * @param {...Node} parts
 */
export function dialog(name, title, ...parts) {
  const close = html("button", { type: "button", class: "aid-close", "aria-label": "Close" });
  close.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6 18 18M18 6 6 18"/></svg>';
  const heading = html("h2", { class: "aid-title", id: `${name}-title`, tabindex: "-1" }, title);
  const element = html("dialog", { class: `aid ${name}`, "aria-labelledby": heading.id }, html("div", { class: "aid-head" }, heading, close), ...parts);
  close.addEventListener("click", () => element.close());
  element.addEventListener("click", ({ target }) => {
    if (target === element) element.close();
  });
  document.body.append(element);
  return element;
}
