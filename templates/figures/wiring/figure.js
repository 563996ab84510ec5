/** Encoder and decoder wired: one kind of attention is lit at a time, with its map. */

import { diagram } from "../../js/diagram.js";
import { html, say } from "../../js/svg.js";

export const EVERYTHING = "all";
const LABELS = { encoder: "encoder self-attention", decoder: "masked decoder self-attention", cross: "cross-attention" };
/** @type {Record<string, string>} */
const SENTENCES = {
  all: "The maps average the heads. The wedge stands for the start token.",
  encoder: "Encoder self-attention: every source position may read every other; nothing is masked.",
  decoder: "Decoder self-attention: a position reads itself and what stands before it; the future is masked.",
  cross: "Cross-attention: queries come from the decoder, keys and values from the encoder’s memory.",
};

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, data, changed) {
  root.replaceChildren();
  const drawing = diagram(root, { everything: EVERYTHING, labels: LABELS, chosen: (attention) => changed({ attention }) });
  const readout = html("p", { class: "readout", role: "status" });
  root.append(readout);
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const attention = String(state.attention ?? EVERYTHING);
      drawing.show(attention);
      say(readout, SENTENCES[attention] ?? "");
    },
    destroy: drawing.destroy,
  };
}
