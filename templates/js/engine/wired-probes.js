/**
 * What the probes of chapter two ask for. It comes only when a probe names one of these.
 * @typedef {import("./probes.js").Engine} Engine
 */
import { causalMask, need } from "./attention.js";
import { linear } from "./ops.js";
import { perceiver } from "./perceiver.js";
import { collect } from "./probes.js";
import { stack, zeros } from "./tensor.js";
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

  threeWirings({ tokens, inputs, num_heads }, weights) {
    return collect(tokens.map((/** @type {number[]} */ sequence, /** @type {number} */ k) => {
      const both = tokenEncoder(weights, sequence, num_heads);
      const causal = tokenEncoder(weights, sequence, num_heads, causalMask(sequence.length));
      const written = writeTarget(weights, inputs[k], readSource(weights, sequence, num_heads).memory, num_heads);
      return {
        encoder_logits: both.logits,
        encoder_attention: stack(both.attention),
        decoder_logits: causal.logits,
        decoder_attention: stack(causal.attention),
        target_logits: written.logits,
        target_attention: stack(written.self),
        cross_attention: stack(written.cross),
      };
    }));
  },

  labelReader({ labels, digits, num_heads }, weights) {
    const output = need(weights, "output.weight");
    const width = need(weights, "encoder.embedding.weight").shape[1] ?? 0;
    return collect(labels.map((/** @type {number[]} */ row, /** @type {number} */ k) => {
      const rows = zeros([row.length, width]); // a 1 for the label, and one for the digit
      row.forEach((label, place) => {
        rows.data[place * width + label] = 1;
        rows.data[(place + 1) * width - (output.shape[0] ?? 0) + digits[k][place]] = 1;
      });
      const read = perceiver(weights, "encoder", rows, num_heads);
      return { logits: linear(read.latents, output), cross_attention: read.cross, self_attention: stack(read.self) };
    }));
  },
};
