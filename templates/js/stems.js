/** Weights as stems over the axis of a chart above; the tips can be joined by the curve they come from. */

import { percent } from "./format.js";
import { linePath } from "./line-chart.js";
import { linear } from "./scale.js";
import { say, set, svg } from "./svg.js";

/** @typedef {import("./axes.js").Plot} Plot @typedef {import("./scale.js").Scale} Scale */

/**
 * One path for all stems; a weight of 0 has none.
 * @param {number[]} xs
 * @param {number[]} weights
 * @param {Scale} x
 * @param {Scale} y
 */
export function stemPath(xs, weights, x, y) {
  const ground = y.at(0).toFixed(1);
  return xs.map((value, index) => ((weights[index] ?? 0) > 0 ? `M${x.at(value).toFixed(1)} ${ground}V${y.at(weights[index] ?? 0).toFixed(1)}` : "")).join("");
}

/**
 * The index of the largest weight; of equals the one nearest to the query.
 * @param {number[]} weights
 * @param {number[]} xs
 * @param {number} query
 */
export function heaviest(weights, xs, query) {
  const far = (/** @type {number} */ index) => Math.abs((xs[index] ?? NaN) - query);
  return weights.reduce((best, weight, index) => {
    const ahead = weight - (weights[best] ?? 0);
    return ahead > 1e-9 || (Math.abs(ahead) <= 1e-9 && far(index) < far(best)) ? index : best;
  }, 0);
}

/**
 * @param {{ name: string, xs: number[], ticks: number[], note?: string }} spec  xs: where the keys stand; note: what a stem is
 */
export function stems({ name, xs, ticks, note }) {
  const ground = svg("line", { class: "stems-ground" });
  const keys = svg("path", { class: "stems-keys" });
  const curve = svg("path", { class: "stems-curve" });
  const lines = svg("path", { class: "stems-lines" });
  const cursor = svg("line", { class: "cursor" });
  const handle = svg("path", { class: "stems-handle" });
  const texts = ticks.map((tick) => svg("text", { class: "tick tick-x" }, String(tick)));
  const what = svg("text", { class: "stems-note" }, note ?? "");
  const largest = svg("text", { class: "stems-largest" });
  const element = svg("svg", { class: "stems", role: "img", "aria-label": name }, curve, lines, ground, keys, cursor, handle, ...texts, what, largest);
  let [x, height, floor, left, right] = [linear([0, 1], [0, 1]), 0, 0, 0, 0];
  return {
    element,
    /** @param {{ width: number, height: number, x: Scale, plot: Plot, numbered?: boolean }} spec  x, plot: of the chart above */
    resize(spec) {
      ({ x, height } = spec);
      left = spec.plot.left;
      floor = height - (spec.numbered === false ? 12 : 26);
      set(element, { width: spec.width, height, viewBox: `0 0 ${spec.width} ${height}` });
      set(ground, { x1: left, x2: spec.plot.right, y1: floor, y2: floor });
      set(keys, { d: xs.map((value) => `M${x.at(value).toFixed(1)} ${floor + 1}v4`).join("") });
      texts.forEach((text, index) => set(text, { x: x.at(ticks[index] ?? 0), y: floor + 21, visibility: spec.numbered === false ? "hidden" : "visible" }));
      right = spec.plot.right;
    },
    /** @param {{ weights: number[], most: number, curve: { x: number[], y: number[] }, cursor: number }} shown  most: the weight of the tallest stem there may be */
    show({ weights, most, curve: shape, cursor: query }) {
      const y = linear([0, most], [floor, 20]);
      set(lines, { d: stemPath(xs, weights, x, y) });
      set(curve, { d: linePath(shape.x, shape.y, x, y).d });
      const at = x.at(query);
      set(cursor, { x1: at, x2: at, y1: 0, y2: floor });
      set(handle, { d: `M${at.toFixed(1)} ${floor + 1}l-6 9h12Z` });
      const aside = at < (left + right) / 2; // the note keeps away from the tall stems
      set(what, { x: aside ? right : left, y: 11, "text-anchor": aside ? "end" : "start" });
      const peak = heaviest(weights, xs, query);
      const weight = weights[peak] ?? 0;
      const place = x.at(xs[peak] ?? 0);
      say(largest, weight > 0 ? percent(weight, weight < 0.1 ? 1 : 0) : "");
      set(largest, { x: Math.max(place, left + 14), y: y.at(weight) - 6 });
    },
  };
}
