/**
 * Interaction for a block diagram that the page brought along as a still: the drawing is the template's, so it is the
 * same without JavaScript, on paper and here. Choosing a box lights the part it belongs to.
 */

import { set } from "./svg.js";

/** Whether an element of these parts is lit: every element whose list names the part. @param {string} parts @param {string} part */
export function belongs(parts, part) {
  return parts.split(" ").includes(part);
}

/**
 * The part that a press on an element means: its most particular one, or everything again if that is lit already.
 * @param {string} parts
 * @param {string} current
 * @param {string} everything
 */
export function chosen(parts, current, everything) {
  const particular = parts.split(" ").pop() ?? everything;
  return particular === current ? everything : particular;
}

/**
 * @param {HTMLElement} root  where the live drawing goes
 * @param {{ everything: string, labels: Record<string, string>, chosen: (part: string) => void }} options
 *   labels: the name of each part that can be chosen
 */
export function diagram(root, { everything, labels, chosen: tell }) {
  const stills = [...(root.closest(".figure")?.querySelectorAll(".figure-still .diagram") ?? [])];
  const drawings = stills.map((still) => /** @type {SVGElement} */ (still.cloneNode(true)));
  const parts = drawings.flatMap((drawing) => [...drawing.querySelectorAll("[data-part]")]);
  let current = everything;
  const partsOf = (/** @type {Element} */ element) => element.getAttribute("data-part") ?? "";

  for (const drawing of drawings) {
    set(drawing, { role: "group" });
    for (const box of drawing.querySelectorAll(".box[data-part]")) {
      const name = labels[partsOf(box).split(" ").pop() ?? ""];
      if (name) set(box, { role: "button", tabindex: 0, "aria-label": name });
    }
    /** @param {Event} event */
    const press = (event) => {
      const box = event.target instanceof Element ? event.target.closest("[role=button]") : null;
      if (box) tell(chosen(partsOf(box), current, everything));
    };
    drawing.addEventListener("click", press);
    drawing.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(event);
    });
  }
  root.append(...drawings);
  return {
    /** @param {string} part */
    show(part) {
      current = part;
      for (const element of parts) {
        const lit = part !== everything && belongs(partsOf(element), part);
        element.classList.toggle("is-part", lit);
        if (element.getAttribute("role") === "button") set(element, { "aria-pressed": String(chosen(partsOf(element), "", everything) === part) });
      }
    },
  };
}
