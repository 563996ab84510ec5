/**
 * Interaction for a block diagram that the page brought along as a still: the drawing is the template's, so it is the
 * same without JavaScript, on paper and here. Choosing a box lights the part it belongs to.
 */

import { set } from "./svg.js";
import { whenWidthChanges } from "./width.js";

/** From this width on the wide drawing stands, as figures.css has it. */
export const WIDE_FROM = 560;

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
  const still = root.closest(".figure")?.querySelector(".figure-still");
  const [narrow, wide] = ["narrow", "wide"].map((width) => still?.querySelector(`.diagram-${width}`));
  narrow?.remove(); // the still is for paper now, which is wide: so nothing is in the page that is not seen
  const drawings = { narrow, wide: wide?.cloneNode(true) };
  const holder = document.createElement("div");
  root.append(holder);
  const partsOf = (/** @type {Element} */ element) => element.getAttribute("data-part") ?? "";
  let current = everything;
  /** @type {Element[]} */
  let parts = [];

  /** @param {Event} event */
  const press = (event) => {
    const box = event.target instanceof Element ? event.target.closest("[role=button]") : null;
    if (box) tell(chosen(partsOf(box), current, everything));
  };
  holder.addEventListener("click", press);
  holder.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press(event);
  });

  const light = () => {
    for (const element of parts) {
      element.classList.toggle("is-part", current !== everything && belongs(partsOf(element), current));
      if (element.getAttribute("role") === "button") set(element, { "aria-pressed": String(chosen(partsOf(element), "", everything) === current) });
    }
  };

  /** @param {Node | null | undefined} drawing the one that the stage has room for */
  const draw = (drawing) => {
    if (!(drawing instanceof Element) || drawing.parentNode === holder) return;
    set(drawing, { role: "group" });
    for (const box of drawing.querySelectorAll(".box[data-part]")) {
      const name = labels[partsOf(box).split(" ").pop() ?? ""];
      if (name) set(box, { role: "button", tabindex: 0, "aria-label": name });
    }
    parts = [...drawing.querySelectorAll("[data-part]")];
    holder.replaceChildren(drawing);
    light();
  };
  const unobserve = whenWidthChanges(root, (width) => draw(width >= WIDE_FROM ? drawings.wide : drawings.narrow));

  return {
    /** @param {string} part */
    show(part) {
      current = part;
      light();
    },
    destroy() {
      unobserve();
      if (narrow) wide?.before(narrow);
    },
  };
}
