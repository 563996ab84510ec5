/** The additive score: one part of the small network is lit at a time, and its shapes are said by name. */

import { diagram } from "../../js/diagram.js";
import { html, say } from "../../js/svg.js";

export const EVERYTHING = "all";
const LABELS = {
  queries: "queries",
  keys: "keys",
  projections: "the two projections",
  pairs: "sum of every pair",
  tanh: "tanh",
  score: "one number a pair",
  softmax: "masked softmax",
};

/**
 * What each part is, in one or two short sentences.
 * @param {Record<string, any>} parameters
 * @param {Record<string, number[]>} shapes  of the additive score
 * @param {Record<string, number[]>} dot  of the dot product
 * @returns {Record<string, string>}
 */
export function sentences(parameters, shapes, dot) {
  const { query_size: q, key_size: k, num_hiddens: hidden, additive_lens: lens } = parameters;
  const [batch = 0, queries = 0, keys = 0] = shapes.scores ?? [];
  const shape = (/** @type {number[] | undefined} */ sizes) => `(${(sizes ?? []).join(",\u00a0")})`;
  return {
    all: `Shapes are (batch, queries or keys, size). A dot product would need one size: ${shape(dot.queries)} and ${shape(dot.keys)} give ${shape(dot.scores)}.`,
    queries: `A batch of ${batch}, with ${queries} queries each, of size ${q}.`,
    keys: `A batch of ${batch}, with ${keys} keys each, of size ${k}: another size than the queries have.`,
    projections: `Two matrices bring both to the same ${hidden} hidden units: ${q * hidden} and ${k * hidden} parameters.`,
    pairs: `Every query meets every key: ${batch} × ${queries} × ${keys} pairs of ${hidden} numbers. This is what it costs.`,
    tanh: `Without it the key's part of a score would be the same for every query.`,
    score: `A vector of ${hidden} weights turns each pair into one number: ${batch} × ${queries} × ${keys} scores.`,
    softmax: `Each row sums to 1 over the real keys, ${lens.join(" in the first sequence and ")} in the second.`,
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
  const said = sentences(run.parameters, run.examples.additive_shapes, run.examples.dot_product_shapes);
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
