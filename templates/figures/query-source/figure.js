/** Who asks: one of three ways is lit, and said in words. */

import { diagram } from "../../js/diagram.js";
import { html, say } from "../../js/svg.js";

export const EVERYTHING = "all";
const LABELS = { self: "self-attention", cross: "cross-attention", learned: "learned queries" };
/** @type {Record<string, string>} */
const SENTENCES = {
  all: "Rows ask, columns are asked. The keys and values are the same in all three; only who asks differs.",
  self: "Self-attention: each token asks, so a longer text has more rows and more columns.",
  cross: "Cross-attention: another sequence asks, a row for each of its tokens. The wedge is the start token.",
  learned: "Learned queries: the rows are parameters, trained like any weight. A longer text has more columns and no more rows.",
};

/**
 * @param {HTMLElement} root
 * @param {unknown} _
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, _, changed) {
  root.replaceChildren();
  const drawing = diagram(root, { everything: EVERYTHING, labels: LABELS, chosen: (source) => changed({ source }) });
  const readout = html("p", { class: "readout", role: "status" });
  root.append(readout);
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const source = String(state.source ?? EVERYTHING);
      drawing.show(source);
      say(readout, SENTENCES[source] ?? "");
    },
    destroy: drawing.destroy,
  };
}
