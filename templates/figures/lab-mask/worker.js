/** The model, beside the page: told its weights once, then asked for letters as often as the reader hides some. */

import { readWeights } from "../../js/engine/tensor.js";
import { tokenEncoder } from "../../js/engine/wirings.js";
import { likeliestLetters, tokensOf } from "./text.js";

/** @type {import("../../js/engine/attention.js").Weights | null} */
let weights = null;
let numHeads = 1;
/** @type {any} what was told, read with the first question: each question has one answer, be it a problem */
let unread = null;

addEventListener("message", ({ data }) => {
  try {
    if (data.weights) {
      [unread, numHeads] = [data, data.numHeads];
      return;
    }
    weights ??= readWeights(unread.weights, unread.index, unread.checkpoint);
    const began = performance.now();
    const { logits } = tokenEncoder(weights, tokensOf(data.text, data.hidden), numHeads);
    const width = logits.shape[1] ?? 0;
    const guesses = data.hidden.map((/** @type {number} */ place) => likeliestLetters(logits.data.subarray(place * width, (place + 1) * width), 5));
    postMessage({ guesses, milliseconds: performance.now() - began });
  } catch (error) {
    postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
