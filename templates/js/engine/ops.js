/**
 * The primitives: each takes tensors and returns a new one.
 * @typedef {import("./tensor.js").Tensor} Tensor
 */
import { matrix, zeros } from "./tensor.js";

/**
 * x Wᵀ + b, as torch's `Linear` stores it.
 * @param {Tensor} x (…, in)
 * @param {Tensor} weight (out, in)
 * @param {Tensor} [bias] (out)
 * @returns {Tensor} (…, out)
 */
export function linear(x, weight, bias) {
  const { rows, width } = matrix(x);
  const [out = 0, input = 0] = weight.shape;
  if (input !== width) throw new RangeError(`linear: ${width} features meet weights for ${input}`);
  const result = zeros([...x.shape.slice(0, -1), out]);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    for (let o = 0; o < out; o++) {
      const line = o * width;
      let sum = 0;
      for (let k = 0; k < width; k++) sum += x.data[start + k] * weight.data[line + k];
      result.data[row * out + o] = bias ? sum + bias.data[o] : sum;
    }
  }
  return result;
}

/** Elementwise sum of two tensors of one shape. @param {Tensor} a @param {Tensor} b @returns {Tensor} */
export function add(a, b) {
  if (a.data.length !== b.data.length) throw new RangeError(`add: (${a.shape}) and (${b.shape})`);
  const result = zeros(a.shape);
  for (let k = 0; k < a.data.length; k++) result.data[k] = a.data[k] + b.data[k];
  return result;
}

/** @param {Tensor} x @param {(value: number) => number} f @returns {Tensor} */
export function map(x, f) {
  const result = zeros(x.shape);
  for (let k = 0; k < x.data.length; k++) result.data[k] = f(x.data[k]);
  return result;
}

/**
 * Softmax over the last axis, shifted by the largest score. A masked entry gets exactly 0; a row with
 * nothing left to read is all zeros.
 * @param {Tensor} scores (…, n)
 * @param {Uint8Array} [mask] 1 where an entry may be read, one per score; shorter masks repeat
 * @returns {Tensor}
 */
export function softmax(scores, mask) {
  const { rows, width } = matrix(scores);
  const result = zeros(scores.shape);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    let largest = -Infinity;
    for (let k = start; k < start + width; k++) {
      if ((!mask || mask[k % mask.length]) && scores.data[k] > largest) largest = scores.data[k];
    }
    if (largest === -Infinity) continue;
    let sum = 0;
    for (let k = start; k < start + width; k++) {
      if (mask && !mask[k % mask.length]) continue;
      sum += result.data[k] = Math.exp(scores.data[k] - largest);
    }
    for (let k = start; k < start + width; k++) result.data[k] /= sum;
  }
  return result;
}

/**
 * Ba, Kiros, Hinton 2016: each row shifted to mean 0 and scaled to variance 1 (biased), then γ, β.
 * @param {Tensor} x (…, features) @param {Tensor} gamma @param {Tensor} beta @param {number} [epsilon]
 */
export function layerNorm(x, gamma, beta, epsilon = 1e-5) {
  const { rows, width } = matrix(x);
  const result = zeros(x.shape);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    let mean = 0;
    for (let k = 0; k < width; k++) mean += x.data[start + k];
    mean /= width;
    let variance = 0;
    for (let k = 0; k < width; k++) variance += (x.data[start + k] - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / width + epsilon);
    for (let k = 0; k < width; k++) {
      result.data[start + k] = (x.data[start + k] - mean) * scale * gamma.data[k] + beta.data[k];
    }
  }
  return result;
}

/**
 * Zhang, Sennrich 2019: scaled by the root mean square alone.
 * @param {Tensor} x (…, features) @param {Tensor} gamma @param {number} [epsilon]
 */
export function rmsNorm(x, gamma, epsilon = 1e-6) {
  const { rows, width } = matrix(x);
  const result = zeros(x.shape);
  for (let row = 0; row < rows; row++) {
    const start = row * width;
    let square = 0;
    for (let k = 0; k < width; k++) square += x.data[start + k] ** 2;
    const scale = 1 / Math.sqrt(square / width + epsilon);
    for (let k = 0; k < width; k++) result.data[start + k] = x.data[start + k] * scale * gamma.data[k];
  }
  return result;
}

/** Rows of a table. @param {Tensor} table (symbols, features) @param {ArrayLike<number>} indices */
export function embedding(table, indices) {
  const { rows, width } = matrix(table);
  const result = zeros([indices.length, width]);
  for (let k = 0; k < indices.length; k++) {
    const row = indices[k];
    if (!(row >= 0 && row < rows)) throw new RangeError(`symbol ${row} outside a table of ${rows}`);
    result.data.set(table.data.subarray(row * width, (row + 1) * width), k * width);
  }
  return result;
}

/** @param {number} x */
export function relu(x) {
  return x > 0 ? x : 0;
}

/** x · sigmoid(x). @param {number} x */
export function silu(x) {
  return x / (1 + Math.exp(-x));
}

/** Gaussian error linear unit, exact: x Φ(x). @param {number} x */
export function gelu(x) {
  return 0.5 * x * (1 + erf(x * Math.SQRT1_2));
}

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);
/** Taylor coefficients (−1)ⁿ / (n! (2n + 1)) of erf, highest first (DLMF 7.6.1). */
const SERIES = Array.from({ length: 28 }, (_, n) => {
  let signed = 1;
  for (let k = 1; k <= n; k++) signed *= -k;
  return 1 / (signed * (2 * n + 1));
}).reverse();

/**
 * The error function to about one unit in the last place: its Taylor series up to 1.25, beyond one minus the
 * continued fraction of erfc (DLMF 7.9.1), which is small there, so that its own error hardly counts.
 * @param {number} x
 */
export function erf(x) {
  const a = Math.abs(x);
  if (a > 6) return Math.sign(x);
  if (a < 1.25) {
    let sum = 0;
    for (const coefficient of SERIES) sum = sum * a * a + coefficient;
    return TWO_OVER_ROOT_PI * x * sum;
  }
  let fraction = 0;
  for (let n = Math.ceil(20 + 200 / (a * a)); n > 0; n--) fraction = (n / 2) / (a + fraction);
  return Math.sign(x) * (1 - expOfMinusSquare(a) / (Math.sqrt(Math.PI) * (a + fraction)));
}

/** exp(−a²) without the rounding of a²: the square is taken of a's leading bits, the rest follows. @param {number} a */
function expOfMinusSquare(a) {
  const lead = Math.round(a * 2 ** 20) / 2 ** 20;
  return Math.exp(-lead * lead) * Math.exp(-(a - lead) * (a + lead));
}
