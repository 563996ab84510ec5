/**
 * Kernels and the estimate they give: a distance measured in widths becomes a score, scores over their sum are weights.
 * Only ratios matter, so no kernel carries the constant that would make it a density.
 */

/** @type {Record<string, (u: number) => number>} */
export const KERNELS = {
  gaussian: (u) => Math.exp(-(u * u) / 2),
  boxcar: (u) => (Math.abs(u) <= 1 ? 1 : 0),
  constant: () => 1,
  epanechnikov: (u) => Math.max(0, 1 - u * u),
  triangular: (u) => Math.max(0, 1 - Math.abs(u)),
};

/**
 * The score of each key for a query.
 * @param {string} kernel
 * @param {number} width
 * @param {number} query
 * @param {number[]} keys
 */
export function kernelScores(kernel, width, query, keys) {
  const score = KERNELS[kernel];
  if (!score) throw new RangeError(`no kernel ${kernel}`);
  return keys.map((key) => score((query - key) / width));
}

/**
 * The kernel around a query, divided by the scores' sum: at each key it is as high as the key's weight. Where it jumps it
 * has both ends; where no key is near it is undefined.
 * @param {string} kernel
 * @param {number} width
 * @param {number} query
 * @param {number[]} keys
 * @param {[number, number]} domain
 */
export function envelope(kernel, width, query, keys, [low, high]) {
  const total = kernelScores(kernel, width, query, keys).reduce((sum, score) => sum + score, 0);
  const within = (/** @type {number} */ x) => x >= low && x <= high;
  const edges = [query - width, query + width].filter(within).flatMap((x) => [x - 1e-6, x, x + 1e-6]);
  const x = [...Array.from({ length: 121 }, (_, index) => low + ((high - low) * index) / 120), ...edges].sort((a, b) => a - b);
  return { x, y: kernelScores(kernel, width, query, x).map((score) => (total > 0 ? score / total : NaN)) };
}
