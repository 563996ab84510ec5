/**
 * A map too small for printed values: pixels under thin lines, hatched where it is masked. Others may draw on its `layer`,
 * whose unit is a cell.
 */

import { pixels } from "./pixels.js";
import { html, set, svg } from "./svg.js";

/**
 * Strokes over the cells that are masked, in cells.
 * @param {number} n
 * @param {(query: number, key: number) => boolean} masked
 */
export function strokes(n, masked) {
  const drawn = [];
  for (let query = 0; query < n; query += 1) {
    for (let key = 0; key < n; key += 1) {
      if (masked(query, key)) drawn.push(`M${key} ${query + 0.5}l.5-.5M${key} ${query + 1}l1-1M${key + 0.5} ${query + 1}l.5-.5`);
    }
  }
  return drawn.join("");
}

/** @param {{ n: number, masked?: (query: number, key: number) => boolean }} options  n: as many queries as keys */
export function smallMap({ n, masked = () => false }) {
  const shades = pixels({ name: "", rows: n, columns: n });
  set(shades.element, { role: undefined, "aria-label": undefined });
  /** @type {number[]} */
  let shown = [];
  const ends = Array.from({ length: n + 1 }, (_, k) => `M${k} 0V${n}M0 ${k}H${n}`).join("");
  const layer = svg("g", {}, svg("path", { class: "small-map-lines", d: ends }), svg("path", { class: "map-hatch", d: strokes(n, masked) }));
  const picture = svg("svg", { viewBox: `0 0 ${n} ${n}` }, layer);
  return {
    element: html("span", { class: "small-map-box", "aria-hidden": "true" }, shades.element, picture),
    layer,
    /** @param {number} cell */
    resize(cell) {
      shades.resize(cell * n, cell * n);
      set(picture, { width: cell * n, height: cell * n });
      shades.show(shown); // what was shown before the map stood on the page had no colours
    },
    /** @param {number[]} values flat, row-major: (query, key) */
    show(values) {
      shown = values.map((value, index) => (masked(Math.floor(index / n), index % n) ? NaN : value));
      shades.show(shown);
    },
    destroy: shades.destroy,
  };
}
