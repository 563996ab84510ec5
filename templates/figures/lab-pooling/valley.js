/** The run's error over the width, dotted where the fit has gaps, and a point at the setting of now. */

import { axes } from "../../js/axes.js";
import { chartLayout, linePath } from "../../js/line-chart.js";
import { pointIn, set, svg } from "../../js/svg.js";

/** @param {{ widths: number[], picked: (width: number) => void }} options */
export function valley({ widths, picked }) {
  const spec = {
    x: { kind: /** @type {const} */ ("log"), domain: /** @type {[number, number]} */ ([widths[0] ?? 0, widths[widths.length - 1] ?? 1]), ticks: [0.05, 0.5, 5] },
    y: { domain: /** @type {[number, number]} */ ([0.38, 0.74]), ticks: [0.4, 0.5, 0.6, 0.7], name: "error by width" },
    lines: [],
  };
  const frame = axes({ y: spec.y.name });
  const partial = svg("path", { class: "lab-curve is-partial" });
  const whole = svg("path", { class: "lab-curve" });
  const least = svg("circle", { class: "lab-least", r: 6 });
  const here = svg("circle", { class: "line-dot", r: 5 });
  const element = svg("svg", { class: "lab-valley", role: "img", "aria-label": "Mean error over the width" }, frame.element, partial, whole, least, here);
  let layout = chartLayout(spec, 300, 118);
  const pick = (/** @type {PointerEvent} */ event) => picked(layout.x.from(pointIn(event, element).x));
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
    },
    /** @param {{ errors: number[], coverage: number[], best: { width: number, error: number } | null, width: number, error: number }} shown */
    show({ errors, coverage, best, width, error }) {
      const { x, y } = layout;
      set(partial, { d: linePath(widths, errors, x, y).d });
      set(whole, { d: linePath(widths, errors.map((value, index) => (coverage[index] === 1 ? value : NaN)), x, y).d });
      set(least, { cx: best ? x.at(best.width) : 0, cy: best ? y.at(best.error) : 0, visibility: best ? "visible" : "hidden" });
      set(here, { cx: x.at(width), cy: y.at(error) });
    },
  };
}
