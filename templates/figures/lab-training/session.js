/**
 * One training, step by step: the run's initial weights and batches, the reader's settings, and, if asked for, a twin
 * that begins with the last bit of one weight turned.
 *
 * @typedef {import("../../js/engine/tensor.js").Tensor} Tensor
 * @typedef {import("../../js/engine/tape.js").Variable} Variable
 * @typedef {import("../../js/engine/training.js").Settings} Settings
 * @typedef {{ loss: number, twin: number | null, distance: number | null }} Step
 */

import { parameters, train } from "../../js/engine/training.js";
import { decode, encode, greedyDecode } from "../../js/engine/transformer.js";

/** The weight whose last bit is turned: the first of the output layer. */
export const TURNED = "output.weight";
/** Two losses part when they differ by this share of the larger. */
export const PARTED = 0.01;

/** @param {number} one @param {number} two */
export function parted(one, two) {
  return Math.abs(one - two) > PARTED * Math.max(Math.abs(one), Math.abs(two));
}

/** Turns the last bit of the first number. @param {Float64Array} numbers */
export function turnLastBit(numbers) {
  const bits = new BigUint64Array(numbers.buffer, numbers.byteOffset, 1);
  bits[0] = (bits[0] ?? 0n) ^ 1n;
}

/** Euclidean distance over all weights. @param {Map<string, Variable>} one @param {Map<string, Variable>} two */
export function distance(one, two) {
  let sum = 0;
  for (const [name, { data }] of one) {
    const other = two.get(name)?.data ?? data;
    for (let k = 0; k < data.length; k++) sum += (data[k] - other[k]) ** 2;
  }
  return Math.sqrt(sum);
}

/** Losses and distances for t = 0 … steps, and what the model does with an example. */
export class Session {
  /** @param {Map<string, Tensor>} weights of step 0 @param {Settings} settings @param {boolean} twins */
  constructor(weights, settings, twins) {
    this.settings = settings;
    this.positions = /** @type {Tensor} */ (weights.get("positions"));
    this.model = parameters(weights);
    this.twin = twins ? parameters(weights) : null;
    if (this.twin) turnLastBit(/** @type {Variable} */ (this.twin.get(TURNED)).data);
  }

  /** @returns {Generator<Step, void, void>} */
  *steps() {
    const twins = this.twin && train(this.twin, this.positions.data, this.settings);
    for (const loss of train(this.model, this.positions.data, this.settings)) {
      const twin = twins ? Number(twins.next().value) : null;
      yield { loss, twin, distance: this.twin && distance(this.model, this.twin) };
    }
  }

  /**
   * What the model writes for an example now, and its cross-attention while the right digits are dictated, heads averaged.
   * @param {number[]} digits
   */
  look(digits) {
    const weights = new Map([...this.model, ["positions", this.positions]]);
    const { numHeads } = this.settings;
    const target = [...digits].reverse();
    const start = (weights.get("target_embedding.weight")?.shape[0] ?? 0) - 1;
    const { memory } = encode(weights, digits, numHeads);
    const maps = decode(weights, [start, ...target.slice(0, -1)], memory, numHeads).cross.at(-1);
    const cells = digits.length ** 2;
    const mean = Array.from({ length: cells }, (_, cell) => {
      let sum = 0;
      for (let head = 0; head < numHeads; head++) sum += maps?.data[head * cells + cell] ?? NaN;
      return sum / numHeads;
    });
    return { map: mean, written: greedyDecode(weights, digits, digits.length, numHeads).tokens };
  }
}
