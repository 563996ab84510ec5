/** The first encoder block of a run, ready to be asked: tokens to outputs, with the codes of their positions or without. */
import { need } from "./attention.js";
import { embedding } from "./ops.js";
import { readWeights } from "./tensor.js";
import { encoderBlock, place } from "./transformer.js";

/**
 * @param {ArrayBuffer} buffer weights.bin
 * @param {any} run run.json, with one checkpoint's weights and a probe that tells the number of heads
 * @returns {(tokens: number[], positions: boolean) => number[][]} (position, features)
 */
export function firstBlock(buffer, { weights: index, probe }) {
  const weights = readWeights(buffer, index, index.tensors[0].checkpoint);
  const table = "source_embedding.weight";
  return (tokens, positions) => {
    const x = positions ? place(weights, table, tokens) : embedding(need(weights, table), tokens);
    const { shape, data } = encoderBlock(weights, "encoder.0", x, probe.inputs.num_heads).output;
    const width = shape[1] ?? 0;
    return tokens.map((_, row) => [...data.slice(row * width, (row + 1) * width)]);
  };
}

/**
 * The same, by the address of the weights.
 * @param {string} address
 * @param {any} run
 */
export async function fetchFirstBlock(address, run) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return firstBlock(await response.arrayBuffer(), run);
}
