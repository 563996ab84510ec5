/**
 * Attention: queries, keys and values to weighted means of the values, with masks and with many heads.
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {Map<string, Tensor>} Weights
 */
import { linear, softmax } from "./ops.js";
import { zeros } from "./tensor.js";

/** A named weight, or an error that says which one is missing. @param {Weights} weights @param {string} name */
export function need(weights, name) {
  const value = weights.get(name);
  if (!value) throw new RangeError(`no weight named ${name}`);
  return value;
}

/** (query, key), 1 where key ≤ query: a position sees itself and what came before it. @param {number} length */
export function causalMask(length) {
  const mask = new Uint8Array(length * length);
  for (let query = 0; query < length; query++) mask.fill(1, query * length, query * length + query + 1);
  return mask;
}

/** (key), 1 at the first `valid` keys: padding is never read. @param {number} valid @param {number} length */
export function paddingMask(valid, length) {
  return new Uint8Array(length).fill(1, 0, valid);
}

/**
 * Σᵢ αᵢ vᵢ for every query, with α the softmax of q·k / √d in each head's own slice of the features.
 * @param {Tensor} queries (query, features)
 * @param {Tensor} keys (key, features)
 * @param {Tensor} values (key, features)
 * @param {number} numHeads
 * @param {Uint8Array} [mask] (query, key) or (key)
 * @returns {{ output: Tensor, weights: Tensor }} (query, features) and (head, query, key)
 */
export function dotProductAttention(queries, keys, values, numHeads, mask) {
  const [numQueries = 0, width = 0] = queries.shape;
  const numKeys = keys.shape[0] ?? 0;
  const headDim = width / numHeads;
  const scores = zeros([numHeads, numQueries, numKeys]);
  for (let head = 0, at = 0; head < numHeads; head++) {
    for (let q = 0; q < numQueries; q++) {
      for (let k = 0; k < numKeys; k++, at++) {
        let sum = 0;
        for (let j = head * headDim; j < (head + 1) * headDim; j++) {
          sum += queries.data[q * width + j] * keys.data[k * width + j];
        }
        scores.data[at] = sum / Math.sqrt(headDim);
      }
    }
  }
  const weights = softmax(scores, mask);
  const output = zeros([numQueries, width]);
  for (let head = 0; head < numHeads; head++) {
    for (let q = 0; q < numQueries; q++) {
      const row = (head * numQueries + q) * numKeys;
      for (let k = 0; k < numKeys; k++) {
        const weight = weights.data[row + k];
        for (let j = head * headDim; j < (head + 1) * headDim; j++) {
          output.data[q * width + j] += weight * values.data[k * width + j];
        }
      }
    }
  }
  return { output, weights };
}

/**
 * Vaswani et al. 2017, section 3.2.2; a projection has a bias where the weights have one.
 * @param {Weights} weights
 * @param {string} name prefix of W_q, W_k, W_v, W_o
 * @param {Tensor} queries (query, features)
 * @param {Tensor} memory (key, features): what keys and values are made of
 * @param {number} numHeads
 * @param {Uint8Array} [mask]
 */
export function multiHeadAttention(weights, name, queries, memory, numHeads, mask) {
  const project = (/** @type {string} */ part, /** @type {Tensor} */ x) =>
    linear(x, need(weights, `${name}.${part}.weight`), weights.get(`${name}.${part}.bias`));
  const heads = dotProductAttention(
    project("W_q", queries), project("W_k", memory), project("W_v", memory), numHeads, mask,
  );
  return { output: project("W_o", heads.output), weights: heads.weights };
}

/**
 * Bahdanau et al. 2014: the score wᵥᵀ tanh(W_q q + W_k k), for queries and keys of any two sizes.
 * @param {Weights} weights
 * @param {string} name prefix of W_q, W_k and w
 * @param {Tensor} queries (query, d_q)
 * @param {Tensor} keys (key, d_k)
 * @param {Tensor} values (key, d_v)
 * @param {Uint8Array} [mask]
 * @returns {{ output: Tensor, weights: Tensor, scores: Tensor }} (query, d_v), (query, key), (query, key)
 */
export function additiveAttention(weights, name, queries, keys, values, mask) {
  const q = linear(queries, need(weights, `${name}W_q.weight`));
  const k = linear(keys, need(weights, `${name}W_k.weight`));
  const v = need(weights, `${name}w.weight`).data;
  const [numQueries = 0, width = 0] = q.shape;
  const numKeys = k.shape[0] ?? 0;
  const scores = zeros([numQueries, numKeys]);
  for (let row = 0; row < numQueries; row++) {
    for (let column = 0; column < numKeys; column++) {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += v[j] * Math.tanh(q.data[row * width + j] + k.data[column * width + j]);
      scores.data[row * numKeys + column] = sum;
    }
  }
  const alpha = softmax(scores, mask);
  return { output: weightedMeans(alpha, values), weights: alpha, scores };
}

/** @param {Tensor} weights (query, key) @param {Tensor} values (key, d) @returns {Tensor} (query, d) */
export function weightedMeans(weights, values) {
  const [rows = 0, numKeys = 0] = weights.shape;
  const width = values.data.length / numKeys;
  const result = zeros([rows, width]);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < numKeys; k++) {
      const weight = weights.data[row * numKeys + k];
      for (let j = 0; j < width; j++) result.data[row * width + j] += weight * values.data[k * width + j];
    }
  }
  return result;
}
