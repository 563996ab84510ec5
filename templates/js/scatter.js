/** Samples as points under curves. A point's area is its weight; its outline stays, so that no sample vanishes. */

import { apart, axes } from "./axes.js";
import { chartLayout, linePath, roomForNames } from "./line-chart.js";
import { pointIn, say, set, svg } from "./svg.js";

/** @typedef {import("./line-chart.js").Axis} Axis */

export const LARGEST = 9;

/** Area in proportion to the weight, the largest possible weight at `LARGEST`. @param {number} weight @param {number} [most] */
export function radius(weight, most = 1) {
  return Number.isFinite(weight) && weight > 0 ? LARGEST * Math.sqrt(Math.min(1, weight / most)) : 0;
}

/**
 * Circles as one path; one of radius 0, or without a place, is not drawn.
 * @param {number[]} xs
 * @param {number[]} ys
 * @param {number[]} radii
 */
export function circles(xs, ys, radii) {
  const half = (/** @type {number} */ r, /** @type {number} */ to) => `a${r} ${r} 0 1 0 ${to} 0`;
  return radii
    .map((radius, index) => {
      const [x, y, r] = [xs[index] ?? NaN, ys[index] ?? NaN, Number(radius.toFixed(2))];
      return r > 0 && Number.isFinite(x + y) ? `M${(x - r).toFixed(2)} ${y.toFixed(2)}${half(r, 2 * r)}${half(r, -2 * r)}Z` : "";
    })
    .join("");
}

/**
 * @param {{ name: string, x: Axis, y: Axis, points: { x: number[], y: number[] }, curves: { x: number[], mark: string, name: string }[],
 *           picked?: (x: number) => void }} spec
 *   curves: their y come with `show`; an undefined y is a gap; picked: the reader points at an x
 */
export function scatter({ name, x: given, y, points, curves, picked }) {
  const x = { ...given, names: roomForNames(curves) };
  const frame = axes({ x: x.name, y: y.name });
  const cursor = svg("line", { class: "cursor" });
  // one path for all, since a page shows the same samples many times
  const rings = svg("path", { class: "point" });
  const disks = svg("path", { class: "point-weight" });
  const lines = curves.map((curve) => ({ curve, path: svg("path", { class: `line ${curve.mark}` }), label: svg("text", { class: "line-name" }, curve.name) }));
  const element = svg(
    "svg",
    { class: "scatter", role: "img", "aria-label": name },
    frame.element,
    cursor,
    disks,
    rings,
    ...lines.flatMap(({ path, label }) => [path, label]),
  );
  let layout = chartLayout({ x, y, lines: [] }, 300, 200);
  /** @type {{ x: number[], y: number[] }} in pixels */
  let places = { x: [], y: [] };
  if (picked) {
    element.classList.add("is-pickable");
    const pick = (/** @type {PointerEvent} */ event) => picked(layout.x.from(pointIn(event, element).x));
    element.addEventListener("pointerdown", pick);
    element.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) pick(event);
    });
  }
  return {
    element,
    layout: () => layout,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = chartLayout({ x, y, lines: [] }, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      frame.resize(layout.plot, layout.xTicks, layout.yTicks);
      set(cursor, { y1: layout.plot.top, y2: layout.plot.bottom });
      places = { x: points.x.map(layout.x.at), y: points.y.map(layout.y.at) };
      set(rings, { d: circles(places.x, places.y, places.x.map(() => 2.5)) });
    },
    /** @param {{ curves: number[][], weights?: number[], most?: number, cursor?: number }} shown  most: weight of the largest disk */
    show(shown) {
      const ends = lines.map((_, index) => (shown.curves[index] ?? []).findLastIndex(Number.isFinite));
      const heights = apart(ends.map((last, index) => layout.y.at(shown.curves[index]?.[last] ?? NaN)));
      lines.forEach(({ curve, path, label }, index) => {
        const last = ends[index] ?? -1;
        set(path, { d: linePath(curve.x, shown.curves[index] ?? [], layout.x, layout.y).d });
        say(label, last < 0 ? "" : curve.name);
        set(label, { x: layout.plot.right + 8, y: last < 0 ? 0 : heights[index] });
      });
      set(disks, { d: circles(places.x, places.y, places.x.map((_, index) => radius(shown.weights?.[index] ?? 0, shown.most))) });
      const at = shown.cursor === undefined ? NaN : layout.x.at(shown.cursor);
      set(cursor, { x1: Number.isFinite(at) ? at : 0, x2: Number.isFinite(at) ? at : 0, visibility: Number.isFinite(at) ? "visible" : "hidden" });
    },
  };
}
