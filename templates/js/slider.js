/** A native range over given values, with its name before it and what it stands at behind it. */

import { share } from "./scrub.js";
import { html, say, set, style } from "./svg.js";

/**
 * @param {{ label: string, length: number, read: (index: number) => string, widest?: string, describe?: (index: number) => string,
 *           changed: (index: number) => void }} options
 *   read: what stands behind the track; widest: the longest text it can give, so that the track keeps its place;
 *   describe: what a screen reader hears, if that is more
 */
export function slider({ label, length, read, widest, describe = read, changed }) {
  const range = html("input", { type: "range", class: "scrub-range", min: 0, max: length - 1, step: 1, "aria-label": label });
  const readout = html("span", { "aria-hidden": "true" });
  const room = html("span", { class: "scrub-room", "aria-hidden": "true" }, widest ?? read(length - 1));
  const element = html("div", { class: "slider" }, html("span", { class: "slider-name", "aria-hidden": "true" }, label), range, html("span", { class: "scrub-reads" }, room, readout));
  range.addEventListener("input", () => changed(range.valueAsNumber));
  return {
    element,
    /** @param {number} index */
    show(index) {
      if (range.valueAsNumber !== index) range.value = String(index);
      set(range, { "aria-valuetext": describe(index) });
      style(range, "--share", share(index, length));
      say(readout, read(index));
    },
  };
}
