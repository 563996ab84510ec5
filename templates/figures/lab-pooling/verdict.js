/**
 * What is to be said of one kernel and one width, judged by the errors of the run. The least error counts among the
 * widths that leave no gap: with gaps an error speaks of the easier places only.
 *
 * @typedef {{ kernel: string, width: number, error: number, fit: number[] }} Setting  fit: NaN where it is undefined
 * @typedef {{ widths: number[], errors: number[], coverage: number[], mean: number }} Curve
 *   of the kernel over the run's widths; mean: the error of the plain mean
 */

/** Up to this many times the least error a width is near the best, a bit off, or else far off. */
export const NEAR = 1.03;
export const OFF = 1.15;
/** From this share of the plain mean's error on, a wide fit is as good as the mean. */
export const FLAT = 0.97;

/** @param {Curve} curve @returns {{ width: number, error: number }} */
export function best({ widths, errors, coverage }) {
  let [width, error] = [NaN, Infinity];
  errors.forEach((value, index) => {
    if (coverage[index] === 1 && value < error) [width, error] = [widths[index] ?? NaN, value];
  });
  return { width, error };
}

/** How many stretches of the fit, and how many of its places, are undefined. @param {number[]} fit */
export function gaps(fit) {
  const places = fit.filter((value) => !Number.isFinite(value)).length;
  const stretches = fit.filter((value, index) => !Number.isFinite(value) && (index === 0 || Number.isFinite(fit[index - 1]))).length;
  return { places, stretches };
}

/**
 * @param {Setting} setting
 * @param {Curve} curve
 * @returns {"all" | "gaps" | "near" | "narrow" | "noise" | "wide" | "flat" | "mean"}
 */
export function judged({ width, error, fit }, curve) {
  const defined = fit.filter(Number.isFinite);
  if (Math.max(...defined) - Math.min(...defined) < 1e-9) return "all";
  if (defined.length < fit.length) return "gaps";
  const least = best(curve);
  if (error <= NEAR * least.error) return "near";
  if (width < least.width) return error <= OFF * least.error ? "narrow" : "noise";
  if (error <= OFF * least.error) return "wide";
  return error < FLAT * curve.mean ? "flat" : "mean";
}

/**
 * The verdict in words: its first part is set in bold.
 * @param {Setting} setting
 * @param {Curve} curve
 * @param {(value: number) => string} written a width
 * @returns {[string, string]}
 */
export function verdict(setting, curve, written) {
  const least = best(curve);
  const against = `least error ${least.error.toFixed(2)} at ${written(least.width)}`;
  switch (judged(setting, curve)) {
    case "all":
      return ["Averages everything.", setting.kernel === "constant" ? "Distance does not count, so no width would change the line." : "Every sample is in every window: this is the plain mean."];
    case "gaps": {
      const { places, stretches } = gaps(setting.fit);
      const noisy = setting.error > OFF * least.error ? " Where there is one, it follows the noise." : "";
      return [`Leaves ${stretches} gap${stretches > 1 ? "s" : ""}.`, `At ${places} of ${setting.fit.length} queries no sample is in the window, so there is no answer.${noisy}`];
    }
    case "near":
      return ["Near the best width.", `This kernel reaches its ${against}.`];
    case "narrow":
      return ["A bit narrow.", `The curve is still restless; ${against}.`];
    case "noise":
      return ["Follows the noise.", `Too few samples speak at a time; ${against}.`];
    case "wide":
      return ["A bit wide.", `The wave begins to sink; ${against}.`];
    case "flat":
      return ["Flattens the wave.", `Samples from afar speak too loudly; ${against}.`];
    case "mean":
      return ["Averages nearly everything.", `The plain mean, for which no distance counts, errs by ${curve.mean.toFixed(2)}.`];
  }
}
