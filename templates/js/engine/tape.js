/**
 * Forward and backward: each operation returns its result and writes down how a gradient flows back through it.
 * All derivatives are written by hand. Rows are (batch · position), as in the forward engine.
 *
 * @typedef {{ shape: number[], data: Float64Array, grad: Float64Array }} Variable
 */
import { size } from "./tensor.js";

/** @param {readonly number[]} shape @param {Float64Array} [data] @returns {Variable} */
export function variable(shape, data = new Float64Array(size(shape))) {
  return { shape: [...shape], data, grad: new Float64Array(data.length) };
}

/** The operations of one forward pass, in order; `backward` runs them in reverse. */
export class Tape {
  constructor() {
    /** @type {(() => void)[]} */
    this.steps = [];
  }

  backward() {
    for (let k = this.steps.length - 1; k >= 0; k--) this.steps[k]?.();
    this.steps = [];
  }

  /**
   * Y = X Wᵀ + b; dX = dY W, dW = dYᵀ X, db = Σ dY.
   * @param {Variable} x (rows, in) @param {Variable} weight (out, in) @param {Variable} [bias] (out)
   */
  linear(x, weight, bias) {
    const [out = 0, width = 0] = weight.shape;
    const rows = x.data.length / width;
    const y = variable([rows, out]);
    const [X, W, Y, B] = [x.data, weight.data, y.data, bias?.data];
    // two outputs at once: their sums do not wait for each other
    for (let row = 0; row < rows; row++) {
      const start = row * width;
      let o = 0;
      for (; o + 1 < out; o += 2) {
        const line = o * width;
        let even = 0;
        let odd = 0;
        for (let k = 0; k < width; k++) {
          const value = X[start + k];
          even += value * W[line + k];
          odd += value * W[line + width + k];
        }
        Y[row * out + o] = even;
        Y[row * out + o + 1] = odd;
      }
      for (; o < out; o++) {
        let sum = 0;
        for (let k = 0; k < width; k++) sum += X[start + k] * W[o * width + k];
        Y[row * out + o] = sum;
      }
      if (B) for (o = 0; o < out; o++) Y[row * out + o] += B[o];
    }
    this.steps.push(() => {
      const [dX, dW, dY, dB] = [x.grad, weight.grad, y.grad, bias?.grad];
      for (let row = 0, at = 0; row < rows; row++) {
        const start = row * width;
        for (let o = 0, line = 0; o < out; o++, at++, line += width) {
          const d = dY[at];
          for (let k = 0; k < width; k++) {
            dX[start + k] += d * W[line + k];
            dW[line + k] += d * X[start + k];
          }
          if (dB) dB[o] += d;
        }
      }
    });
    return y;
  }

  /** @param {Variable} a @param {Variable} b */
  add(a, b) {
    const y = variable(a.shape);
    for (let k = 0; k < y.data.length; k++) y.data[k] = a.data[k] + b.data[k];
    this.steps.push(() => {
      for (let k = 0; k < y.data.length; k++) {
        a.grad[k] += y.grad[k];
        b.grad[k] += y.grad[k];
      }
    });
    return y;
  }

  /** @param {Variable} x */
  relu(x) {
    const y = variable(x.shape);
    for (let k = 0; k < y.data.length; k++) y.data[k] = x.data[k] > 0 ? x.data[k] : 0;
    this.steps.push(() => {
      for (let k = 0; k < y.data.length; k++) if (x.data[k] > 0) x.grad[k] += y.grad[k];
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
    const y = variable([tokens.length, width]);
    for (let row = 0; row < tokens.length; row++) {
      const from = tokens[row] * width;
      const place = (row % length) * width;
      for (let k = 0; k < width; k++) y.data[row * width + k] = table.data[from + k] + positions[place + k];
    }
    this.steps.push(() => {
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
    const y = variable(x.shape);
    const normed = new Float64Array(x.data.length);
    const scales = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      const start = row * width;
      let mean = 0;
      for (let k = 0; k < width; k++) mean += x.data[start + k];
      mean /= width;
      let variance = 0;
      for (let k = 0; k < width; k++) variance += (x.data[start + k] - mean) ** 2;
      const scale = (scales[row] = 1 / Math.sqrt(variance / width + epsilon));
      for (let k = 0; k < width; k++) {
        normed[start + k] = (x.data[start + k] - mean) * scale;
        y.data[start + k] = normed[start + k] * gamma.data[k] + beta.data[k];
      }
    }
    this.steps.push(() => {
      for (let row = 0; row < rows; row++) {
        const start = row * width;
        let mean = 0;
        let along = 0;
        for (let k = 0; k < width; k++) {
          const d = y.grad[start + k];
          gamma.grad[k] += d * normed[start + k];
          beta.grad[k] += d;
          mean += d * gamma.data[k];
          along += d * gamma.data[k] * normed[start + k];
        }
        mean /= width;
        along /= width;
        for (let k = 0; k < width; k++) {
          const g = y.grad[start + k] * gamma.data[k];
          x.grad[start + k] += (g - mean - normed[start + k] * along) * scales[row];
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
    const y = variable(queries.shape);
    const alpha = new Float64Array(batch * numHeads * numQueries * numKeys);
    /** Calls visit(query row, first key row, first feature, start of its weights, how many keys it sees). */
    const rows = (/** @type {(q: number, k: number, j: number, a: number, seen: number) => void} */ visit) => {
      for (let b = 0, a = 0; b < batch; b++) {
        for (let head = 0; head < numHeads; head++) {
          for (let query = 0; query < numQueries; query++, a += numKeys) {
            const seen = causal ? query + 1 : numKeys;
            visit((b * numQueries + query) * width, b * numKeys * width, head * headDim, a, seen);
          }
        }
      }
    };
    rows((q, k, j, a, seen) => {
      let largest = -Infinity;
      for (let key = 0; key < seen; key++) {
        let sum = 0;
        for (let f = j; f < j + headDim; f++) sum += queries.data[q + f] * keys.data[k + key * width + f];
        const score = (alpha[a + key] = sum / scale);
        if (score > largest) largest = score;
      }
      let sum = 0;
      for (let key = 0; key < seen; key++) sum += alpha[a + key] = Math.exp(alpha[a + key] - largest);
      for (let key = 0; key < seen; key++) {
        const weight = (alpha[a + key] /= sum);
        for (let f = j; f < j + headDim; f++) y.data[q + f] += weight * values.data[k + key * width + f];
      }
    });
    const dAlpha = new Float64Array(numKeys);
    this.steps.push(() => rows((q, k, j, a, seen) => {
      let along = 0;
      for (let key = 0; key < seen; key++) {
        const row = k + key * width;
        let sum = 0;
        for (let f = j; f < j + headDim; f++) {
          sum += y.grad[q + f] * values.data[row + f];
          values.grad[row + f] += alpha[a + key] * y.grad[q + f];
        }
        dAlpha[key] = sum;
        along += alpha[a + key] * sum;
      }
      for (let key = 0; key < seen; key++) {
        const row = k + key * width;
        const d = (alpha[a + key] * (dAlpha[key] - along)) / scale;
        for (let f = j; f < j + headDim; f++) {
          queries.grad[q + f] += d * keys.data[row + f];
          keys.grad[row + f] += d * queries.data[q + f];
        }
      }
    }));
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
