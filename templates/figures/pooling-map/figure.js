/** The weights of all queries as a map: a row a query, a column a sample; below it, the row that is chosen. */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { cellAt, pixelLayout } from "../../js/pixel-map.js";
import { pixels } from "../../js/pixels.js";
import { at, nearest, series } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { html, pointIn, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";
import { FOUR, NAMES, samplesOf } from "../kernel-fit/samples.js";

/** The weight from which on a cell is as dark as can be. */
export const DARKEST = 0.25;
const LEFT = 30;
const TOP = 24;
const TICKS = [0, 1, 2, 3, 4, 5];

/**
 * The map in whole pixels a cell, and room for the chosen row below it.
 * @param {number} width
 * @param {number} queries
 * @param {number} keys
 */
export function layout(width, queries, keys) {
  const map = pixelLayout(queries, keys, width - LEFT - 4, width >= 540 ? 320 : 210);
  return { map, profile: width >= 540 ? 64 : 44 };
}

/**
 * The chosen row as the outline of steps, one a column.
 * @param {number[]} row
 * @param {number} cell
 * @param {number} height of a weight of `DARKEST`; larger ones are cut
 */
export function steps(row, cell, height) {
  return row.map((weight, key) => `M${key * cell + 1} ${height}v${(-Math.min(weight, DARKEST) / DARKEST * height).toFixed(1)}h${cell - 2}V${height}Z`).join("");
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const samples = samplesOf(run);
  const { queries } = samples;
  const count = samples.x.length;
  const maps = new Map(FOUR.map((kernel) => [kernel, at(series(run, "weights"), samples.row(kernel))]));
  const chooser = choices({ label: "kernel", values: FOUR, text: (kernel) => NAMES[kernel] ?? kernel, changed: (kernel) => changed({ kernel }) });
  const picture = pixels({ name: "Attention map: rows are queries, columns are samples", rows: queries.length, columns: count, domain: [0, DARKEST] });
  const row = svg("rect", { class: "pooling-row" });
  const column = svg("rect", { class: "pooling-column" });
  const edge = svg("rect", { class: "pooling-edge" });
  const ticks = TICKS.map((tick) => svg("text", { class: "tick tick-y" }, String(tick)));
  const names = { query: svg("text", { class: "pooling-query" }, "query"), keys: svg("text", { class: "pooling-keys" }, `${count} samples, by x`) };
  const profile = svg("path", { class: "pooling-profile" });
  const ground = svg("line", { class: "stems-ground" });
  const overlay = svg("svg", { class: "pooling-frame", "aria-hidden": "true" }, edge, row, column, ...ticks, names.query, names.keys, profile, ground);
  const surface = html("div", { class: "pooling-map" }, picture.element, overlay);
  const rows = slider({ label: "query", length: queries.length, widest: "0.00", read: (index) => fixed(queries[index] ?? NaN, 2), changed: (index) => changed({ query: queries[index] }) });
  const columns = slider({ label: "sample", length: count, widest: "00", read: (index) => String(index + 1), changed: (sample) => changed({ sample }) });
  const readout = html("p", { class: "readout" });
  root.classList.add("pooling");
  root.replaceChildren(readout, surface, rows.element, columns.element, chooser.element);

  let state = { kernel: "gaussian", query: 0, sample: 0 };
  let sizes = layout(300, queries.length, count);
  let width = 0;

  /** @param {PointerEvent} event */
  const point = (event) => {
    const { x, y } = pointIn(event, surface);
    const { query, key } = cellAt(x - LEFT, y - TOP, sizes.map);
    changed({ query: queries[query], sample: key });
  };
  surface.addEventListener("pointerdown", point);
  surface.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" || event.buttons > 0) point(event);
  });

  function draw() {
    if (!width) return;
    const { kernel, query, sample } = state;
    const { cellWidth, cellHeight } = sizes.map;
    const values = maps.get(kernel) ?? [];
    const weights = values.slice(query * count, (query + 1) * count);
    picture.show(values);
    set(row, { x: LEFT - 1, y: TOP + query * cellHeight - 1.5, width: sizes.map.width + 2, height: cellHeight + 3 });
    set(column, { x: LEFT + sample * cellWidth, y: TOP, width: cellWidth, height: sizes.map.height + 8 + sizes.profile });
    set(profile, { d: steps(weights, cellWidth, sizes.profile) });
    chooser.show(kernel);
    rows.show(query);
    columns.show(sample);
    say(readout, `Query ${fixed(queries[query] ?? NaN, 2)}, sample at ${fixed(samples.x[sample] ?? NaN, 2)}: weight ${percent(weights[sample] ?? NaN, 1)}.`);
  }

  const unobserve = whenWidthChanges(root, (now) => {
    width = now;
    sizes = layout(width, queries.length, count);
    const { map } = sizes;
    const height = TOP + map.height + 8 + sizes.profile + 4;
    picture.resize(map.width, map.height);
    set(overlay, { width, height, viewBox: `0 0 ${width} ${height}` });
    set(edge, { x: LEFT - 0.5, y: TOP - 0.5, width: map.width + 1, height: map.height + 1 });
    ticks.forEach((tick, index) => set(tick, { x: LEFT - 8, y: TOP + (nearest(queries, TICKS[index] ?? 0) + 0.5) * map.cellHeight }));
    set(names.query, { x: 0, y: 12 });
    set(names.keys, { x: LEFT + map.width / 2, y: 12 });
    set(profile, { transform: `translate(${LEFT} ${TOP + map.height + 8})` });
    set(ground, { x1: LEFT, x2: LEFT + map.width, y1: height - 4, y2: height - 4 });
    draw();
  });

  return {
    /** @param {Record<string, any>} shown */
    show(shown) {
      state = {
        kernel: FOUR.includes(String(shown.kernel)) ? String(shown.kernel) : "gaussian",
        query: nearest(queries, Number(shown.query ?? 0)),
        sample: Math.min(count - 1, Math.max(0, Math.round(Number(shown.sample ?? 0)))),
      };
      draw();
    },
    destroy() {
      picture.destroy();
      unobserve();
    },
  };
}
