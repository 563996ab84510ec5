/** One wiring in a few uses: choose an output, and what it reads lights up. The drawing is the template's. */

import { choices } from "../../js/choices.js";
import { diagram } from "../../js/diagram.js";
import { within } from "../../js/scale.js";
import { html, say, set } from "../../js/svg.js";

const EVERYTHING = "o0";

/**
 * @typedef {{ name: string, goes_in: string, given: string[], out: string[], comes_out: string }} Use
 *   given: tokens, or the name of one picture that is cut into pieces
 */

/** @param {string[]} words */
const quoted = (words) => `“${words.join(" ")}”`;

/**
 * What an output reads, in a sentence. Without one (0), what each of them reads.
 * @type {Record<string, (use: Use, place: number) => string>}
 */
export const sentences = {
  encoder({ given, out }, place) {
    if (!place) return `Each of ${given.length} tokens reads all ${given.length}. Choose one below.`;
    const [before, after] = [place - 1, given.length - place];
    const sides = [before && `${before} before it`, after && `${after} after it`].filter(Boolean).join(" and ");
    const made = out[place - 1] ? `gives ${quoted([out[place - 1] ?? ""])}` : "gives a vector";
    return `${quoted([given[place - 1] ?? ""])} reads itself, ${sides}, and ${made}.`;
  },
  decoder({ given, out }, place) {
    if (!place) return "Each token reads itself and what stands before it. Choose one below.";
    const read = `After ${quoted(given.slice(0, place))}, all of which is read, `;
    return read + (out[place - 1] ? `comes ${quoted([out[place - 1] ?? ""])}.` : "what comes is not asked for: the prompt goes on.");
  },
  "encoder-decoder"({ out }, place) {
    if (!place) return "What is read, above, is complete before the first word is written. Choose a word below.";
    const before = place > 1 ? `and, as written so far, ${quoted(out.slice(0, place - 1))}` : "and nothing else: it is the first";
    return `For ${quoted([out[place - 1] ?? ""])} it reads all of the memory ${before}.`;
  },
  latents({ out }, place) {
    if (!place) return "Four of the queries, and a few of the pieces. Choose one below.";
    const made = out[place - 1] ? `it answers ${quoted([out[place - 1] ?? ""])}` : "it gives one vector";
    return `Query ${place} reads every piece, then every other query; ${made}.`;
  },
};

/**
 * @param {HTMLElement} root
 * @param {{ options: { wiring: string, uses: Use[] } }} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { options }, changed) {
  const { uses, wiring } = options;
  const outputs = uses[0]?.out.length ?? 0;
  const control = choices({
    label: "for",
    values: uses.map((_, index) => index + 1),
    text: (use) => uses[use - 1]?.name ?? "",
    changed: (use) => changed({ use }),
  });
  const stage = html("div", { class: "reading" });
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(control.element, stage, readout);
  const labels = Object.fromEntries(Array.from({ length: outputs }, (_, index) => [`o${index + 1}`, `output ${index + 1}`]));
  const drawing = diagram(stage, { everything: EVERYTHING, labels, chosen: (part) => changed({ place: Number(part.slice(1)) }) });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const number = within(state.use, 1, uses.length);
      const place = within(state.place, 0, outputs);
      const use = uses[number - 1];
      control.show(number);
      set(stage, { "data-use": String(number) });
      drawing.show(`o${place}`);
      if (use) say(readout, sentences[wiring]?.(use, place) ?? "");
    },
    destroy: drawing.destroy,
  };
}
