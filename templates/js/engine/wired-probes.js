/**
 * What the probes of chapter two ask for. It comes only when a probe names one of these.
 * @typedef {import("./probes.js").Engine} Engine
 */
import { collect } from "./probes.js";
import { stack } from "./tensor.js";
import { readSource, tokenEncoder, writeTarget } from "./wirings.js";

/** @type {Record<string, Engine>} */
export const WIRED = {
  maskedEncoder({ tokens, num_heads, mask }, weights) {
    const seen = mask && Uint8Array.from(mask.flat());
    return collect(tokens.map((/** @type {number[]} */ sequence) => {
      const { logits, attention } = tokenEncoder(weights, sequence, num_heads, seen);
      return { logits, attention: stack(attention) };
    }));
  },

  wiredEncoderDecoder({ source, inputs, source_valid, target_valid, num_heads }, weights) {
    return collect(source.map((/** @type {number[]} */ tokens, /** @type {number} */ k) => {
      const read = readSource(weights, tokens, num_heads, source_valid?.[k]);
      const written = writeTarget(weights, inputs[k], read.memory, num_heads, source_valid?.[k], target_valid?.[k]);
      return {
        logits: written.logits,
        encoder_attention: stack(read.attention),
        decoder_attention: stack(written.self),
        cross_attention: stack(written.cross),
      };
    }));
  },
};
