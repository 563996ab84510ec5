/** Dot products of random vectors: one histogram a size d, its spread measured below it, all on axes that never move. */

import { chartLayout } from "../../js/line-chart.js";
import { choices } from "../../js/choices.js";
import { count, fixed, percent, significant } from "../../js/format.js";
import { outline } from "../../js/histogram.js";
import { axes } from "../../js/axes.js";
import { scrubber } from "../../js/scrub.js";
import { at, nearest, rows, series, steps } from "../../js/series.js";
import { html, pointIn, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * The edges of bins of equal width around their centres.
 * @param {number[]} centres
 */
export function edges(centres) {
  const half = ((centres[1] ?? 0) - (centres[0] ?? 0)) / 2;
  return [...centres.map((centre) => centre - half), (centres[centres.length - 1] ?? 0) + half];
}

/**
 * Where the two charts stand. On a phone the second one gives way: its number stays in the readout.
 * @param {number} width
 */
export function layout(width) {
  const narrow = width < 540;
  const side = narrow ? 0 : 190;
  return { histogram: narrow ? width : width - side - 24, height: narrow ? 232 : 340, side };
}

/** From this size on the scaled histograms are one curve: at most a hundredth of the draws lies elsewhere. */
const SAME = 0.01;
const GHOSTS = [2, 8, 32, 128, 512];

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const variance = series(run, "variance");
  const dims = steps(variance, "d");
  const last = dims.length - 1;
  const normal = at(series(run, "normal_histogram"));
  const distance = at(series(run, "distance_to_normal"));
  const kinds = {
    raw: kind(run, "raw_histogram", "score", at(variance), "q · k", [-50, -25, 0, 25, 50], 0.5),
    scaled: kind(run, "scaled_histogram", "scaled_score", at(series(run, "scaled_variance")), "q · k / √d", [-4, -2, 0, 2, 4], 0.19),
  };
  const how = choices({
    label: "score",
    values: /** @type {("raw" | "scaled")[]} */ (["raw", "scaled"]),
    text: (value) => kinds[value].name,
    said: (value) => (value === "raw" ? "q times k" : "q times k, divided by the root of d"),
    changed: (value) => changed({ scaling: value }),
  });
  const scrub = scrubber({
    label: "Size d of the vectors",
    playing: "d growing",
    length: dims.length,
    framesPerSecond: 2.5,
    describe: (index) => `d ${dims[index]}, variance ${fixed(kinds[shown].variance[index] ?? NaN, 2)}`,
    read: (index) => `d = ${dims[index]}`,
    changed: (index) => changed({ d: dims[index] }),
  });
  const shape = histogramOf(normal);
  const spread = spreadChart(dims, (index) => {
    scrub.stop();
    changed({ d: dims[index] });
  });
  const charts = html("div", { class: "figure-maps" }, shape.element, spread.element);
  const readout = html("p", { class: "readout" });
  root.replaceChildren(how.element, charts, scrub.element, readout);

  let index = last;
  /** @type {"raw" | "scaled"} */
  let shown = "raw";

  function draw() {
    const { variance: measured, histograms } = kinds[shown];
    const value = measured[index] ?? NaN;
    const d = dims[index] ?? 1;
    how.show(shown);
    scrub.show(index);
    shape.show(kinds[shown], index, dims, shown === "scaled", Math.sqrt(shown === "raw" ? d : 1));
    spread.show(measured, index, shown === "scaled");
    const near = distance[index] ?? NaN;
    const expected = shown === "raw" ? `d itself is ${d}` : "the target is 1";
    const form = near <= SAME ? "the bell of N(0, 1)" : `not yet a bell: ${percent(near)} of the draws lie elsewhere`;
    say(readout, `Variance ${fixed(value, shown === "raw" ? 1 : 3)}; ${expected}.${shown === "scaled" ? ` Shape: ${form}.` : ""}`);
    set(shape.element, { "aria-label": `Histogram of ${kinds[shown].name} over ${count(run.parameters.draws)} draws at d = ${d}: variance ${fixed(value, 2)}, highest bin ${percent(Math.max(...(histograms[index] ?? [])), 1)}` });
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const { histogram, height, side } = layout(width);
    spread.element.toggleAttribute("hidden", side === 0);
    for (const each of Object.values(kinds)) each.layout = chartLayout({ x: each.x, y: each.y, lines: [] }, histogram, height);
    shape.resize(histogram, height);
    if (side) spread.resize(side, height);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(dims, Number(state.d ?? dims[last]));
      shown = state.scaling === "scaled" ? "scaled" : "raw";
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}

/**
 * What is drawn of a way to score: the histograms, their edges, the measured variances and the axes.
 * @param {import("../../js/series.js").Run} run
 * @param {string} histograms
 * @param {string} axis
 * @param {number[]} variance
 * @param {string} name
 * @param {number[]} ticks
 * @param {number} most  where the axis of the shares ends
 */
function kind(run, histograms, axis, variance, name, ticks, most) {
  const found = series(run, histograms);
  const bins = edges(steps(found, axis));
  /** @type {import("../../js/line-chart.js").Axis} */
  const x = { domain: [bins[0] ?? 0, bins[bins.length - 1] ?? 0], ticks, name };
  /** @type {import("../../js/line-chart.js").Axis} */
  const y = { domain: [0, most], ticks: [0, 0.1, 0.2, 0.3, 0.4].filter((tick) => tick < most), name: "share of draws", text: (value) => percent(value), letters: 4 };
  return { name, variance, bins, histograms: rows(found), x, y, layout: chartLayout({ x, y, lines: [] }, 300, 200) };
}
/** @typedef {ReturnType<typeof kind>} Kind */

/** @param {number[]} normal */
function histogramOf(normal) {
  const frame = axes({});
  const ghosts = GHOSTS.map(() => svg("path", { class: "histogram-ghost" }));
  const filled = svg("path", { class: "histogram-filled" });
  const bell = svg("path", { class: "histogram-bell" });
  const bellName = svg("text", { class: "histogram-bell-name" }, "N(0, 1)");
  const width = svg("path", { class: "histogram-width" });
  const ends = svg("path", { class: "histogram-ends" });
  const widthName = svg("text", { class: "histogram-width-name" });
  const label = svg("text", { class: "histogram-label" });
  const element = svg("svg", { class: "histogram", role: "img" }, frame.element, ...ghosts, filled, bell, bellName, ends, width, widthName, label);
  const [xName, yName] = frame.element.querySelectorAll(".axis-name");
  /** @type {Kind | null} */
  let framed = null;
  return {
    element,
    /** @param {number} wide @param {number} high */
    resize(wide, high) {
      framed = null;
      set(element, { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
    },
    /**
     * @param {Kind} kind @param {number} index @param {number[]} dims @param {boolean} isScaled
     * @param {number} deviation  that of the theory: √d, or 1 when scaled
     */
    show(kind, index, dims, isScaled, deviation) {
      const { plot, x, y, xTicks, yTicks } = kind.layout;
      if (framed !== kind) {
        frame.resize(plot, xTicks, yTicks);
        say(/** @type {Element} */ (xName), kind.x.name ?? "");
        say(/** @type {Element} */ (yName), kind.y.name ?? "");
        ghosts.forEach((path, ghost) => set(path, { d: outline(kind.bins, kind.histograms[dims.indexOf(GHOSTS[ghost] ?? 0)] ?? [], x, y) }));
        set(bell, { d: isScaled ? outline(kind.bins, normal, x, y) : undefined });
        framed = kind;
      }
      const heights = kind.histograms[index] ?? [];
      set(filled, { d: outline(kind.bins, heights, x, y) });
      const [low, high] = [x.at(-deviation), x.at(deviation)];
      // always at one height, so that only its width tells the size
      const level = Math.round(plot.top + (plot.bottom - plot.top) * 0.42);
      set(width, { d: `M${low.toFixed(1)} ${level}H${high.toFixed(1)}` });
      set(ends, { d: `M${low.toFixed(1)} ${level - 6}V${plot.bottom}M${high.toFixed(1)} ${level - 6}V${plot.bottom}` });
      say(widthName, isScaled ? "±1" : `±√d = ±${significant(deviation, 3)}`);
      set(widthName, { x: high + 8, y: level });
      set(bellName, { x: x.at(1.55), y: y.at(0.032), visibility: isScaled ? "visible" : "hidden" });
      say(label, `d = ${dims[index]}`);
      set(label, { x: plot.right, y: plot.top + 14 });
    },
  };
}

/**
 * The measured variance at each d, against the line it should lie on. It can be pressed, and the scrubber does the same.
 * @param {number[]} dims
 * @param {(index: number) => void} picked
 */
function spreadChart(dims, picked) {
  const frame = axes({ x: "d", y: "variance" });
  const line = svg("path", { class: "spread-line" });
  const name = svg("text", { class: "spread-name" });
  const dots = dims.map(() => svg("circle", { class: "spread-dot" }));
  const value = svg("text", { class: "line-label" });
  const element = svg("svg", { class: "line-chart is-pickable", role: "img", "aria-label": "Measured variance at each d" }, frame.element, line, name, ...dots, value);
  /** @type {[number, number]} */
  const all = [0.7, 800];
  const some = [1, 8, 64, 512];
  /** @param {boolean} isScaled */
  const specOf = (isScaled) => ({
    x: { kind: /** @type {const} */ ("log"), domain: all, ticks: some, name: "d" },
    y: isScaled ? { domain: /** @type {[number, number]} */ ([0, 2]), ticks: [0, 1, 2], name: "variance", letters: 3 } : { kind: /** @type {const} */ ("log"), domain: all, ticks: some, name: "variance", letters: 3 },
    lines: [],
  });
  let size = { width: 190, height: 300 };
  let layout = chartLayout(specOf(false), size.width, size.height);
  /** @type {boolean | null} */
  let framed = null;
  element.addEventListener("pointerdown", (event) => {
    const d = layout.x.from(pointIn(event, element).x);
    picked(nearest(dims.map(Math.log), Math.log(d)));
  });
  return {
    element,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      size = { width, height };
      framed = null;
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
    },
    /** @param {number[]} variances @param {number} index @param {boolean} isScaled */
    show(variances, index, isScaled) {
      if (framed !== isScaled) {
        framed = isScaled;
        layout = chartLayout(specOf(isScaled), size.width, size.height);
        const { plot, x, y } = layout;
        frame.resize(plot, layout.xTicks, layout.yTicks);
        set(line, { d: `M${plot.left} ${y.at(isScaled ? 1 : (all[0])).toFixed(1)}L${plot.right} ${y.at(isScaled ? 1 : all[1]).toFixed(1)}` });
        say(name, isScaled ? "1, whatever d" : "variance = d");
        set(name, isScaled ? { x: plot.right, y: y.at(1) + 24, "text-anchor": "end" } : { x: x.at(11), y: y.at(3), "text-anchor": "start" });
        dots.forEach((dot, place) => set(dot, { cx: x.at(dims[place] ?? NaN), cy: y.at(variances[place] ?? NaN) }));
      }
      dots.forEach((dot, place) => set(dot, { r: place === index ? 5.5 : 3, class: `spread-dot ${place === index ? "is-chosen" : ""}` }));
      const measured = variances[index] ?? NaN;
      say(value, significant(measured, measured >= 100 ? 4 : 3));
      const px = layout.x.at(dims[index] ?? NaN);
      const toRight = px < layout.plot.left + 60;
      set(value, { x: px + (toRight ? 10 : -10), y: layout.y.at(measured) - 8, "text-anchor": toRight ? "start" : "end" });
    },
  };
}
