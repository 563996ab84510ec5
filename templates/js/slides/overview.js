/** Two dialogs of the slides: all of them by their titles, and the keys. */

import { dialog } from "../dialog.js";
import { html, set } from "../svg.js";
import { TOLD } from "./keys.js";

/**
 * @param {import("./parts.js").Part[]} parts
 * @param {(index: number) => void} go
 */
export function overview(parts, go) {
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  const lists = parts.map(({ number, title, slides }) => {
    const first = buttons.length + 1;
    const items = slides.map((slide) => {
      const index = buttons.length;
      const button = html("button", { type: "button" }, ...titleOf(slide));
      button.addEventListener("click", () => {
        element.close();
        go(index);
      });
      buttons.push(button);
      return html("li", {}, button);
    });
    return html("section", {}, html("h3", {}, [number, title].filter(Boolean).join(" ")), html("ol", { start: first }, ...items));
  });
  const element = dialog("deck-overview", "All slides", html("div", { class: "deck-parts" }, ...lists));
  /** @param {number} here */
  return (here) => {
    buttons.forEach((button, index) => set(button, { "aria-current": index === here ? "true" : undefined }));
    element.showModal();
    buttons[here]?.focus();
    buttons[here]?.scrollIntoView({ block: "center" });
  };
}

/** A title may hold a formula, which stays one. @param {import("./parts.js").Slide} slide @returns {(Node | string)[]} */
function titleOf({ kind, heading, parts }) {
  if (kind === "bridge") return [html("i", {}, `${(parts[0]?.textContent ?? "").trim().split(/\s+/).slice(0, 6).join(" ")} …`)];
  const copy = /** @type {HTMLElement} */ (heading.cloneNode(true));
  for (const hidden of copy.querySelectorAll(".visually-hidden")) hidden.remove();
  return [...copy.childNodes];
}

export function keysDialog() {
  const rows = TOLD.map(([keys, does]) => html("div", {}, html("dt", {}, ...keys.split(" ").map((key) => html("kbd", {}, key))), html("dd", {}, does)));
  const element = dialog("deck-keys", "Keys of the slides", html("dl", { class: "keys" }, ...rows));
  return () => element.showModal();
}
