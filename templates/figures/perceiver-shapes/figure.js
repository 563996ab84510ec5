/** A minimal Perceiver: the inputs grow with a slider, and nothing else does. One part is lit at a time. */

import { diagram } from "../../js/diagram.js";
import { count } from "../../js/format.js";
import { scrubber } from "../../js/scrub.js";
import { nearest, series, steps } from "../../js/series.js";
import { html, say, set } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

export const EVERYTHING = "all";
const LABELS = {
  inputs: "inputs, embedded and normalised",
  latents: "latents",
  cross: "cross-attention",
  "feed-forward": "feed-forward network",
  blocks: "blocks among the latents",
};

/**
 * What each part is, in one or two short sentences.
 * @param {Record<string, number>} given  the parameters of the run
 * @param {number} length
 * @returns {Record<string, string>}
 */
export function sentences({ num_latents: latents = 0, num_hiddens: hiddens = 0, num_heads: heads = 0, num_blocks: blocks = 0 }, length) {
  return {
    all: `(1, ${length}, ${hiddens}) goes in, (1, ${latents}, ${hiddens}) comes out. The two bars are drawn to one scale.`,
    inputs: `${count(length)} vectors give keys and values. This part, and only this, grows with the input.`,
    latents: `${latents} queries, ${count(latents * hiddens)} numbers, trained like any weight and the same for every input.`,
    cross: `Each of ${heads} heads scores ${latents} × ${count(length)} pairs: ${count(latents * length)}.`,
    "feed-forward": `The small network, for each of ${latents} latents alone.`,
    blocks: `${blocks} encoder blocks among the latents: ${latents} × ${latents} scores a head, ${count(latents * latents)}, for any input.`,
    output: `${latents} vectors, whatever the input was.`,
  };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const lengths = steps(series(run, "perceiver_scores"), "length");
  const scrub = scrubber({
    label: "Inputs",
    playing: "longer inputs",
    length: lengths.length,
    framesPerSecond: 2,
    read: (index) => `N = ${count(lengths[index] ?? 0)}`,
    widest: `N = ${count(lengths[lengths.length - 1] ?? 0)}`,
    describe: (index) => `${lengths[index]} inputs`,
    changed: (index) => changed({ length: lengths[index] }),
  });
  const stage = html("div");
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(scrub.element, stage, readout);
  const drawing = diagram(stage, { everything: EVERYTHING, labels: LABELS, chosen: (part) => changed({ part }) });
  let index = lengths.length - 1;
  let part = EVERYTHING;

  function draw() {
    const length = lengths[index] ?? 0;
    for (const text of stage.querySelectorAll(".shape-length")) say(text, String(length));
    const [bar, wedge] = [stage.querySelector(".shape-inputs"), stage.querySelector(".shape-wedge")];
    const number = (/** @type {Element} */ element, /** @type {string} */ name) => Number(element.getAttribute(name));
    if (bar && wedge) {
      const width = length * number(bar, "data-scale");
      const top = number(bar, "y") + number(bar, "height");
      set(bar, { width });
      set(wedge, { d: `M0 ${top}H${width.toFixed(1)}L${number(wedge, "data-right")} ${number(wedge, "data-bottom")}H${number(wedge, "data-left")}z` });
    }
    scrub.show(index);
    drawing.show(part);
    say(readout, sentences(run.parameters, length)[part] ?? "");
  }
  const forget = whenWidthChanges(stage, draw);
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(lengths, Number(state.length ?? lengths[lengths.length - 1]));
      part = String(state.part ?? EVERYTHING);
      draw();
    },
    destroy() {
      scrub.destroy();
      forget();
      drawing.destroy();
    },
  };
}
