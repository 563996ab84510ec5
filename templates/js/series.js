/**
 * A baked run as the page reads it: series of any rank, addressed by index or by coordinate.
 *
 * @typedef {{ axes: string[], coordinates: Record<string, (number | string)[]>, shape: number[], values: (number | null)[] }} Series
 * @typedef {{ value: number, unit?: string | null, better?: string | null }} Metric
 * @typedef {{ run: string, seed: number, parameters: Record<string, any>, metrics: Record<string, Metric>,
 *             series: Record<string, Series>, examples: Record<string, any>, weights?: WeightsIndex | null }} Run
 * @typedef {{ dtype: string, tensors: { checkpoint: number, name: string, shape: number[], offset: number }[] }} WeightsIndex
 * @typedef {{ run: Run, options: Record<string, any>, alt: string, base: string }} FigureData
 * @typedef {(change: Record<string, any>) => void} Changed
 */

/**
 * The flat, row-major values under the leading `indices`; one number is a list of one. A value that is not finite
 * is undefined and comes as NaN, which every primitive draws as a gap.
 * @param {Series} series
 * @param {...number} indices
 * @returns {number[]}
 */
export function at(series, ...indices) {
  let start = 0;
  let size = series.values.length;
  indices.forEach((index, axis) => {
    const length = series.shape[axis] ?? 0;
    if (!(index >= 0 && index < length)) throw new RangeError(`index ${index} outside axis ${series.axes[axis]} of length ${length}`);
    size /= length;
    start += index * size;
  });
  return series.values.slice(start, start + size).map((value) => value ?? NaN);
}

/**
 * The sub-array under the leading `indices` as rows along the last axis.
 * @param {Series} series
 * @param {...number} indices
 * @returns {number[][]}
 */
export function rows(series, ...indices) {
  const flat = at(series, ...indices);
  const width = series.shape[series.shape.length - 1] ?? 1;
  return Array.from({ length: flat.length / width }, (_, row) => flat.slice(row * width, (row + 1) * width));
}

/**
 * The labels of one axis as numbers, e.g. the training steps of the axis "checkpoint".
 * @param {Series} series
 * @param {string} axis
 * @returns {number[]}
 */
export function steps(series, axis) {
  return (series.coordinates[axis] ?? []).map(Number);
}

/**
 * The labels of one axis as text, for tokens.
 * @param {Series} series
 * @param {string} axis
 * @returns {string[]}
 */
export function labels(series, axis) {
  return (series.coordinates[axis] ?? []).map(String);
}

/**
 * The index of the entry of ascending `sorted` that is nearest to `value`; of two equally near the earlier one.
 * @param {number[]} sorted
 * @param {number} value
 * @returns {number}
 */
export function nearest(sorted, value) {
  let best = 0;
  sorted.forEach((entry, index) => {
    if (Math.abs(entry - value) < Math.abs((sorted[best] ?? NaN) - value)) best = index;
  });
  return best;
}

/**
 * Series of the run by name; a figure kind declares what it needs, so a missing one is an error of the build.
 * @param {Run} run
 * @param {string} name
 * @returns {Series}
 */
export function series(run, name) {
  const found = run.series[name];
  if (!found) throw new Error(`run ${run.run} has no series ${name}`);
  return found;
}
