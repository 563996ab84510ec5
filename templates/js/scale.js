/**
 * Scales from data to pixels, and their ticks. A scale is fixed when a figure is laid out and never changes per frame.
 *
 * @typedef {[number, number]} Interval
 * @typedef {{ domain: Interval, range: Interval, at: (value: number) => number, from: (pixel: number) => number }} Scale
 */

/**
 * @param {Interval} domain
 * @param {Interval} range
 * @param {(value: number) => number} bend
 * @param {(bent: number) => number} unbend
 * @returns {Scale}
 */
function bent(domain, range, bend, unbend) {
  const [low, high] = [bend(domain[0]), bend(domain[1])];
  // a flat domain maps to the start of the range
  const slope = high === low ? 0 : (range[1] - range[0]) / (high - low);
  return {
    domain,
    range,
    at: (value) => range[0] + (bend(value) - low) * slope,
    from: (pixel) => unbend(slope === 0 ? low : low + (pixel - range[0]) / slope),
  };
}

/** @param {Interval} domain @param {Interval} range */
export function linear(domain, range) {
  return bent(domain, range, (value) => value, (value) => value);
}

/** Logarithmic; zero and less have no place and come out as NaN. @param {Interval} domain @param {Interval} range */
export function logarithmic(domain, range) {
  return bent(domain, range, (value) => (value > 0 ? Math.log(value) : NaN), Math.exp);
}

/** Logarithmic in 1 + value, so that training step 0 has a place. @param {Interval} domain @param {Interval} range */
export function logarithmicFromZero(domain, range) {
  return bent(domain, range, Math.log1p, Math.expm1);
}

/**
 * Round numbers (1, 2 or 5 times a power of ten) inside the domain, about `count` of them.
 * @param {Interval} domain
 * @param {number} count
 * @returns {number[]}
 */
export function linearTicks([low, high], count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // divide by the inverse where the step is a fraction: 3 * 0.1 is not 0.3, 3 / 10 is
  const inverse = Math.round(1 / step);
  return Array.from({ length: last - first + 1 }, (_, k) => (step < 1 ? (first + k) / inverse : (first + k) * step));
}

/**
 * The powers of ten inside the domain.
 * @param {Interval} domain
 * @returns {number[]}
 */
export function powersOfTen([low, high]) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => Number(`1e${first + k}`));
}

/**
 * Ticks for training steps: 0, powers of four, and the last step; a power too near the last one gives way.
 * @param {number} last
 * @returns {number[]}
 */
export function stepTicks(last) {
  const ticks = [0];
  for (let power = 1; power * 1.7 < last; power *= 4) ticks.push(power);
  if (last > 0) ticks.push(last);
  return ticks;
}

/**
 * The positive values with a little room at both ends, for a logarithmic axis.
 * @param {number[]} values
 * @returns {Interval}
 */
export function aroundPositive(values) {
  const [low, high] = extent(values.filter((value) => value > 0));
  return [low / 1.25, high * 1.25];
}

/**
 * A whole number inside the bounds, of whatever an address may say; what is no number is the least.
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 */
export function within(value, least, most) {
  return Math.min(Math.max(Math.trunc(Number(value)) || least, least), most);
}

/**
 * From the least to the greatest of the values that are defined.
 * @param {number[]} values
 * @returns {Interval}
 */
export function extent(values) {
  const defined = values.filter(Number.isFinite);
  return [Math.min(...defined), Math.max(...defined)];
}
