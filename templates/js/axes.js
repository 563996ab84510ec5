/** The frame of a chart: ticks, grid lines and axis names around a plot. */

import { set, svg } from "./svg.js";

/**
 * @typedef {import("./scale.js").Scale} Scale
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Plot
 * @typedef {{ at: number, text: string }} Tick  at: pixels
 */

/**
 * Ticks whose labels do not touch: from the last backwards (the end of a scale is worth most), each needs `room` pixels.
 * @param {number[]} values
 * @param {Scale} scale
 * @param {(value: number) => string} text
 * @param {number} room
 * @returns {Tick[]}
 */
export function spaced(values, scale, text, room) {
  /** @type {Tick[]} */
  const kept = [];
  for (const value of [...values].reverse()) {
    const at = scale.at(value);
    const last = kept[0];
    if (Number.isFinite(at) && (!last || Math.abs(last.at - at) >= room)) kept.unshift({ at, text: text(value) });
  }
  return kept;
}

/**
 * Heights for names that would touch: each keeps its own or moves down to stand `gap` below the one above it. What has no
 * place (NaN) keeps none.
 * @param {number[]} wanted
 * @param {number} [gap]
 * @returns {number[]}
 */
export function apart(wanted, gap = 15) {
  const placed = [...wanted];
  const order = wanted.map((_, index) => index).filter((index) => Number.isFinite(wanted[index]));
  order.sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  order.forEach((index, rank) => {
    const above = rank > 0 ? placed[order[rank - 1] ?? 0] ?? -Infinity : -Infinity;
    placed[index] = Math.max(wanted[index] ?? 0, above + gap);
  });
  return placed;
}

/** @param {{ x?: string, y?: string }} names */
export function axes({ x, y }) {
  const grid = svg("g", { class: "axis-grid" });
  const ticks = svg("g", { class: "axis-ticks" });
  const xName = svg("text", { class: "axis-name axis-name-x" }, x ?? "");
  const yName = svg("text", { class: "axis-name" }, y ?? "");
  const element = svg("g", { class: "axes", "aria-hidden": "true" }, grid, ticks, xName, yName);
  return {
    element,
    /** Only when the width changes. @param {Plot} plot @param {Tick[]} xTicks @param {Tick[]} yTicks */
    resize(plot, xTicks, yTicks) {
      grid.replaceChildren(...yTicks.map(({ at }) => svg("line", { x1: plot.left, x2: plot.right, y1: at, y2: at })));
      ticks.replaceChildren(
        ...yTicks.map(({ at, text }) => svg("text", { class: "tick tick-y", x: plot.left - 8, y: at }, text)),
        ...xTicks.map(({ at, text }) => svg("text", { class: "tick tick-x", x: at, y: plot.bottom + 17 }, text)),
        ...xTicks.map(({ at }) => svg("line", { class: "tick-mark", x1: at, x2: at, y1: plot.bottom, y2: plot.bottom + 4 })),
      );
      set(xName, { x: plot.right, y: plot.bottom + 33 });
      set(yName, { x: plot.left, y: plot.top - 8 });
    },
  };
}
