/** A softmax over random keys as d grows: raw scores let one weight take all, scaled ones do not. */

import { count, fixed } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, series, steps } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const NAMES = /** @type {Record<string, string>} */ ({ raw: "q · k", scaled: "q · k / √d" });
const SHORT = /** @type {Record<string, string>} */ ({ raw: "raw", scaled: "÷ √d" });
const MEASURES = [
  { name: "largest_weight", title: "largest weight", most: 1, ticks: [0, 0.5, 1] },
  { name: "entropy", title: "entropy", most: 2.4, ticks: [0, 1, 2] },
  { name: "gradient_norm", title: "gradient", most: 0.42, ticks: [0, 0.2, 0.4] },
];

/** @param {number} width */
export function layout(width) {
  const narrow = width < 460;
  const gap = narrow ? 10 : 28;
  return { bars: Math.floor((width - gap) / 2), tall: narrow ? 108 : 180, chart: Math.floor((width - 2 * gap) / 3), high: narrow ? 118 : 180 };
}

/**
 * The columns of a panel: all on one scale from 0 to 1.
 * @param {number} count
 * @param {number} width
 * @param {number} height
 */
export function columns(count, width, height) {
  const [top, ground] = [36, height - 20];
  const step = width / count;
  return { width, top, ground, step, thick: step * 0.62, x: (/** @type {number} */ column) => column * step + step * 0.19, y: (/** @type {number} */ weight) => ground - weight * (ground - top) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const examples = series(run, "example_weights");
  const scalings = labels(examples, "scaling");
  const dims = steps(examples, "d");
  const last = dims.length - 1;
  const measures = MEASURES.map(({ name }) => scalings.map((_, scaling) => at(series(run, name), scaling)));
  const means = (/** @type {number} */ scaling, /** @type {number} */ d) => measures.map((values) => values[scaling]?.[d] ?? NaN);
  const told = (/** @type {number} */ scaling, /** @type {number} */ d) => {
    const [largest, entropy, gradient] = means(scaling, d);
    return `largest ${fixed(largest ?? NaN, 2)}, entropy ${fixed(entropy ?? NaN, 2)}, gradient ${fixed(gradient ?? NaN, 2)}`;
  };

  const scrub = scrubber({
    label: "Size d of the vectors",
    playing: "d growing",
    length: dims.length,
    framesPerSecond: 2.5,
    describe: (index) => `d ${dims[index]}; raw: ${told(0, index)}; scaled: ${told(1, index)}`,
    read: (index) => `d = ${dims[index]}`,
    changed: (index) => changed({ d: dims[index] }),
  });
  const panels = scalings.map((scaling) => weightPanel(`softmax of ${NAMES[scaling]}`, `is-${scaling}`, examples.shape[2] ?? 0));
  const charts = MEASURES.map(({ title, most, ticks }, measure) =>
    lineChart({
      name: `Mean ${title} at each d, raw and scaled`,
      x: { kind: "log", domain: [0.9, (dims[last] ?? 1) * 1.1], ticks: [1, 8, 64, 512], name: "d" },
      y: { domain: [0, most], ticks, letters: 3 },
      lines: scalings.map((scaling, row) => ({ x: dims, y: measures[measure]?.[row] ?? [], mark: `is-${scaling}` })),
      picked: (d) => {
        scrub.stop();
        changed({ d: dims[nearest(dims.map(Math.log), Math.log(d))] });
      },
    }),
  );
  const values = MEASURES.map(() => scalings.map(() => html("b", {})));
  const heads = MEASURES.map(({ title }, measure) => [
    html("p", { class: "chart-title" }, title),
    html("p", { class: "chart-values" }, ...scalings.map((scaling, row) => html("span", { class: `chart-value is-${scaling}` }, html("i", { class: "swatch", "aria-hidden": "true" }), html("span", { class: "chart-word" }, SHORT[scaling] ?? scaling), values[measure]?.[row] ?? ""))),
  ]);
  root.replaceChildren(
    html("div", { class: "figure-maps" }, ...panels.map(({ element }) => element)),
    scrub.element,
    html("div", { class: "figure-maps" }, ...charts.map(({ element }, measure) => html("div", {}, ...(heads[measure] ?? []), element))),
    html("p", { class: "readout" }, `Each curve: the mean of ${count(run.parameters.trials)} draws.`),
  );

  let index = last;

  function draw() {
    scrub.show(index);
    panels.forEach((panel, scaling) => panel.show(at(examples, scaling, index)));
    charts.forEach((chart) => chart.show(dims[index]));
    values.forEach((pair, measure) => pair.forEach((value, scaling) => say(value, fixed(means(scaling, index)[measure] ?? NaN, 2))));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    for (const panel of panels) panel.resize(sizes.bars, sizes.tall);
    for (const chart of charts) chart.resize(sizes.chart, sizes.high);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(dims, Number(state.d ?? dims[last]));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}

const HALF = 16; // pixels, half a printed value

/**
 * One draw's weights as columns, the largest with its value.
 * @param {string} title
 * @param {string} mark
 * @param {number} keys
 */
function weightPanel(title, mark, keys) {
  const heading = svg("text", { class: "panel-title" }, title);
  const frame = svg("path", { class: "panel-frame" });
  const bars = Array.from({ length: keys }, () => svg("rect", { class: `column ${mark}` }));
  const value = svg("text", { class: "column-value" });
  const axis = svg("text", { class: "panel-axis" }, `${keys} keys`);
  const element = svg("svg", { class: "weight-panel", role: "img", "aria-label": title }, heading, frame, ...bars, value, axis);
  let layout = columns(keys, 200, 120);
  return {
    element,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = columns(keys, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      set(heading, { x: 0, y: 12 });
      set(axis, { x: width, y: height - 4 });
      set(frame, { d: `M0 ${layout.ground}H${width}` });
      bars.forEach((bar, column) => set(bar, { x: layout.x(column), width: layout.thick }));
    },
    /** @param {number[]} weights */
    show(weights) {
      bars.forEach((bar, column) => {
        const y = layout.y(weights[column] ?? 0);
        set(bar, { y, height: Math.max(0.75, layout.ground - y) });
      });
      const most = Math.max(...weights);
      const column = weights.indexOf(most);
      say(value, fixed(most, 2));
      const middle = layout.x(column) + layout.thick / 2;
      set(value, { x: Math.max(HALF, Math.min(layout.width - HALF, middle)), y: layout.y(most) - 5 });
      set(element, { "aria-label": `${title}, one draw: ${weights.map((weight) => fixed(weight, 2)).join(", ")}` });
    },
  };
}
