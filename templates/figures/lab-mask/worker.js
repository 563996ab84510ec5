/** The model, beside the page: told its weights once, then asked for letters as often as the reader hides some. */

import { readWeights } from "../../js/engine/tensor.js";
import { tokenEncoder } from "../../js/engine/wirings.js";
import { likeliestLetters, tokensOf } from "./text.js";

/** @type {import("../../js/engine/attention.js").Weights | null} */
let weights = null;
let numHeads = 1;

addEventListener("message", ({ data }) => {
  try {
    if (data.weights) {
      weights = readWeights(data.weights, data.index, data.checkpoint);
      numHeads = data.numHeads;
    }
    if (!weights || data.text === undefined) return;
    const began = performance.now();
    const { logits } = tokenEncoder(weights, tokensOf(data.text, data.hidden), numHeads);
    const width = logits.shape[1] ?? 0;
    const guesses = data.hidden.map((/** @type {number} */ place) => likeliestLetters(logits.data.subarray(place * width, (place + 1) * width), 5));
    postMessage({ asked: data.asked, guesses, milliseconds: performance.now() - began });
  } catch (error) {
    postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
