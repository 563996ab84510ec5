/** Histograms as outlines over one pair of fixed axes, so that several can be compared; names stand at their peaks. */

import { apart, axes } from "./axes.js";
import { chartLayout } from "./line-chart.js";
import { say, set, svg } from "./svg.js";

/** @typedef {import("./line-chart.js").Axis} Axis @typedef {import("./scale.js").Scale} Scale */

/**
 * The share of the values in each bin, as a density: the area under it is the share of values inside the edges. The last
 * bin holds its right edge.
 * @param {number[]} values
 * @param {number[]} edges ascending
 */
export function densities(values, edges) {
  const counts = new Array(Math.max(0, edges.length - 1)).fill(0);
  for (const value of values) {
    const bin = edges.findIndex((edge, index) => value >= edge && (value < (edges[index + 1] ?? NaN) || (index === edges.length - 2 && value === edges[index + 1])));
    if (bin >= 0) counts[bin] += 1;
  }
  return counts.map((count, bin) => count / values.length / ((edges[bin + 1] ?? 0) - (edges[bin] ?? 0)));
}

/**
 * The outline: up at each edge, level over each bin, from and to the ground.
 * @param {number[]} edges
 * @param {number[]} heights one a bin
 * @param {Scale} x
 * @param {Scale} y
 */
export function outline(edges, heights, x, y) {
  const ground = y.at(y.domain[0]).toFixed(1);
  const steps = heights.map((height, bin) => `V${y.at(height).toFixed(1)}H${x.at(edges[bin + 1] ?? NaN).toFixed(1)}`);
  return `M${x.at(edges[0] ?? NaN).toFixed(1)} ${ground}${steps.join("")}V${ground}`;
}

/**
 * @param {{ name: string, x: Axis, y: Axis, edges: number[], count: number }} spec  count: how many histograms are shown at once
 */
export function histogram({ name, x, y, edges, count }) {
  const frame = axes({ x: x.name, y: y.name });
  const shapes = Array.from({ length: count }, () => ({ line: svg("path", { class: "histogram-line" }), label: svg("text", { class: "histogram-name" }) }));
  const element = svg("svg", { class: "histogram", role: "img", "aria-label": name }, frame.element, ...shapes.flatMap(({ line, label }) => [line, label]));
  let layout = chartLayout({ x, y, lines: [] }, 300, 200);
  return {
    element,
    layout: () => layout,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = chartLayout({ x, y, lines: [] }, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      frame.resize(layout.plot, layout.xTicks, layout.yTicks);
    },
    /** @param {{ name: string, heights: number[], mark?: string }[]} shown */
    show(shown) {
      const tops = shown.map(({ heights }) => heights.indexOf(Math.max(...heights)));
      const levels = apart(shown.map(({ heights }, index) => layout.y.at(heights[tops[index] ?? 0] ?? NaN) - 7));
      shapes.forEach(({ line, label }, index) => {
        const entry = shown[index];
        const top = tops[index] ?? 0;
        set(line, { d: entry ? outline(edges, entry.heights, layout.x, layout.y) : undefined, class: `histogram-line ${entry?.mark ?? ""}` });
        say(label, entry?.name ?? "");
        set(label, { x: layout.x.at(((edges[top] ?? 0) + (edges[top + 1] ?? 0)) / 2), y: levels[index] ?? 0 });
      });
    },
  };
}
