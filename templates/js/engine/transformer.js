/**
 * The baked Transformers, forward: the encoder–decoder that reverses digits and the ViT that reads garments.
 * Weights are named as torch's `state_dict` names them.
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {import("./attention.js").Weights} Weights
 */
import { causalMask, multiHeadAttention, need } from "./attention.js";
import { add, embedding, gelu, layerNorm, linear, map, relu, softmax } from "./ops.js";
import { at, stack, tensor, zeros } from "./tensor.js";

/** @param {Weights} weights @param {string} name @param {Tensor} x */
function norm(weights, name, x) {
  return layerNorm(x, need(weights, `${name}.weight`), need(weights, `${name}.bias`));
}

/** @param {Weights} weights @param {string} name @param {Tensor} x @param {(value: number) => number} activation */
function feedForward(weights, name, x, activation) {
  const dense = (/** @type {string} */ layer, /** @type {Tensor} */ input) =>
    linear(input, need(weights, `${name}.${layer}.weight`), need(weights, `${name}.${layer}.bias`));
  return dense("dense2", map(dense("dense1", x), activation));
}

/** How many blocks a stack has. @param {Map<string, unknown>} weights @param {string} name */
export function countBlocks(weights, name) {
  let count = 0;
  while ([...weights.keys()].some((key) => key.startsWith(`${name}.${count}.`))) count++;
  return count;
}

/** Embeddings with the code of each position added. @param {Weights} weights @param {string} table @param {ArrayLike<number>} tokens */
export function place(weights, table, tokens) {
  const x = embedding(need(weights, table), tokens);
  const positions = need(weights, "positions").data;
  if (positions.length < x.data.length) {
    throw new RangeError(`${tokens.length} tokens, but positions for ${need(weights, "positions").shape[0]}`);
  }
  for (let k = 0; k < x.data.length; k++) x.data[k] += positions[k];
  return x;
}

/**
 * One post-norm encoder block: attend to all, add & norm, feed forward, add & norm.
 * @param {Weights} weights @param {string} name @param {Tensor} x (position, features) @param {number} numHeads
 * @returns {{ output: Tensor, weights: Tensor }} the shape of x; (head, query, key)
 */
export function encoderBlock(weights, name, x, numHeads) {
  const read = multiHeadAttention(weights, `${name}.attention`, x, x, numHeads);
  const middle = norm(weights, `${name}.addnorm1.norm`, add(x, read.output));
  const output = norm(weights, `${name}.addnorm2.norm`, add(middle, feedForward(weights, `${name}.ffn`, middle, relu)));
  return { output, weights: read.weights };
}

/**
 * @param {Weights} weights
 * @param {ArrayLike<number>} source tokens
 * @param {number} numHeads
 * @returns {{ memory: Tensor, attention: Tensor[] }} memory (source, features); a (head, query, key) map a block
 */
export function encode(weights, source, numHeads) {
  let x = place(weights, "source_embedding.weight", source);
  const attention = [];
  for (let block = 0; block < countBlocks(weights, "encoder"); block++) {
    const { output, weights: map } = encoderBlock(weights, `encoder.${block}`, x, numHeads);
    x = output;
    attention.push(map);
  }
  return { memory: x, attention };
}

/**
 * @param {Weights} weights
 * @param {ArrayLike<number>} inputs the start token, then what is written so far
 * @param {Tensor} memory
 * @param {number} numHeads
 * @returns {{ logits: Tensor, self: Tensor[], cross: Tensor[] }} logits (target, vocabulary)
 */
export function decode(weights, inputs, memory, numHeads) {
  let x = place(weights, "target_embedding.weight", inputs);
  const mask = causalMask(inputs.length);
  const self = [];
  const cross = [];
  for (let block = 0; block < countBlocks(weights, "decoder"); block++) {
    const name = `decoder.${block}`;
    const own = multiHeadAttention(weights, `${name}.self_attention`, x, x, numHeads, mask);
    x = norm(weights, `${name}.addnorm1.norm`, add(x, own.output));
    const read = multiHeadAttention(weights, `${name}.cross_attention`, x, memory, numHeads);
    x = norm(weights, `${name}.addnorm2.norm`, add(x, read.output));
    x = norm(weights, `${name}.addnorm3.norm`, add(x, feedForward(weights, `${name}.ffn`, x, relu)));
    self.push(own.weights);
    cross.push(read.weights);
  }
  const logits = linear(x, need(weights, "output.weight"), need(weights, "output.bias"));
  return { logits, self, cross };
}

/**
 * Write `length` tokens, each the likeliest after those the model itself wrote.
 * @param {Weights} weights
 * @param {ArrayLike<number>} source
 * @param {number} length
 * @param {number} numHeads
 * @returns {{ tokens: number[], probabilities: Tensor, cross: Tensor }} probabilities (position, symbol);
 *   cross-attention of the last block (position, head, key), each row as it was when that token was written
 */
export function greedyDecode(weights, source, length, numHeads) {
  const { memory } = encode(weights, source, numHeads);
  const start = (need(weights, "target_embedding.weight").shape[0] ?? 0) - 1;
  const tokens = /** @type {number[]} */ ([]);
  const probabilities = [];
  const cross = [];
  for (let position = 0; position < length; position++) {
    const step = decode(weights, [start, ...tokens], memory, numHeads);
    const chances = softmax(at(step.logits, position));
    tokens.push(chances.data.reduce((best, value, k) => (value > chances.data[best] ? k : best), 0));
    probabilities.push(chances);
    const maps = step.cross[step.cross.length - 1];
    if (!maps) throw new RangeError("a decoder without blocks");
    cross.push(stack([...Array(numHeads).keys()].map((head) => at(at(maps, head), position))));
  }
  return { tokens, probabilities: stack(probabilities), cross: stack(cross) };
}

/**
 * Row by row, and row by row within each patch.
 * @param {readonly (readonly number[])[]} image (height, width)
 * @param {number} patchSize
 * @returns {Tensor} (patch, patchSize²)
 */
export function patches(image, patchSize) {
  const side = image.length / patchSize;
  const result = zeros([side * side, patchSize * patchSize]);
  image.forEach((pixels, y) => pixels.forEach((value, x) => {
    const patch = Math.floor(y / patchSize) * side + Math.floor(x / patchSize);
    result.data[patch * patchSize * patchSize + (y % patchSize) * patchSize + (x % patchSize)] = value;
  }));
  return result;
}

/**
 * Dosovitskiy et al. 2020, pre-norm: patches, a `<cls>` token, learned positions, GELU blocks, the class of `<cls>`.
 * @param {Weights} weights
 * @param {Tensor} patches (patch, pixels)
 * @param {number} numHeads
 * @returns {{ logits: Tensor, attention: Tensor[] }} logits (class); a (head, query, key) map a block
 */
export function visionTransformer(weights, patches, numHeads) {
  const embedded = linear(patches, need(weights, "patch_embedding.weight"), need(weights, "patch_embedding.bias"));
  const width = embedded.shape[1] ?? 0;
  let x = zeros([(embedded.shape[0] ?? 0) + 1, width]);
  x.data.set(need(weights, "cls").data);
  x.data.set(embedded.data, width);
  x = add(x, tensor(x.shape, need(weights, "positions").data));
  const attention = [];
  for (let block = 0; block < countBlocks(weights, "blocks"); block++) {
    const name = `blocks.${block}`;
    const normed = norm(weights, `${name}.norm1`, x);
    const read = multiHeadAttention(weights, `${name}.attention`, normed, normed, numHeads);
    x = add(x, read.output);
    x = add(x, feedForward(weights, `${name}.ffn`, norm(weights, `${name}.norm2`, x), gelu));
    attention.push(read.weights);
  }
  const cls = tensor([1, width], norm(weights, "norm", x).data.slice(0, width));
  const logits = linear(cls, need(weights, "head.weight"), need(weights, "head.bias"));
  return { logits: tensor([logits.data.length], logits.data), attention };
}
