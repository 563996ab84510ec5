/** The curve of a kernel around a query, for drawing; the kernels and their weights are the engine's. */

import { KERNELS } from "./engine/kernels.js";

/**
 * The kernel around a query, divided by the sum of the scores of all keys: at each key it is as high as the key's weight.
 * Where it jumps it has both ends; where no key is near it is undefined.
 * @param {string} kernel
 * @param {number} width
 * @param {number} query
 * @param {number[]} keys
 * @param {[number, number]} domain
 */
export function envelope(kernel, width, query, keys, [low, high]) {
  const near = KERNELS[kernel];
  if (!near) throw new RangeError(`no kernel is called ${kernel}`);
  const scores = (/** @type {number[]} */ places) => places.map((place) => near((query - place) / width));
  const total = scores(keys).reduce((sum, score) => sum + score, 0);
  const within = (/** @type {number} */ x) => x >= low && x <= high;
  const edges = [query - width, query + width].filter(within).flatMap((x) => [x - 1e-6, x, x + 1e-6]);
  const x = [...Array.from({ length: 121 }, (_, index) => low + ((high - low) * index) / 120), ...edges].sort((a, b) => a - b);
  return { x, y: scores(x).map((score) => (total > 0 ? score / total : NaN)) };
}
