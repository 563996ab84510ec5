/** The encoder's block: one part is lit at a time, and said in words with its parameters and shapes. */

import { diagram } from "../../js/diagram.js";
import { count } from "../../js/format.js";
import { html, say } from "../../js/svg.js";

export const EVERYTHING = "all";
const LABELS = {
  attention: "multi-head attention",
  projections: "projections of the heads",
  scores: "scaled dot-product attention",
  output: "output projection",
  "add-norm": "add and norm",
  "feed-forward": "position-wise feed-forward network",
};

/** A shape as a tuple. @param {number[]} sizes */
const shape = (sizes) => `(${sizes.join(", ")})`;

/**
 * What each part is, in one sentence a part.
 * @param {Record<string, any>} counts  of the encoder block
 * @param {Record<string, number[]>} shapes
 * @returns {Record<string, string>}
 */
export function sentences(counts, shapes) {
  const [, heads, positions, dim] = shapes.heads ?? [];
  const attention = counts.W_Q + counts.W_K + counts.W_V + counts.W_O;
  return {
    all: `${count(counts.total)} parameters in one block. What leaves it has the shape of what came in.`,
    attention: `Multi-head attention, ${count(attention)} parameters: the only place where positions meet.`,
    projections: `A query, a key and a value for each of ${positions} positions, in ${heads} heads of ${dim} features.`,
    scores: `Each head: how much every position reads every other, ${shape(shapes.weights ?? [])}. Rows sum to 1.`,
    output: `The heads, joined, are mixed by one more matrix: ${count(counts.W_O)} parameters.`,
    "add-norm": `What went in is added to what came out; each position is normalised. ${count(counts.norm1)} parameters.`,
    "feed-forward": `Two layers, ${shapes.hidden?.[2]} hidden units, the same ${count(counts.FFN)} parameters at every position.`,
  };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  root.replaceChildren();
  const drawing = diagram(root, { everything: EVERYTHING, labels: LABELS, chosen: (part) => changed({ part }) });
  const readout = html("p", { class: "readout", role: "status" });
  root.append(readout);
  const said = sentences(run.examples.parameter_counts.encoder, run.examples.shapes);
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const part = String(state.part ?? EVERYTHING);
      drawing.show(part);
      say(readout, said[part] ?? "");
    },
    destroy: drawing.destroy,
  };
}
