/**
 * The models of chapter two, forward: pre-norm blocks with RMSNorm and a gated network, wired as an encoder, as a
 * decoder-only model, or as both. Weights are named as torch's `state_dict` names them.
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {import("./attention.js").Weights} Weights
 */
import { causalMask, multiHeadAttention, need, paddingMask } from "./attention.js";
import { add, embedding, linear, map, rmsNorm, silu } from "./ops.js";
import { zeros } from "./tensor.js";
import { countBlocks } from "./transformer.js";

/** @param {Weights} weights @param {string} name @param {Tensor} x */
function norm(weights, name, x) {
  return rmsNorm(x, need(weights, `${name}.weight`));
}

/** W_down (silu(W_gate x) · W_up x). @param {Weights} weights @param {string} name @param {Tensor} x */
export function gatedFfn(weights, name, x) {
  const project = (/** @type {string} */ part, /** @type {Tensor} */ input) =>
    linear(input, need(weights, `${name}.${part}.weight`));
  const hidden = map(project("W_gate", x), silu);
  const up = project("W_up", x);
  for (let k = 0; k < hidden.data.length; k++) hidden.data[k] *= up.data[k];
  return project("W_down", hidden);
}

/** A row for each token and one for each place, added. @param {Weights} weights @param {string} tokenTable @param {string} placeTable @param {ArrayLike<number>} tokens */
function placed(weights, tokenTable, placeTable, tokens) {
  const places = Uint16Array.from(tokens, (_, k) => k);
  return add(embedding(need(weights, `${tokenTable}.weight`), tokens), embedding(need(weights, `${placeTable}.weight`), places));
}

/**
 * Each sublayer reads what is normalised and adds to what is not.
 * @param {Weights} weights @param {string} name @param {Tensor} x (position, features) @param {number} numHeads
 * @param {Uint8Array} [mask] (query, key) or (key)
 * @returns {{ output: Tensor, weights: Tensor }} the shape of x; (head, query, key)
 */
export function preNormBlock(weights, name, x, numHeads, mask) {
  const normed = norm(weights, `${name}.norm1`, x);
  const read = multiHeadAttention(weights, `${name}.attention`, normed, normed, numHeads, mask);
  const middle = add(x, read.output);
  return { output: add(middle, gatedFfn(weights, `${name}.ffn`, norm(weights, `${name}.norm2`, middle))), weights: read.weights };
}

/** A stack of such blocks. @param {Weights} weights @param {string} name @param {Tensor} x @param {number} numHeads @param {Uint8Array} [mask] */
function stacked(weights, name, x, numHeads, mask) {
  const attention = [];
  for (let block = 0; block < countBlocks(weights, name); block++) {
    const found = preNormBlock(weights, `${name}.${block}`, x, numHeads, mask);
    x = found.output;
    attention.push(found.weights);
  }
  return { x, attention };
}

/**
 * The encoder that fills in masked letters: learned places, blocks, a last norm, logits by the embedding once more.
 * @param {Weights} weights
 * @param {ArrayLike<number>} tokens
 * @param {number} numHeads
 * @param {Uint8Array} [mask] (query, key); without one each position reads both sides
 * @returns {{ logits: Tensor, attention: Tensor[] }} logits (position, vocabulary); a (head, query, key) map a block
 */
export function tokenEncoder(weights, tokens, numHeads, mask) {
  const embedded = placed(weights, "token_embedding", "position_embedding", tokens);
  const { x, attention } = stacked(weights, "blocks", embedded, numHeads, mask);
  return { logits: linear(norm(weights, "norm", x), need(weights, "token_embedding.weight")), attention };
}

/**
 * @param {Weights} weights
 * @param {ArrayLike<number>} source
 * @param {number} numHeads
 * @param {number} [valid] how many tokens are no padding
 * @returns {{ memory: Tensor, attention: Tensor[] }} memory (source, features); a (head, query, key) map a block
 */
export function readSource(weights, source, numHeads, valid = source.length) {
  const embedded = placed(weights, "source_embedding", "source_positions", source);
  const { x, attention } = stacked(weights, "encoder", embedded, numHeads, paddingMask(valid, source.length));
  return { memory: norm(weights, "encoder_norm", x), attention };
}

/**
 * @param {Weights} weights
 * @param {ArrayLike<number>} inputs the start token, then what is written so far
 * @param {Tensor} memory
 * @param {number} numHeads
 * @param {number} [sourceValid] how many rows of memory are no padding
 * @param {number} [targetValid] how many inputs are no padding
 * @returns {{ logits: Tensor, self: Tensor[], cross: Tensor[] }} logits (target, vocabulary)
 */
export function writeTarget(weights, inputs, memory, numHeads, sourceValid = memory.shape[0] ?? 0, targetValid = inputs.length) {
  let x = placed(weights, "target_embedding", "target_positions", inputs);
  const sourceMask = paddingMask(sourceValid, memory.shape[0] ?? 0);
  const keys = paddingMask(targetValid, inputs.length);
  const ownMask = causalMask(inputs.length).map((open, cell) => open & (keys[cell % keys.length] ?? 0));
  const self = [];
  const cross = [];
  for (let block = 0; block < countBlocks(weights, "decoder"); block++) {
    const name = `decoder.${block}`;
    const normed = norm(weights, `${name}.norm1`, x);
    const own = multiHeadAttention(weights, `${name}.self_attention`, normed, normed, numHeads, ownMask);
    x = add(x, own.output);
    const asking = norm(weights, `${name}.norm2`, x);
    const read = multiHeadAttention(weights, `${name}.cross_attention`, asking, memory, numHeads, sourceMask);
    x = add(x, read.output);
    x = add(x, gatedFfn(weights, `${name}.ffn`, norm(weights, `${name}.norm3`, x)));
    self.push(own.weights);
    cross.push(read.weights);
  }
  return { logits: linear(norm(weights, "decoder_norm", x), need(weights, "output.weight")), self, cross };
}
