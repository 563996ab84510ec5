/**
 * Dense float64 arrays, row-major: the only value the engine knows.
 *
 * The engine is arithmetic alone: no DOM, no dependency, no randomness. It is checked against what torch
 * computed in float64, on the probes that every run carries.
 *
 * @typedef {{ shape: number[], data: Float64Array }} Tensor
 */

/** Number of elements of a shape. @param {readonly number[]} shape */
export function size(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/**
 * @param {readonly number[]} shape
 * @param {ArrayLike<number>} values flat, row-major
 * @returns {Tensor}
 */
export function tensor(shape, values) {
  if (values.length !== size(shape)) {
    throw new RangeError(`${values.length} values do not fill the shape (${shape.join(", ")})`);
  }
  return { shape: [...shape], data: values instanceof Float64Array ? values : Float64Array.from(values) };
}

/** @param {readonly number[]} shape @returns {Tensor} */
export function zeros(shape) {
  return { shape: [...shape], data: new Float64Array(size(shape)) };
}

/** The same numbers under another shape. @param {Tensor} x @param {readonly number[]} shape @returns {Tensor} */
export function reshape(x, shape) {
  return tensor(shape, x.data);
}

/**
 * Rows of a tensor seen as a matrix: everything but the last axis is a row.
 * @param {Tensor} x
 * @returns {{ rows: number, width: number }}
 */
export function matrix(x) {
  const width = x.shape[x.shape.length - 1] ?? 1;
  return { rows: x.data.length / width, width };
}

/** The sub-array at a leading index, sharing memory. @param {Tensor} x @param {number} index @returns {Tensor} */
export function at(x, index) {
  const [length, ...rest] = x.shape;
  if (!Number.isInteger(index) || index < 0 || index >= (length ?? 0)) {
    throw new RangeError(`index ${index} outside an axis of length ${length}`);
  }
  const stride = size(rest);
  return { shape: rest, data: x.data.subarray(index * stride, (index + 1) * stride) };
}

/** Stack tensors of one shape along a new first axis. @param {readonly Tensor[]} parts @returns {Tensor} */
export function stack(parts) {
  const first = parts[0];
  if (!first) throw new RangeError("nothing to stack");
  const result = zeros([parts.length, ...first.shape]);
  parts.forEach((part, k) => result.data.set(part.data, k * first.data.length));
  return result;
}

/**
 * Read the weights of one checkpoint exactly as baked. Those of int8 become the float32 numbers that they stand for:
 * whole numbers times the scale of their row, an index of the first axis.
 * @param {ArrayBuffer} buffer weights.bin: little-endian
 * @param {{ dtype: string, tensors: Entry[] }} index
 * @param {number} checkpoint training step
 * @returns {Map<string, Tensor>}
 *
 * @typedef {{ checkpoint: number, name: string, shape: number[], offset: number, dtype?: string, scale?: number }} Entry
 */
export function readWeights(buffer, index, checkpoint) {
  const view = new DataView(buffer);
  /** @type {Map<string, Tensor>} */
  const weights = new Map();
  for (const entry of index.tensors) {
    if (entry.checkpoint !== checkpoint) continue;
    const value = zeros(entry.shape);
    const dtype = entry.dtype ?? index.dtype;
    const width = dtype === "float64" ? 8 : dtype === "float32" ? 4 : 1;
    if (entry.offset + value.data.length * width > buffer.byteLength) {
      throw new RangeError(`weights end before ${entry.name}`);
    }
    for (let k = 0; k < value.data.length; k++) {
      const place = entry.offset + k * width;
      value.data[k] = width === 8 ? view.getFloat64(place, true) : width === 4 ? view.getFloat32(place, true) : view.getInt8(place);
    }
    if (entry.scale !== undefined) scaleRows(value, view, entry.scale);
    weights.set(entry.name, value);
  }
  if (!weights.size) throw new RangeError(`no weights at step ${checkpoint}`);
  return weights;
}

/** @param {Tensor} value whole numbers @param {DataView} view @param {number} scales where the float32 of each row lie */
function scaleRows(value, view, scales) {
  const width = value.data.length / (value.shape[0] || 1);
  for (let k = 0; k < value.data.length; k++) {
    const scale = view.getFloat32(scales + 4 * Math.floor(k / width), true);
    value.data[k] = Math.fround(scale * (value.data[k] ?? 0));
  }
}
