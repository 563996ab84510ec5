/**
 * Where a token stands, as a vector: sines and cosines of falling frequency (Vaswani et al. 2017, section 3.5).
 * @typedef {import("./tensor.js").Tensor} Tensor
 */
import { matrix, zeros } from "./tensor.js";

/** Radians a position, pair by pair, from 1 down towards 1/10000. @param {number} numHiddens */
export function frequencies(numHiddens) {
  return Float64Array.from({ length: numHiddens / 2 }, (_, pair) => 10000 ** ((-2 * pair) / numHiddens));
}

/** (length, numHiddens): column 2j is sin(ωt), column 2j + 1 is cos(ωt). @param {number} length @param {number} numHiddens */
export function sinusoidalPositions(length, numHiddens) {
  const omega = frequencies(numHiddens);
  const code = zeros([length, numHiddens]);
  for (let t = 0; t < length; t++) {
    omega.forEach((rate, pair) => {
      code.data[t * numHiddens + 2 * pair] = Math.sin(rate * t);
      code.data[t * numHiddens + 2 * pair + 1] = Math.cos(rate * t);
    });
  }
  return code;
}

/** Cosine of the angle between rows i and j, from −1 opposite to 1 identical. @param {Tensor} code @param {number} i @param {number} j */
export function cosineSimilarity(code, i, j) {
  const { width } = matrix(code);
  let [dot, a, b] = [0, 0, 0];
  for (let k = 0; k < width; k++) {
    const x = code.data[i * width + k];
    const y = code.data[j * width + k];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  return dot / Math.sqrt(a * b);
}

/** A row with each of its pairs turned by its own angle (the addition theorem). @param {Tensor} code @param {number} row @param {ArrayLike<number>} angles */
export function turned(code, row, angles) {
  const { width } = matrix(code);
  const result = zeros([1, width]);
  for (let pair = 0; pair < width / 2; pair++) {
    const sine = code.data[row * width + 2 * pair];
    const cosine = code.data[row * width + 2 * pair + 1];
    const [s, c] = [Math.sin(angles[pair] ?? 0), Math.cos(angles[pair] ?? 0)];
    result.data[2 * pair] = sine * c + cosine * s;
    result.data[2 * pair + 1] = cosine * c - sine * s;
  }
  return result;
}
