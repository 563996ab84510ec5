/** Two errors over the width of a kernel, the best width of each marked, and a cursor at the width that is shown. */

import { axes } from "../../js/axes.js";
import { significant } from "../../js/format.js";
import { chartLayout, linePath } from "../../js/line-chart.js";
import { pointIn, say, set, svg } from "../../js/svg.js";

/** @typedef {{ values: number[], coverage: number[] }} Errors  coverage: the share of places that have an answer */

/**
 * The index of the least error among the widths that leave no gap: with gaps an error speaks of the easier places only.
 * @param {Errors} errors
 */
export function bestOf({ values, coverage }) {
  return values.reduce((best, value, index) => (coverage[index] === 1 && (best < 0 || value < (values[best] ?? Infinity)) ? index : best), -1);
}

const NAMES = { truth: "against the truth", left: "leaving one out" };

/** @param {{ widths: number[], picked: (width: number) => void }} options */
export function errorChart({ widths, picked }) {
  const spec = {
    x: { kind: /** @type {const} */ ("log"), domain: /** @type {[number, number]} */ ([widths[0] ?? 0, widths[widths.length - 1] ?? 1]), ticks: [0.05, 0.1, 0.2, 0.5, 1, 2, 5] },
    y: { domain: /** @type {[number, number]} */ ([0.28, 0.82]), ticks: [0.4, 0.6, 0.8], name: "mean error" },
    lines: [],
  };
  const frame = axes({ y: spec.y.name });
  const cursor = svg("line", { class: "cursor" });
  const parts = { truth: part("truth"), left: part("left") };
  const all = Object.values(parts);
  const element = svg("svg", { class: "error-chart is-pickable", role: "img", "aria-label": "Errors over the width" }, frame.element, cursor, ...all.flatMap(({ partial, whole }) => [partial, whole]), ...all.flatMap(({ dot, here, name }) => [dot, here, name]));
  let layout = chartLayout(spec, 300, 150);
  const pick = (/** @type {PointerEvent} */ event) => picked(layout.x.from(Math.min(layout.plot.right, Math.max(layout.plot.left, pointIn(event, element).x))));
  element.addEventListener("pointerdown", pick);
  element.addEventListener("pointermove", (event) => {
    if (event.buttons > 0) pick(event);
  });
  return {
    element,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = chartLayout(spec, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      frame.resize(layout.plot, layout.xTicks, layout.yTicks);
      set(cursor, { y1: layout.plot.top, y2: layout.plot.bottom });
    },
    /** @param {{ truth: Errors, left: Errors, best: { truth: number, left: number } | null, width: number }} shown  width: its index */
    show({ truth, left, best, width }) {
      const { x, y, plot } = layout;
      const at = x.at(widths[width] ?? NaN);
      set(cursor, { x1: at, x2: at });
      for (const [key, errors] of /** @type {const} */ ([["truth", truth], ["left", left]])) {
        const { whole, partial, dot, here, name } = parts[key];
        const full = errors.values.map((value, index) => (errors.coverage[index] === 1 ? value : NaN));
        set(whole, { d: linePath(widths, full, x, y).d });
        set(partial, { d: linePath(widths, errors.values, x, y).d });
        const index = best ? best[key] : -1;
        const [px, py] = index < 0 ? [0, 0] : [x.at(widths[index] ?? NaN), y.at(errors.values[index] ?? NaN)];
        set(dot, { cx: px, cy: py, visibility: index < 0 ? "hidden" : "visible" });
        // the name keeps clear of the curve as far as it reaches
        set(here, { cx: at, cy: y.at(errors.values[width] ?? NaN) });
        say(name, index < 0 ? NAMES[key] : `${NAMES[key]}, best at ${significant(widths[index] ?? NaN, 2)}`);
        const middle = index < 0 ? (plot.left + plot.right) / 2 : Math.min(plot.right - 92, Math.max(plot.left + 92, px));
        const heights = errors.values.filter((_, k) => Math.abs(x.at(widths[k] ?? NaN) - middle) < 100).map((value) => y.at(value));
        set(name, { x: middle, y: key === "truth" ? Math.min(plot.bottom - 4, Math.max(...heights) + 20) : Math.max(plot.top + 8, Math.min(...heights) - 11) });
      }
    },
  };
}

/** @param {"truth" | "left"} key */
function part(key) {
  return {
    partial: svg("path", { class: `error-line is-partial is-${key}` }),
    whole: svg("path", { class: `error-line is-${key}` }),
    dot: svg("circle", { class: `error-best is-${key}`, r: 5 }),
    here: svg("circle", { class: `error-here is-${key}`, r: 4 }),
    name: svg("text", { class: `error-name is-${key}` }),
  };
}
