/** A string and its reverse: choose a letter, and the line to its source lights up. Any other string does as well. */

import { diagram } from "../../js/diagram.js";
import { within } from "../../js/scale.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const EVERYTHING = "p0";
const LETTERS = "abcdefghijklmnop";

/** Whether an address names a string of the task. @param {unknown} text @param {number} length */
export function valid(text, length) {
  return typeof text === "string" && text.length === length && [...text].every((letter) => LETTERS.includes(letter));
}

/** "1st", "10th" @param {number} place */
export function ordinal(place) {
  return `${place}${["th", "st", "nd", "rd"][place] ?? "th"}`;
}

/** @param {string} text @param {number} place  of the output, from 1; 0 is none */
export function sentence(text, place) {
  if (!place) return "Dashed: the true source of each letter. Choose a letter below, or another string.";
  const from = text.length - place + 1;
  return `The ${ordinal(place)} letter of the output, ${text[from - 1]}, must read the ${ordinal(from)} of the source. From zero: ${text.length} − 1 − ${place - 1} = ${from - 1}.`;
}

/**
 * @param {HTMLElement} root
 * @param {unknown} _data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, _data, changed) {
  root.replaceChildren();
  const boxes = root.closest(".figure")?.querySelectorAll(".figure-still .diagram-wide .box") ?? [];
  const length = boxes.length;
  const labels = Object.fromEntries(Array.from(boxes, (_, index) => [`p${index + 1}`, `letter ${index + 1} of the output`]));
  const drawing = diagram(root, { everything: EVERYTHING, labels, chosen: (part) => changed({ place: Number(part.slice(1)) }) });
  const another = html("button", { type: "button", class: "choice" }, "Another string");
  another.addEventListener("click", () => {
    const drawn = crypto.getRandomValues(new Uint8Array(length));
    changed({ string: Array.from(drawn, (byte) => LETTERS[byte % LETTERS.length]).join("") });
  });
  const readout = html("p", { class: "readout", role: "status" });
  root.append(html("div", { class: "choices" }, another), readout);
  let [text, place] = ["", 0];

  function draw() {
    drawing.show(`p${place}`);
    // the letters of the drawing that stands: a source letter, then its box of the output, one after the other
    const above = [...root.querySelectorAll(".diagram > .tokens.map-key")].slice(-length);
    above.forEach((letter, index) => say(letter, text[index] ?? ""));
    [...root.querySelectorAll(".box text")].forEach((letter, index) => say(letter, text[length - 1 - index] ?? ""));
    say(readout, sentence(text, place));
  }
  const unobserve = whenWidthChanges(root, () => draw());

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      if (valid(state.string, length)) text = state.string;
      else text = "genealogical";
      place = within(state.place, 0, length);
      draw();
    },
    destroy() {
      unobserve();
      drawing.destroy();
    },
  };
}
