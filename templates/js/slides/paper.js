/** The slides on paper: one a sheet, with the baked picture of what lives on the screen, and answers. */

import { html } from "../svg.js";

/** @param {import("./parts.js").Slide[]} slides */
export function paper(slides) {
  return html("div", { class: "deck-paper" }, ...slides.map(sheet));
}

/** @param {import("./parts.js").Slide} slide @param {number} index */
function sheet({ kind, parts, figure }, index) {
  const text = parts.filter((part) => part !== figure && !part.matches(".quote")).map(copy);
  const picture = parts.map((part) => part.querySelector(".step-still") ?? (part.matches(".quote") ? part : null)).find(Boolean) ?? figure?.querySelector(".figure-still");
  for (const still of text.flatMap((part) => [...part.querySelectorAll(".step-still, .step-mark")])) still.remove();
  const shown = picture ? [html("div", { class: "paper-picture" }, copy(picture))] : [];
  return html("section", { class: `paper-slide paper-${kind}` }, html("div", { class: "paper-text" }, ...text), ...shown, html("p", { class: "paper-number" }, String(index + 1)));
}

/** A copy without names, which must stay alone, and without the marks of the screen. @param {Element} part */
function copy(part) {
  const made = /** @type {Element} */ (part.cloneNode(true));
  for (const element of [made, ...made.querySelectorAll("[id], img, details")]) {
    element.removeAttribute("id");
    element.classList.remove("on-slide", "around-slide", "beside-slide");
    if (element instanceof HTMLImageElement) element.loading = "eager";
    if (element instanceof HTMLDetailsElement) element.open = true;
  }
  return made;
}
