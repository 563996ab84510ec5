/** A run of kernel pooling as its figures read it: samples, truth, and for each kernel its fits, weights and errors. */

import { LARGEST } from "../../js/scatter.js";
import { at, labels, series, steps } from "../../js/series.js";

/** @type {Record<string, string>} */
export const NAMES = { gaussian: "Gaussian", boxcar: "boxcar", constant: "constant", epanechnikov: "Epanechnikov", triangular: "triangular" };
/** The four that stand side by side. */
export const FOUR = ["gaussian", "boxcar", "constant", "epanechnikov"];

const DOT = 3.25; // radius of a sample where no weight counts

/** @param {import("../../js/series.js").Run} run */
export function samplesOf(run) {
  const [x, y, truth, weights] = [at(series(run, "sample_x")), at(series(run, "sample_y")), at(series(run, "truth")), series(run, "weights")];
  const [fit, defined] = [series(run, "fit"), series(run, "defined")];
  const kernels = labels(weights, "kernel");
  const all = [...y, ...truth];
  /** @type {[number, number]} */
  const domain = [Number(run.parameters.low), Number(run.parameters.high)];
  const row = (/** @type {string} */ kernel) => Math.max(0, kernels.indexOf(kernel));
  return {
    x,
    y,
    truth,
    domain,
    width: Number(run.parameters.width),
    queries: steps(weights, "query"),
    widths: steps(fit, "width"),
    mean: y.reduce((sum, value) => sum + value, 0) / y.length,
    axes: {
      x: { domain, ticks: [0, 1, 2, 3, 4, 5] },
      y: { domain: /** @type {[number, number]} */ ([Math.min(...all) - 0.25, Math.max(...all) + 0.25]), ticks: [0, 2, 4] },
    },
    row,
    /** All samples alike, as dots of one size. */
    alike: { weights: x.map(() => 1), most: (LARGEST / DOT) ** 2 },
    /** The estimates at all queries; NaN where no sample is in the window. @param {string} kernel @param {number} width its index */
    fit(kernel, width) {
      const known = at(defined, row(kernel), width);
      return at(fit, row(kernel), width).map((value, query) => (known[query] ? value : NaN));
    },
    /** The weights of all samples at the run's own width. @param {string} kernel @param {number} query its index */
    weights: (kernel, query) => at(weights, row(kernel), query),
    /** The largest weight that any sample has for any query, for a scale that stays; no less than a tenth. @param {string} kernel */
    most: (kernel) => Math.max(0.1, ...at(weights, row(kernel))),
  };
}
