/**
 * A map of more cells than can be told apart one by one: pixels, and two native sliders that choose a query and a key.
 * Rows are queries, columns are keys, the scale is fixed, as on every map.
 */

import { fixed } from "./format.js";
import { pixels } from "./pixels.js";
import { html, pointIn, say, set, style, svg } from "./svg.js";

/**
 * Whole pixels a cell, so that all cells are alike.
 * @param {number} rows
 * @param {number} columns
 * @param {number} width
 * @param {number} maxHeight
 */
export function pixelLayout(rows, columns, width, maxHeight) {
  const wide = Math.max(1, Math.floor(width / columns));
  const tall = Math.max(1, Math.min(wide, Math.floor(maxHeight / rows)));
  return { cellWidth: wide, cellHeight: tall, width: wide * columns, height: tall * rows };
}

/**
 * The cell under a point of the map.
 * @param {number} x
 * @param {number} y
 * @param {{ cellWidth: number, cellHeight: number, width: number, height: number }} layout
 */
export function cellAt(x, y, layout) {
  const within = (/** @type {number} */ value, /** @type {number} */ size) => Math.min(Math.max(value, 0), size - 1);
  return { query: Math.floor(within(y, layout.height) / layout.cellHeight), key: Math.floor(within(x, layout.width) / layout.cellWidth) };
}

/**
 * @param {{ name: string, queries: string[], keys: string[], queryName: string, keyName: string, domain?: [number, number],
 *           chosen: (place: { query: number, key: number }) => void }} options
 */
export function pixelMap({ name, queries, keys, queryName, keyName, domain, chosen }) {
  const picture = pixels({ name, rows: queries.length, columns: keys.length, domain });
  const row = svg("rect", { class: "map-band" });
  const column = svg("rect", { class: "map-band" });
  const frame = svg("svg", { class: "pixel-frame", "aria-hidden": "true" }, row, column);
  const readout = html("output", { class: "readout" });
  /** @param {string} label @param {number} length */
  const slider = (label, length) => html("input", { type: "range", class: "scrub-range", min: 0, max: length - 1, step: 1, "aria-label": label });
  const queryRange = slider(queryName, queries.length);
  const keyRange = slider(keyName, keys.length);
  const surface = html("div", { class: "pixel-map" }, picture.element, frame);
  const element = html(
    "div",
    {},
    surface,
    html("label", { class: "pixel-slider" }, queryName, queryRange),
    html("label", { class: "pixel-slider" }, keyName, keyRange),
    readout,
  );
  let layout = pixelLayout(queries.length, keys.length, 300, 300);
  let place = { query: 0, key: 0 };
  /** @type {number[]} */
  let values = [];

  const tell = () => chosen({ query: queryRange.valueAsNumber, key: keyRange.valueAsNumber });
  for (const range of [queryRange, keyRange]) {
    range.addEventListener("input", tell);
  }
  /** @param {PointerEvent} event */
  const point = (event) => {
    const { x, y } = pointIn(event, surface);
    chosen(cellAt(x, y, layout));
  };
  surface.addEventListener("pointerdown", point);
  surface.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") point(event);
  });

  const mark = () => {
    const { cellWidth, cellHeight, width, height } = layout;
    set(row, { x: 0, y: place.query * cellHeight, width, height: cellHeight });
    set(column, { x: place.key * cellWidth, y: 0, width: cellWidth, height });
    const value = fixed(values[place.query * keys.length + place.key] ?? NaN, 2);
    [queryRange, keyRange].forEach((range, axis) => {
      const [index, labels] = axis === 0 ? [place.query, queries] : [place.key, keys];
      if (range.valueAsNumber !== index) range.value = String(index);
      set(range, { "aria-valuetext": `${labels[index]}: ${value}` });
      style(range, "--share", labels.length > 1 ? index / (labels.length - 1) : 0);
    });
    say(readout, `${queryName} ${queries[place.query]}, ${keyName} ${keys[place.key]}: ${value}`);
  };

  return {
    element,
    /** @param {number} width @param {number} [maxHeight] */
    resize(width, maxHeight = Infinity) {
      layout = pixelLayout(queries.length, keys.length, width, maxHeight);
      picture.resize(layout.width, layout.height);
      set(frame, { width: layout.width, height: layout.height, viewBox: `0 0 ${layout.width} ${layout.height}` });
      mark();
    },
    /** @param {number[]} shown flat, row-major: (query, key) @param {{ query: number, key: number }} at */
    show(shown, at) {
      if (shown !== values) picture.show(shown);
      values = shown;
      place = at;
      mark();
    },
    destroy: picture.destroy,
  };
}
