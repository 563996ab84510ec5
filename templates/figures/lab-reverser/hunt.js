/**
 * The hunt for an input the model gets wrong. A greedy decode is right exactly if each digit would be the likeliest after
 * the right ones before it, so that one pass over the mirrored string answers for all its digits.
 *
 * @typedef {import("../../js/engine/attention.js").Weights} Weights
 * @typedef {{ digits: number[], written: number[], place: number, chance: number }} Found
 *   place: of the digit it was least sure of; chance: what the right digit got there
 */

import { softmax } from "../../js/engine/ops.js";
import { integers } from "../../js/engine/streams.js";
import { decode, encode, greedyDecode } from "../../js/engine/transformer.js";

/** @param {Weights} weights @param {number[]} digits @param {number} numHeads @returns {Found & { right: boolean }} */
export function tried(weights, digits, numHeads) {
  const target = [...digits].reverse();
  const start = (weights.get("target_embedding.weight")?.shape[0] ?? 0) - 1;
  const { memory } = encode(weights, digits, numHeads);
  const chances = softmax(decode(weights, [start, ...target.slice(0, -1)], memory, numHeads).logits);
  const symbols = chances.shape[1] ?? 0;
  let [place, chance, sure] = [0, 2, true];
  target.forEach((digit, position) => {
    const row = chances.data.subarray(position * symbols, (position + 1) * symbols);
    if (row.some((value, other) => other !== digit && value >= row[digit])) sure = false;
    if (row[digit] < chance) [place, chance] = [position, row[digit]];
  });
  const written = sure ? target : greedyDecode(weights, digits, digits.length, numHeads).tokens;
  return { digits, place, chance, written, right: written.every((digit, position) => digit === target[position]) };
}

/**
 * Tries inputs first … first + count − 1 of a stream of its own; yields after each how it went.
 * @param {Weights} weights
 * @param {{ seed: number, numHeads: number, length: number, first: number, count: number }} hunt
 */
export function* hunted(weights, { seed, numHeads, length, first, count }) {
  for (let index = first; index < first + count; index++) {
    yield tried(weights, integers(seed, "hunt", length, 10, index * length), numHeads);
  }
}
