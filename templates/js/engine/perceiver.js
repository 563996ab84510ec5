/**
 * The Perceiver of chapter two, forward: learned latents read the inputs, then one another. Weights are named as torch's
 * `state_dict` names them.
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {import("./attention.js").Weights} Weights
 */
import { multiHeadAttention, need } from "./attention.js";
import { add, linear, rmsNorm } from "./ops.js";
import { countBlocks } from "./transformer.js";
import { gatedFfn, preNormBlock } from "./wirings.js";

/**
 * @param {Weights} weights
 * @param {string} name of the encoder, such as "encoder"
 * @param {Tensor} inputs (input, features), any number of them
 * @param {number} numHeads
 * @returns {{ latents: Tensor, cross: Tensor, self: Tensor[] }} (latent, features); (head, latent, input); a (head, latent, latent) map a block
 */
export function perceiver(weights, name, inputs, numHeads) {
  const norm = (/** @type {string} */ part, /** @type {Tensor} */ x) => rmsNorm(x, need(weights, `${name}.${part}.weight`));
  const memory = norm("inputs_norm", linear(inputs, need(weights, `${name}.embedding.weight`)));
  const asking = need(weights, `${name}.latents`);
  const read = multiHeadAttention(weights, `${name}.cross_attention`, norm("norm1", asking), memory, numHeads);
  let x = add(asking, read.output);
  x = add(x, gatedFfn(weights, `${name}.ffn`, norm("norm2", x)));
  const self = [];
  for (let block = 0; block < countBlocks(weights, `${name}.blocks`); block++) {
    const found = preNormBlock(weights, `${name}.blocks.${block}`, x, numHeads);
    x = found.output;
    self.push(found.weights);
  }
  return { latents: norm("norm", x), cross: read.weights, self };
}
