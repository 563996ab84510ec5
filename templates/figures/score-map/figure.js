/** Scores as areas: what latents need of self-attention's square, for inputs of any length. The drawing is the template's. */

import { diagram } from "../../js/diagram.js";
import { count, significant } from "../../js/format.js";
import { scrubber } from "../../js/scrub.js";
import { nearest, series, steps } from "../../js/series.js";
import { html, say, set } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * What M latents need where N inputs would need N² scores, in a layer: to read them, and later among themselves.
 * @param {number} latents
 * @param {number} length
 */
export function scores(latents, length) {
  return { whole: length * length, read: latents * length, later: latents * latents };
}

/** How many times one number is of another: 64, 16,384, or a half. @param {number} ratio */
export function times(ratio) {
  return ratio >= 1 ? count(Math.round(ratio)) : significant(ratio, 2);
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const latents = Number(run.parameters.num_latents);
  const lengths = steps(series(run, "self_attention_scores"), "length");
  /** @param {number} index */
  const told = (index) => {
    const { whole, read, later } = scores(latents, lengths[index] ?? latents);
    if (whole === read) return `${latents} latents, ${latents} inputs: nothing is saved.`;
    return `${times(whole / read)} times fewer scores to read the input, ${times(whole / later)} times fewer in each later layer.`;
  };
  const scrub = scrubber({
    label: "Inputs",
    playing: "longer inputs",
    length: lengths.length,
    framesPerSecond: 2,
    read: (index) => `N = ${count(lengths[index] ?? 0)}`,
    widest: `N = ${count(lengths[lengths.length - 1] ?? 0)}`,
    describe: (index) => `${lengths[index]} inputs. ${told(index)}`,
    changed: (index) => changed({ length: lengths[index] }),
  });
  const stage = html("div");
  const readout = html("p", { class: "readout" });
  root.replaceChildren(scrub.element, stage, readout);
  const drawing = diagram(stage, { everything: "all", labels: {}, chosen: () => {} });
  let index = lengths.length - 1;

  function draw() {
    const length = lengths[index] ?? latents;
    const { whole, read, later } = scores(latents, length);
    const each = (/** @type {string} */ name) => stage.querySelectorAll(`.score-${name}`);
    for (const text of each("length")) say(text, count(length));
    for (const text of each("whole")) say(text, count(whole));
    each("count").forEach((text, square) => say(text, count(square ? later : read)));
    each("part").forEach((part, square) => {
      const side = Number(part.getAttribute("data-side"));
      set(part, { width: square ? (side * latents) / length : side, height: (side * latents) / length });
    });
    scrub.show(index);
    say(readout, told(index));
  }
  const forget = whenWidthChanges(stage, draw);
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(lengths, Number(state.length ?? lengths[index]));
      draw();
    },
    destroy() {
      scrub.destroy();
      forget();
      drawing.destroy();
    },
  };
}
