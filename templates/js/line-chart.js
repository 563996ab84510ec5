/**
 * Lines over one axis. The whole line stands as a thin ghost; what lies before the cursor is drawn in ink. Names stand at
 * the lines, not in a legend. A value that is undefined is a gap.
 */

import { apart, axes, spaced } from "./axes.js";
import { tick } from "./format.js";
import { linear, linearTicks, logarithmic, logarithmicFromZero, powersOfTen, stepTicks } from "./scale.js";
import { pointIn, say, set, svg } from "./svg.js";

/**
 * @typedef {import("./scale.js").Interval} Interval
 * @typedef {import("./scale.js").Scale} Scale
 * @typedef {"linear" | "log" | "log-from-zero"} ScaleKind
 * @typedef {{ kind?: ScaleKind, domain: Interval, name?: string, ticks?: number[], text?: (value: number) => string, hidden?: boolean, letters?: number, names?: number }} Axis
 *   letters: room to keep for the tick labels, where charts stand in line with each other; names: letters of room at the
 *   right, where the lines end
 * @typedef {{ x: number[], y: number[], name?: string, mark?: string }} Line  mark: a class that gives the stroke its role
 * @typedef {{ x: Axis, y: Axis, lines: Line[] }} ChartSpec
 */

const SCALES = { linear, log: logarithmic, "log-from-zero": logarithmicFromZero };

/** @param {Axis} axis @param {Interval} range */
export function scaleOf(axis, range) {
  return SCALES[axis.kind ?? "linear"](axis.domain, range);
}

/** @param {Axis} axis @param {number} wanted */
function ticksOf(axis, wanted) {
  if (axis.ticks) return axis.ticks;
  if (axis.kind === "log") return powersOfTen(axis.domain);
  return axis.kind === "log-from-zero" ? stepTicks(axis.domain[1]) : linearTicks(axis.domain, wanted);
}

/**
 * @param {ChartSpec} spec
 * @param {number} width
 * @param {number} height
 */
export function chartLayout(spec, width, height) {
  const text = { x: spec.x.text ?? tick, y: spec.y.text ?? tick };
  const named = spec.y.name !== undefined;
  const yValues = ticksOf(spec.y, Math.max(2, Math.floor(height / 40)));
  const widest = spec.y.letters ?? Math.max(...yValues.map((value) => text.y(value).length));
  const plot = {
    left: widest * 7.2 + 12,
    right: width - 14 - (spec.x.names ?? 0) * 7.4,
    top: named ? 24 : 8,
    bottom: height - (spec.x.hidden ? 6 : spec.x.name ? 38 : 24),
  };
  const x = scaleOf(spec.x, [plot.left, plot.right]);
  const y = scaleOf(spec.y, [plot.bottom, plot.top]);
  return {
    plot,
    x,
    y,
    xTicks: spec.x.hidden ? [] : spaced(ticksOf(spec.x, Math.floor(width / 90)), x, text.x, 30),
    yTicks: spaced(yValues, y, text.y, 16),
  };
}

/**
 * The path through the points, and how much of its text leads up to each point (so that a part of it can be drawn
 * without building it again). A point without a place breaks the line.
 * @param {number[]} xs
 * @param {number[]} ys
 * @param {Scale} x
 * @param {Scale} y
 */
export function linePath(xs, ys, x, y) {
  let d = "";
  let drawing = false;
  const ends = xs.map((value, index) => {
    const [px, py] = [x.at(value), y.at(ys[index] ?? NaN)];
    if (Number.isFinite(px) && Number.isFinite(py)) {
      d += `${drawing ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`;
      drawing = true;
    } else {
      drawing = false;
    }
    return d.length;
  });
  return { d, ends };
}

/** The index of the last of the ascending `xs` that is not beyond `value`, or -1. @param {number[]} xs @param {number} value */
export function lastUpTo(xs, value) {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The label beside the cursor, where the line is not: right of the dot on the side the line turns away from; near the
 * right edge left of it on the other side; never outside.
 * @param {number} x
 * @param {number} y
 * @param {number} letters
 * @param {boolean} rising
 * @param {{ left: number, right: number, top: number, bottom: number }} plot
 */
export function labelAt(x, y, letters, rising, plot) {
  const toRight = x + 10 + letters * 7.4 <= plot.right;
  const fitsAbove = y - 18 >= plot.top;
  const fitsBelow = y + 20 <= plot.bottom;
  const above = toRight !== rising ? fitsAbove || !fitsBelow : fitsAbove && !fitsBelow;
  return { x: x + (toRight ? 10 : -10), y: above ? Math.max(plot.top + 8, y - 9) : Math.min(y + 18, plot.bottom - 2), anchor: toRight ? "start" : "end" };
}

/** Letters of the longest name. @param {{ name?: string }[]} lines */
export function roomForNames(lines) {
  return Math.max(0, ...lines.map(({ name }) => name?.length ?? 0));
}

/**
 * @param {ChartSpec & { name: string, label?: (value: number) => string, picked?: (x: number) => void }} given
 *   name: what a screen reader calls the chart; label: text at the cursor; picked: the reader points at an x
 */
export function lineChart(given) {
  const spec = { ...given, x: { ...given.x, names: roomForNames(given.lines) } };
  const frame = axes({ x: spec.x.name, y: spec.y.name });
  const lines = spec.lines.map((line) => ({
    line,
    ghost: svg("path", { class: `line-ghost ${line.mark ?? ""}` }),
    drawn: svg("path", { class: `line ${line.mark ?? ""}` }),
    name: svg("text", { class: `line-name ${line.mark ?? ""}` }, line.name ?? ""),
    dot: svg("circle", { class: `line-dot ${line.mark ?? ""}`, r: 4.5 }),
    label: svg("text", { class: "line-label" }),
    path: { d: "", ends: /** @type {number[]} */ ([]) },
  }));
  const cursor = svg("line", { class: "cursor" });
  const element = svg(
    "svg",
    { class: "line-chart", role: "img", "aria-label": spec.name },
    frame.element,
    ...lines.map(({ ghost }) => ghost),
    cursor,
    ...lines.flatMap(({ drawn, name }) => [drawn, name]),
    ...lines.flatMap(({ dot, label }) => [dot, label]),
  );
  let layout = chartLayout(spec, 300, 200);

  if (spec.picked) {
    const { picked } = spec;
    element.classList.add("is-pickable");
    /** @param {PointerEvent} event */
    const pick = (event) => {
      const { x } = pointIn(event, element);
      picked(layout.x.from(Math.min(layout.plot.right, Math.max(layout.plot.left, x))));
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") element.setPointerCapture(event.pointerId);
      pick(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) pick(event);
    });
  }

  return {
    element,
    layout: () => layout,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = chartLayout(spec, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      frame.resize(layout.plot, layout.xTicks, layout.yTicks);
      set(cursor, { y1: layout.plot.top, y2: layout.plot.bottom });
      for (const part of lines) {
        part.path = linePath(part.line.x, part.line.y, layout.x, layout.y);
        set(part.ghost, { d: part.path.d });
      }
      const named = lines.filter(({ line }) => line.name);
      const ends = named.map(({ line }) => line.y.findLastIndex(Number.isFinite));
      const heights = apart(named.map(({ line }, index) => layout.y.at(line.y[ends[index] ?? -1] ?? NaN)));
      named.forEach(({ name }, index) => {
        if (Number.isFinite(heights[index])) set(name, { x: layout.plot.right + 8, y: heights[index] });
      });
    },
    /** Draws up to `x`; without a cursor the whole line. @param {number} [x] */
    show(x) {
      const at = x === undefined ? NaN : layout.x.at(x);
      set(cursor, { x1: Number.isFinite(at) ? at : 0, x2: Number.isFinite(at) ? at : 0, visibility: Number.isFinite(at) ? "visible" : "hidden" });
      for (const { line, path, drawn, dot, label } of lines) {
        const index = x === undefined ? line.x.length - 1 : lastUpTo(line.x, x);
        set(drawn, { d: path.d.slice(0, path.ends[index] ?? 0) });
        const value = line.y[index] ?? NaN;
        const [px, py] = [layout.x.at(line.x[index] ?? NaN), layout.y.at(value)];
        const here = x !== undefined && Number.isFinite(px) && Number.isFinite(py);
        set(dot, { cx: here ? px : 0, cy: here ? py : 0, visibility: here ? "visible" : "hidden" });
        const text = here && spec.label ? spec.label(value) : "";
        const where = here ? labelAt(px, py, text.length, (line.y[line.y.length - 1] ?? 0) > (line.y[0] ?? 0), layout.plot) : { x: 0, y: 0, anchor: "start" };
        say(label, text);
        set(label, { x: where.x, y: where.y, "text-anchor": where.anchor });
      }
    },
  };
}
