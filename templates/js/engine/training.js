/**
 * The reverser's training in the reader's browser: the same initial weights, batches, clip and Adam as the bake.
 * @typedef {import("./tape.js").Variable} Variable
 * @typedef {import("./tensor.js").Tensor} Tensor
 * @typedef {{ steps: number, batchSize: number, learningRate: number, maxNorm: number, numHeads: number,
 *   seed: number, length: number, decay: boolean }} Settings
 */
import { countBlocks } from "./transformer.js";
import { integers } from "./streams.js";
import { Tape, variable } from "./tape.js";

/** Parameters as variables; what is not trained (the position codes) stays a tensor. @param {Map<string, Tensor>} weights */
export function parameters(weights) {
  /** @type {Map<string, Variable>} */
  const result = new Map();
  for (const [name, { shape, data }] of weights) {
    if (name !== "positions") result.set(name, variable(shape, data.slice()));
  }
  return result;
}

/** The strings that update `step` learns from. @param {Settings} settings @param {number} step */
export function batch({ seed, batchSize, length }, step) {
  const count = batchSize * length;
  return Int32Array.from(integers(seed, "batches", count, 10, step * count));
}

/**
 * Mean cross-entropy of writing the mirrored strings with the true digits so far at hand; `tape` can go back from it.
 * @param {Map<string, Variable>} model
 * @param {Float64Array} positions
 * @param {Int32Array} source (batch · length)
 * @param {{ length: number, numHeads: number }} settings
 * @param {Tape} [tape] one whose memory may be used again
 */
export function teacherForcedLoss(model, positions, source, { length, numHeads }, tape = new Tape()) {
  tape.rewind();
  const batchSize = source.length / length;
  const targets = new Int32Array(source.length);
  const inputs = new Int32Array(source.length);
  const get = (/** @type {string} */ name) => {
    const value = model.get(name);
    if (!value) throw new RangeError(`no weight named ${name}`);
    return value;
  };
  const start = (get("target_embedding.weight").shape[0] ?? 0) - 1;
  for (let b = 0; b < source.length; b += length) {
    for (let k = 0; k < length; k++) targets[b + k] = source[b + length - 1 - k];
    inputs[b] = start;
    for (let k = 1; k < length; k++) inputs[b + k] = targets[b + k - 1];
  }
  const attend = (/** @type {string} */ name, /** @type {Variable} */ x, /** @type {Variable} */ memory, causal = false) => {
    const project = (/** @type {string} */ part, /** @type {Variable} */ input) => tape.linear(input, get(`${name}.${part}.weight`));
    const heads = tape.attention(project("W_q", x), project("W_k", memory), project("W_v", memory), { batch: batchSize, numHeads, causal });
    return project("W_o", heads);
  };
  const addNorm = (/** @type {string} */ name, /** @type {Variable} */ x, /** @type {Variable} */ y) =>
    tape.layerNorm(tape.add(x, y), get(`${name}.norm.weight`), get(`${name}.norm.bias`));
  const feedForward = (/** @type {string} */ name, /** @type {Variable} */ x) => {
    const hidden = tape.relu(tape.linear(x, get(`${name}.dense1.weight`), get(`${name}.dense1.bias`)));
    return tape.linear(hidden, get(`${name}.dense2.weight`), get(`${name}.dense2.bias`));
  };

  let memory = tape.place(get("source_embedding.weight"), source, positions, length);
  for (let block = 0; block < countBlocks(model, "encoder"); block++) {
    const name = `encoder.${block}`;
    memory = addNorm(`${name}.addnorm1`, memory, attend(`${name}.attention`, memory, memory));
    memory = addNorm(`${name}.addnorm2`, memory, feedForward(`${name}.ffn`, memory));
  }
  let x = tape.place(get("target_embedding.weight"), inputs, positions, length);
  for (let block = 0; block < countBlocks(model, "decoder"); block++) {
    const name = `decoder.${block}`;
    x = addNorm(`${name}.addnorm1`, x, attend(`${name}.self_attention`, x, x, true));
    x = addNorm(`${name}.addnorm2`, x, attend(`${name}.cross_attention`, x, memory));
    x = addNorm(`${name}.addnorm3`, x, feedForward(`${name}.ffn`, x));
  }
  const logits = tape.linear(x, get("output.weight"), get("output.bias"));
  return { loss: tape.crossEntropy(logits, targets), tape };
}

/** Adam with gradient clipping, as the bake computes them (Kingma and Ba 2015; Pascanu et al. 2013). */
export class Adam {
  /** @param {Map<string, Variable>} model @param {{ beta1?: number, beta2?: number, epsilon?: number }} [betas] */
  constructor(model, { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = {}) {
    this.variables = [...model.values()];
    this.means = this.variables.map(({ data }) => new Float64Array(data.length));
    this.squares = this.variables.map(({ data }) => new Float64Array(data.length));
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
    // running products: libraries disagree on the last bit of pow
    this.power1 = 1;
    this.power2 = 1;
  }

  /** Moves every parameter, then forgets the gradients. @param {number} rate @param {number} maxNorm */
  step(rate, maxNorm) {
    let square = 0;
    for (const { grad } of this.variables) for (let k = 0; k < grad.length; k++) square += grad[k] * grad[k];
    const factor = Math.min(1, maxNorm / (Math.sqrt(square) + 1e-6));
    this.power1 *= this.beta1;
    this.power2 *= this.beta2;
    const size = rate / (1 - this.power1);
    const root = Math.sqrt(1 - this.power2);
    this.variables.forEach(({ data, grad }, which) => {
      const mean = /** @type {Float64Array} */ (this.means[which]);
      const squares = /** @type {Float64Array} */ (this.squares[which]);
      for (let k = 0; k < data.length; k++) {
        const g = grad[k] * factor;
        mean[k] = mean[k] * this.beta1 + g * (1 - this.beta1);
        squares[k] = squares[k] * this.beta2 + g * g * (1 - this.beta2);
        data[k] -= (size * mean[k]) / (Math.sqrt(squares[k]) / root + this.epsilon);
        grad[k] = 0;
      }
    });
  }
}

/**
 * Yields, for t = 0 … steps, the loss of the weights after t updates on the batch that update t + 1 uses.
 * @param {Map<string, Variable>} model
 * @param {Float64Array} positions
 * @param {Settings} settings
 * @returns {Generator<number, void, void>}
 */
export function* train(model, positions, settings) {
  const adam = new Adam(model);
  const memory = new Tape();
  for (let step = 0; step <= settings.steps; step++) {
    const { loss, tape } = teacherForcedLoss(model, positions, batch(settings, step), settings, memory);
    yield loss;
    if (step === settings.steps) return;
    tape.backward();
    const rate = settings.learningRate * (settings.decay ? 1 - step / settings.steps : 1);
    adam.step(rate, settings.maxNorm);
  }
}
