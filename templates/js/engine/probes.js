/**
 * What every baked probe asks for, recomputed from its inputs and the weights alone; then compared.
 *
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {import("./attention.js").Weights} Weights
 * @typedef {{ shape: number[], values: number[] }} Expected
 * @typedef {{ engine: string, checkpoint: number | null, inputs: Record<string, any>, outputs: Record<string, Expected> }} Probe
 * @typedef {(inputs: Record<string, any>, weights: Weights, parameters: Record<string, any>) => Record<string, Tensor>} Engine
 */
import { additiveAttention, paddingMask, weightedMeans } from "./attention.js";
import { embedding, linear, map, softmax } from "./ops.js";
import { estimate } from "./kernels.js";
import { cosineSimilarity, frequencies, sinusoidalPositions, turned } from "./positions.js";
import { at, stack, tensor } from "./tensor.js";
import { decode, encode, encoderBlock, patches, place, visionTransformer } from "./transformer.js";

/** Nested arrays as a tensor. @param {any} nested @returns {Tensor} */
export function dense(nested) {
  const shape = [];
  for (let part = nested; Array.isArray(part); part = part[0]) shape.push(part.length);
  return tensor(shape, [nested].flat(Infinity));
}

/** Rows of several results, stacked name by name. @param {readonly Record<string, Tensor>[]} rows */
export function collect(rows) {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, stack(rows.map((row) => /** @type {Tensor} */ (row[name])))]));
}

/** @type {Record<string, Engine>} */
export const ENGINES = {
  softLookup({ queries, keys, values, temperature }) {
    const scores = linear(dense(queries), dense(keys));
    const weights = softmax(map(scores, (score) => score / temperature));
    return { scores, weights, answers: weightedMeans(weights, dense(values)) };
  },

  kernelPooling({ queries, keys, values, kernels, width }) {
    const rows = kernels.map((/** @type {string} */ kernel) =>
      queries.map((/** @type {number} */ query) => estimate(query, keys, values, kernel, width) ?? 0));
    return { estimates: dense(rows) };
  },

  attentionScores(inputs) {
    const plain = inputs.queries.map((/** @type {any} */ queries, /** @type {number} */ k) => {
      const [q, keys] = [dense(queries), dense(inputs.keys[k])];
      const scores = map(linear(q, keys), (score) => score / Math.sqrt(q.shape[1] ?? 1));
      return { scores, weights: softmax(scores, paddingMask(inputs.valid_lens[k], keys.shape[0] ?? 0)) };
    });
    const weights = new Map(["W_q", "W_k", "w"].map((name) => [`${name}.weight`, dense(inputs[`additive_${name}.weight`])]));
    const additive = inputs.additive_queries.map((/** @type {any} */ queries, /** @type {number} */ k) => {
      const keys = dense(inputs.additive_keys[k]);
      const mask = paddingMask(inputs.additive_lens[k], keys.shape[0] ?? 0);
      const read = additiveAttention(weights, "", dense(queries), keys, keys, mask);
      return { additive_scores: read.scores, additive_weights: read.weights };
    });
    return { ...collect(plain), ...collect(additive) };
  },

  additiveAttention({ queries, keys, values }, weights) {
    const read = additiveAttention(weights, "score.", dense(queries), dense(keys), dense(values));
    return { scores: read.scores, weights: read.weights, outputs: read.output };
  },

  positionCode({ num_positions, num_hiddens }, _, { gap }) {
    const code = sinusoidalPositions(num_positions, num_hiddens);
    const starts = Array.from({ length: num_positions - gap }, (_, start) => cosineSimilarity(code, start, start + gap));
    const angles = frequencies(num_hiddens).map((rate) => rate * gap);
    return { code, similarity_at_gap: tensor([starts.length], starts), turned: turned(code, 0, angles) };
  },

  encoderBlock({ tokens, num_heads }, weights) {
    return collect(tokens.map((/** @type {number[]} */ sequence) => {
      const table = weights.get("source_embedding.weight");
      if (!table) throw new RangeError("no weight named source_embedding.weight");
      const bare = encoderBlock(weights, "encoder.0", embedding(table, sequence), num_heads);
      const placed = encoderBlock(weights, "encoder.0", place(weights, "source_embedding.weight", sequence), num_heads);
      return { without: bare.output, with: placed.output, attention_without: bare.weights, attention_with: placed.weights };
    }));
  },

  encoderDecoder({ source, inputs, num_heads }, weights) {
    return collect(source.map((/** @type {number[]} */ tokens, /** @type {number} */ k) => {
      const read = encode(weights, tokens, num_heads);
      const written = decode(weights, inputs[k], read.memory, num_heads);
      return {
        logits: written.logits,
        encoder_attention: stack(read.attention),
        decoder_attention: stack(written.self),
        cross_attention: stack(written.cross),
      };
    }));
  },

  visionTransformer({ images, patch_size, num_heads }, weights) {
    return collect(images.map((/** @type {number[][]} */ image) => {
      const { logits, attention } = visionTransformer(weights, patches(image, patch_size), num_heads);
      const fromCls = stack(attention.map((block) => stack([...Array(num_heads).keys()].map((head) => at(at(block, head), 0)))));
      return { logits, cls_attention: fromCls };
    }));
  },
};

/**
 * Recompute a probe and compare. Every expected number must be met by a computed one.
 * @param {{ probe: Probe, parameters: Record<string, any> }} run
 * @param {Weights} weights
 * @returns {Promise<{ compared: number, largest: number, where: string }>}
 */
export async function recompute({ probe, parameters }, weights) {
  const engine = ENGINES[probe.engine] ?? (await import("./wired-probes.js")).WIRED[probe.engine];
  if (!engine) throw new RangeError(`this page has no engine called ${probe.engine}`);
  const results = engine(probe.inputs, weights, parameters);
  let [compared, largest, where] = [0, 0, ""];
  for (const [name, { shape, values }] of Object.entries(probe.outputs)) {
    const result = results[name];
    if (!result) throw new RangeError(`the engine does not compute ${name}`);
    if (String(result.shape) !== String(shape)) throw new RangeError(`${name}: (${result.shape}) is not (${shape})`);
    if (values.length !== result.data.length) {
      throw new RangeError(`${name}: ${values.length} numbers are baked, ${result.data.length} computed`);
    }
    values.forEach((value, k) => {
      const difference = Math.abs(value - result.data[k]);
      // once something is no number, that is what is told
      if (!(difference <= largest) && !Number.isNaN(largest)) [largest, where] = [difference, `${name}[${k}]`];
      compared++;
    });
  }
  if (!compared) throw new RangeError("the probe holds no numbers");
  return { compared, largest, where };
}
