/**
 * Nadaraya–Watson regression: positions are keys, measurements values, and a fixed kernel is the score.
 * u = (query − key) / width, with one width for every kernel.
 */

/** @type {Record<string, (u: number) => number>} */
export const KERNELS = {
  gaussian: (u) => Math.exp((-u * u) / 2),
  boxcar: (u) => (Math.abs(u) <= 1 ? 1 : 0),
  constant: () => 1,
  epanechnikov: (u) => Math.max(0, 1 - u * u),
  triangular: (u) => Math.max(0, 1 - Math.abs(u)),
};

/**
 * The weights of all keys for one query, or null where no key is near enough to count.
 * @param {number} query @param {ArrayLike<number>} keys @param {string} kernel @param {number} width
 */
export function poolingWeights(query, keys, kernel, width) {
  const near = KERNELS[kernel];
  if (!near) throw new RangeError(`no kernel is called ${kernel}`);
  const weights = Float64Array.from(keys, (key) => near((query - key) / width));
  let sum = 0;
  for (const weight of weights) sum += weight;
  return sum > 0 ? weights.map((weight) => weight / sum) : null;
}

/**
 * The estimate at one query, or null where it is undefined.
 * @param {number} query @param {ArrayLike<number>} keys @param {ArrayLike<number>} values
 * @param {string} kernel @param {number} width
 */
export function estimate(query, keys, values, kernel, width) {
  const weights = poolingWeights(query, keys, kernel, width);
  return weights && weights.reduce((sum, weight, k) => sum + weight * (values[k] ?? 0), 0);
}

/**
 * The mean of |estimate − target| over the queries where an estimate is defined, or null where none is.
 * @param {readonly (number | null)[]} estimates @param {ArrayLike<number>} targets
 */
export function meanAbsoluteError(estimates, targets) {
  let sum = 0;
  let count = 0;
  estimates.forEach((value, k) => {
    if (value === null) return;
    sum += Math.abs(value - (targets[k] ?? 0));
    count++;
  });
  return count ? sum / count : null;
}
