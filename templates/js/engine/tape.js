/**
 * Forward and backward: each operation returns its result and writes down how a gradient flows back through it.
 * All derivatives are written by hand. Rows are (batch · position), as in the forward engine.
 *
 * @typedef {{ shape: number[], data: Float64Array, grad: Float64Array }} Variable
 */
import { size } from "./tensor.js";

/** @param {readonly number[]} shape @param {Float64Array} [data] @param {Float64Array} [grad] @returns {Variable} */
export function variable(shape, data = new Float64Array(size(shape)), grad = new Float64Array(data.length)) {
  return { shape: [...shape], data, grad };
}

/**
 * C += A Bᵀ. Two rows meet four at once: eight sums that do not wait for each other, from six numbers read.
 * @param {Float64Array} A (m, depth) @param {Float64Array} B (n, depth) @param {Float64Array} C (m, n)
 * @param {number} m @param {number} n @param {number} depth
 */
export function addProduct(A, B, C, m, n, depth) {
  for (let i = 0; i < m; i += 2) {
    // past an edge the last row is taken again, and what it gives is left
    const a0 = i * depth;
    const a1 = i + 1 < m ? a0 + depth : a0;
    for (let j = 0; j < n; j += 4) {
      const b0 = j * depth;
      const b1 = j + 1 < n ? b0 + depth : b0;
      const b2 = j + 2 < n ? b1 + depth : b1;
      const b3 = j + 3 < n ? b2 + depth : b2;
      let s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
      for (let k = 0; k < depth; k++) {
        const x = A[a0 + k];
        const y = A[a1 + k];
        const p = B[b0 + k];
        const q = B[b1 + k];
        const r = B[b2 + k];
        const s = B[b3 + k];
        s0 += x * p;
        s1 += x * q;
        s2 += x * r;
        s3 += x * s;
        t0 += y * p;
        t1 += y * q;
        t2 += y * r;
        t3 += y * s;
      }
      const at = i * n + j;
      C[at] += s0;
      if (j + 1 < n) C[at + 1] += s1;
      if (j + 2 < n) C[at + 2] += s2;
      if (j + 3 < n) C[at + 3] += s3;
      if (i + 1 === m) continue;
      C[at + n] += t0;
      if (j + 1 < n) C[at + n + 1] += t1;
      if (j + 2 < n) C[at + n + 2] += t2;
      if (j + 3 < n) C[at + n + 3] += t3;
    }
  }
}

/** (rows, columns) -> (columns, rows). @param {Float64Array} from @param {Float64Array} to @param {number} rows @param {number} columns */
function transpose(from, to, rows, columns) {
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at++) to[column * rows + row] = from[at];
  }
  return to;
}

/** The operations of one forward pass, in order; `backward` runs them in reverse. */
export class Tape {
  /** @type {(() => void)[]} */
  #steps = [];
  /** @type {Float64Array[]} */
  #buffers = [];
  #used = 0;

  /** Forgets the pass: what it wrote on is written on again by the next one. */
  rewind() {
    this.#steps = [];
    this.#used = 0;
  }

  backward() {
    for (let k = this.#steps.length - 1; k >= 0; k--) this.#steps[k]?.();
    this.#steps = [];
  }

  /** Zeros, in the memory of the pass before where it fits: all passes of a training are alike. @param {number} length */
  #zeros(length) {
    const left = this.#buffers[this.#used];
    const buffer = left?.length === length ? left.fill(0) : new Float64Array(length);
    this.#buffers[this.#used++] = buffer;
    return buffer;
  }

  /** @param {readonly number[]} shape */
  #variable(shape) {
    return variable(shape, this.#zeros(size(shape)), this.#zeros(size(shape)));
  }

  /**
   * Y = X Wᵀ + b; dX = dY W, dW = dYᵀ X, db = Σ dY.
   * @param {Variable} x (rows, in) @param {Variable} weight (out, in) @param {Variable} [bias] (out)
   */
  linear(x, weight, bias) {
    const [out = 0, width = 0] = weight.shape;
    const rows = x.data.length / width;
    const y = this.#variable([rows, out]);
    if (bias) for (let row = 0; row < rows; row++) y.data.set(bias.data, row * out);
    addProduct(x.data, weight.data, y.data, rows, out, width);
    const across = [this.#zeros(out * width), this.#zeros(rows * width), this.#zeros(rows * out)];
    this.#steps.push(() => {
      const weightAcross = transpose(weight.data, across[0], out, width);
      const xAcross = transpose(x.data, across[1], rows, width);
      const dAcross = transpose(y.grad, across[2], rows, out);
      addProduct(y.grad, weightAcross, x.grad, rows, width, out);
      addProduct(dAcross, xAcross, weight.grad, out, width, rows);
      if (bias) for (let k = 0; k < y.grad.length; k++) bias.grad[k % out] += y.grad[k];
    });
    return y;
  }

  /** @param {Variable} a @param {Variable} b */
  add(a, b) {
    const y = this.#variable(a.shape);
    const [A, B, Y, dA, dB, dY] = [a.data, b.data, y.data, a.grad, b.grad, y.grad];
    for (let k = 0; k < Y.length; k++) Y[k] = A[k] + B[k];
    this.#steps.push(() => {
      for (let k = 0; k < dY.length; k++) {
        dA[k] += dY[k];
        dB[k] += dY[k];
      }
    });
    return y;
  }

  /** @param {Variable} x */
  relu(x) {
    const y = this.#variable(x.shape);
    const [X, Y, dX, dY] = [x.data, y.data, x.grad, y.grad];
    for (let k = 0; k < Y.length; k++) if (X[k] > 0) Y[k] = X[k];
    this.#steps.push(() => {
      for (let k = 0; k < dY.length; k++) if (X[k] > 0) dX[k] += dY[k];
    });
    return y;
  }

  /**
   * Rows of a table, the code of each position added.
   * @param {Variable} table (symbols, features) @param {Int32Array} tokens (batch · length)
   * @param {Float64Array} positions (≥ length, features) @param {number} length
   */
  place(table, tokens, positions, length) {
    const width = table.shape[1] ?? 0;
    const y = this.#variable([tokens.length, width]);
    for (let row = 0; row < tokens.length; row++) {
      const from = tokens[row] * width;
      const place = (row % length) * width;
      for (let k = 0; k < width; k++) y.data[row * width + k] = table.data[from + k] + positions[place + k];
    }
    this.#steps.push(() => {
      for (let row = 0; row < tokens.length; row++) {
        const from = tokens[row] * width;
        for (let k = 0; k < width; k++) table.grad[from + k] += y.grad[row * width + k];
      }
    });
    return y;
  }

  /**
   * y = γ x̂ + β with x̂ = (x − μ) / σ. With g = γ dy: dx = (g − mean(g) − x̂ mean(g x̂)) / σ.
   * @param {Variable} x (rows, features) @param {Variable} gamma @param {Variable} beta @param {number} [epsilon]
   */
  layerNorm(x, gamma, beta, epsilon = 1e-5) {
    const width = gamma.data.length;
    const rows = x.data.length / width;
    const y = this.#variable(x.shape);
    const normed = this.#zeros(x.data.length);
    const scales = this.#zeros(rows);
    const [X, Y, G, B] = [x.data, y.data, gamma.data, beta.data];
    for (let row = 0; row < rows; row++) {
      const start = row * width;
      let mean = 0;
      for (let k = 0; k < width; k++) mean += X[start + k];
      mean /= width;
      let variance = 0;
      for (let k = 0; k < width; k++) variance += (X[start + k] - mean) ** 2;
      const scale = (scales[row] = 1 / Math.sqrt(variance / width + epsilon));
      for (let k = 0; k < width; k++) {
        const value = (normed[start + k] = (X[start + k] - mean) * scale);
        Y[start + k] = value * G[k] + B[k];
      }
    }
    this.#steps.push(() => {
      const [dX, dY, dG, dB] = [x.grad, y.grad, gamma.grad, beta.grad];
      for (let row = 0; row < rows; row++) {
        const start = row * width;
        let mean = 0;
        let along = 0;
        for (let k = 0; k < width; k++) {
          const d = dY[start + k];
          const value = normed[start + k];
          dG[k] += d * value;
          dB[k] += d;
          mean += d * G[k];
          along += d * G[k] * value;
        }
        mean /= width;
        along /= width;
        for (let k = 0; k < width; k++) {
          dX[start + k] += (dY[start + k] * G[k] - mean - normed[start + k] * along) * scales[row];
        }
      }
    });
    return y;
  }

  /**
   * Dot-product attention of every sequence of the batch, in each head's slice of the features.
   * With dα = dy vᵀ: ds = α (dα − Σ α dα), the softmax's own derivative; then dq = ds k / √d, dk = dsᵀ q / √d.
   * @param {Variable} queries (batch · query, features) @param {Variable} keys (batch · key, features)
   * @param {Variable} values (batch · key, features)
   * @param {{ batch: number, numHeads: number, causal: boolean }} how
   */
  attention(queries, keys, values, { batch, numHeads, causal }) {
    const width = queries.shape[1] ?? 0;
    const headDim = width / numHeads;
    const scale = Math.sqrt(headDim);
    const numQueries = queries.data.length / width / batch;
    const numKeys = keys.data.length / width / batch;
    const y = this.#variable(queries.shape);
    const alpha = this.#zeros(batch * numHeads * numQueries * numKeys); // (batch, head, query, key)
    const [Q, K, V, Y] = [queries.data, keys.data, values.data, y.data];
    /** Row `a` of α belongs to one query of one head. It sees `seen` keys; its features begin at `q`, theirs at `k`. */
    const rowOf = (/** @type {number} */ a) => {
      const query = a % numQueries;
      const head = Math.floor(a / numQueries) % numHeads;
      const sequence = Math.floor(a / numQueries / numHeads);
      const from = head * headDim;
      const q = (sequence * numQueries + query) * width + from;
      return { q, k: sequence * numKeys * width + from, seen: causal ? query + 1 : numKeys };
    };
    const rows = batch * numHeads * numQueries;
    for (let row = 0; row < rows; row++) {
      const { q, k, seen } = rowOf(row);
      const a = row * numKeys;
      let largest = -Infinity;
      for (let key = 0; key < seen; key++) {
        let sum = 0;
        for (let f = 0; f < headDim; f++) sum += Q[q + f] * K[k + key * width + f];
        const score = (alpha[a + key] = sum / scale);
        if (score > largest) largest = score;
      }
      let sum = 0;
      for (let key = 0; key < seen; key++) sum += alpha[a + key] = Math.exp(alpha[a + key] - largest);
      for (let key = 0; key < seen; key++) {
        const weight = (alpha[a + key] /= sum);
        for (let f = 0; f < headDim; f++) Y[q + f] += weight * V[k + key * width + f];
      }
    }
    const dAlpha = this.#zeros(numKeys);
    this.#steps.push(() => {
      const [dQ, dK, dV, dY] = [queries.grad, keys.grad, values.grad, y.grad];
      for (let row = 0; row < rows; row++) {
        const { q, k, seen } = rowOf(row);
        const a = row * numKeys;
        let along = 0;
        for (let key = 0; key < seen; key++) {
          const v = k + key * width;
          const weight = alpha[a + key];
          let sum = 0;
          for (let f = 0; f < headDim; f++) {
            const d = dY[q + f];
            sum += d * V[v + f];
            dV[v + f] += weight * d;
          }
          dAlpha[key] = sum;
          along += weight * sum;
        }
        for (let key = 0; key < seen; key++) {
          const at = k + key * width;
          const d = (alpha[a + key] * (dAlpha[key] - along)) / scale;
          for (let f = 0; f < headDim; f++) {
            dQ[q + f] += d * K[at + f];
            dK[at + f] += d * Q[q + f];
          }
        }
      }
    });
    return y;
  }

  /**
   * Mean cross-entropy in nats; dlogits = (softmax − one-hot) / rows.
   * @param {Variable} logits (rows, symbols) @param {Int32Array} targets (rows)
   * @returns {number}
   */
  crossEntropy(logits, targets) {
    const width = logits.shape[1] ?? 0;
    const rows = targets.length;
    let loss = 0;
    for (let row = 0; row < rows; row++) {
      const start = row * width;
      let largest = -Infinity;
      for (let k = 0; k < width; k++) largest = Math.max(largest, logits.data[start + k]);
      let sum = 0;
      for (let k = 0; k < width; k++) sum += Math.exp(logits.data[start + k] - largest);
      const logSum = largest + Math.log(sum);
      loss += logSum - logits.data[start + targets[row]];
      for (let k = 0; k < width; k++) {
        const hit = k === targets[row] ? 1 : 0;
        logits.grad[start + k] += (Math.exp(logits.data[start + k] - logSum) - hit) / rows;
      }
    }
    return loss / rows;
  }
}
