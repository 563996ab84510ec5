/**
 * A map for many small cells or long tokens: rows are queries, columns keys. It shows weights, cells of one shade as one
 * path, or, without any, who may read whom: an open cell is shaded, a masked one hatched. The columns' words stand upright.
 * Hovering a cell, or reaching a row's token by key, lights its place. It is a group, so that a drawing may have several.
 */

import { weight as printed } from "./format.js";
import { pointIn, say, set, style, svg } from "./svg.js";

const LETTER = 7.3; // the width of a letter of a token
const PRINTED_FROM = 28; // the cell from which on weights are printed, as on every map
const SHADES = 20;
const LEAST = 0.05; // the least weight that is printed

/** @typedef {import("./heat-map.js").Place} Place */

/** The room that tokens need beside a map, or above it. @param {string[]} tokens */
export function room(tokens) {
  return Math.ceil(Math.max(0, ...tokens.map((token) => token.length)) * LETTER + 9);
}

/**
 * The mean of some maps, each flat.
 * @param {number[][]} maps
 */
export function mean(maps) {
  return (maps[0] ?? []).map((_, cell) => maps.reduce((sum, map) => sum + (map[cell] ?? NaN), 0) / maps.length);
}

/** What a row reads most: its key and the weight. @param {number[]} weights  flat @param {number} query @param {number} keys */
export function most(weights, query, keys) {
  const row = weights.slice(query * keys, (query + 1) * keys);
  const weight = Math.max(...row);
  return { key: row.indexOf(weight), weight };
}

/**
 * The cells that fit, as one path: squares where they are open, strokes that fill them where they are not.
 * @param {number} rows
 * @param {number} columns
 * @param {number} cell
 * @param {(query: number, key: number) => boolean} wanted
 * @param {"square" | "strokes"} drawn
 */
export function cells(rows, columns, cell, wanted, drawn) {
  const [c, half] = [cell, cell / 2];
  const mark = drawn === "square" ? `h${c}v${c}h${-c}z` : `m0 ${half}l${half} ${-half}m${-half} ${c}l${c} ${-c}m${-half} ${c}l${half} ${-half}`;
  let d = "";
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) if (wanted(row, column)) d += `M${column * c} ${row * c}${mark}`;
  }
  return d;
}

/** Gives a group so many children. @param {Element} group @param {number} count @param {() => Element} made */
function sized(group, count, made) {
  while (group.childElementCount < count) group.append(made());
  while (group.childElementCount > count) group.lastElementChild?.remove();
}

/**
 * @param {{ name: string, queries: string[], keys: string[], sides?: "both" | "queries" | "keys" | "none", truth?: (query: number) => number,
 *           lit?: (place: Place | null) => void, chosen?: (place: Place) => void }} options
 *   sides: on which sides tokens stand; truth: the key that a query should read, framed by dashes; lit: told what the reader points at, chosen: what is pressed
 */
export function tokenMap({ name, queries, keys, sides = "both", truth, lit = () => {}, chosen = () => {} }) {
  const [beside, above] = [sides === "both" || sides === "queries", sides === "both" || sides === "keys"];
  const shades = svg("g");
  const hatches = svg("path", { class: "map-hatch" });
  const grid = svg("path", { class: "map-grid" });
  const [halo, dashes, values] = [svg("path", { class: "truth-halo" }), svg("path", { class: "truth" }), svg("g", { "aria-hidden": "true" })];
  const keyTokens = above ? keys.map((token) => svg("text", { class: "map-token map-key", "aria-hidden": "true" }, token)) : [];
  const queryTokens = beside ? queries.map((token, query) => svg("text", { class: "map-token map-query", role: "button", tabindex: query ? -1 : 0, "data-query": query }, token)) : [];
  const [rowBand, columnBand] = [svg("rect", { class: "map-band" }), svg("rect", { class: "map-band" })];
  const surface = svg("rect", { class: "map-surface" });
  const element = svg("g", { class: "small-map token-map", role: "group", "aria-label": name, tabindex: -1 }, shades, hatches, grid, values, ...(truth ? [halo, dashes] : []), ...keyTokens, ...queryTokens, rowBand, columnBand, surface);
  let cell = 20;
  /** @type {(query: number, key: number) => boolean} */
  let masked = () => false;
  /** @type {number[]} */
  let weights = [];

  /** @param {Event} event @returns {Place | null} */
  const placeOf = (event) => {
    const token = event.target instanceof Element ? event.target.closest("[data-query]") : null;
    if (token) return { query: Number(token.getAttribute("data-query")), key: -1 };
    if (event.target !== surface || !(event instanceof MouseEvent)) return null;
    const { x, y } = pointIn(event, surface);
    const inside = (/** @type {number} */ value, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, Math.floor(value / cell)));
    return { query: inside(y, queries.length), key: inside(x, keys.length) };
  };
  /** @param {number} query */
  const focus = (query) => {
    const to = queryTokens[query];
    if (!to) return;
    queryTokens.forEach((token) => set(token, { tabindex: token === to ? 0 : -1 }));
    to.focus();
  };
  element.addEventListener("pointermove", (event) => lit(placeOf(event)));
  element.addEventListener("pointerleave", () => lit(null));
  element.addEventListener("focusin", (event) => lit(placeOf(event)));
  element.addEventListener("focusout", () => lit(null));
  const press = (/** @type {Event} */ event) => {
    const place = placeOf(event);
    if (place) chosen(place);
    return place !== null;
  };
  element.addEventListener("click", press);
  element.addEventListener("keydown", (event) => {
    const at = placeOf(event);
    if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
    const { query } = at;
    const last = queries.length - 1;
    const to = { ArrowUp: query - 1, ArrowLeft: query - 1, ArrowDown: query + 1, ArrowRight: query + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) focus(Math.min(last, Math.max(0, to)));
    else if (event.key !== "Enter" && event.key !== " ") return;
    else press(event);
    event.preventDefault();
  });

  const shadeOf = (/** @type {number} */ query, /** @type {number} */ key) => {
    if (masked(query, key)) return 0;
    const value = weights.length ? (weights[query * keys.length + key] ?? 0) : 0.22;
    return value < 0.005 ? 0 : Math.max(1, Math.round(value * SHADES));
  };

  function fill() {
    const drawn = Array.from({ length: SHADES }, (_, shade) => cells(queries.length, keys.length, cell, (query, key) => shadeOf(query, key) === shade + 1, "square")).flatMap((d, shade) => (d ? [{ d, shade }] : []));
    sized(shades, drawn.length, () => svg("path", { class: "map-fill" }));
    drawn.forEach(({ d, shade }, place) => set(/** @type {Element} */ (shades.children[place]), { d, "fill-opacity": (shade + 1) / SHADES }));
    // only what weighs something is worth a number
    const large = cell < PRINTED_FROM ? [] : weights.flatMap((value, index) => (value >= LEAST ? [{ value, index }] : []));
    sized(values, large.length, () => svg("g", { class: "map-cell" }, svg("rect", { class: "map-square" }), svg("text", { class: "map-value" })));
    large.forEach(({ value, index }, place) => {
      const [group, x, y] = [values.children[place], (index % keys.length) * cell, Math.floor(index / keys.length) * cell];
      const [square, text] = group?.children ?? [];
      if (!(group instanceof SVGElement) || !square || !text) return;
      style(group, "--w", value.toFixed(4));
      set(square, { x, y, width: cell, height: cell });
      set(text, { x: x + cell / 2, y: y + cell / 2 });
      say(text, printed(value));
    });
  }

  return {
    element,
    /** Puts the corner of the first cell at (x, y). @param {number} x @param {number} y @param {number} size  of a cell */
    resize(x, y, size) {
      cell = size;
      const [rows, columns] = [queries.length, keys.length];
      const [width, height] = [columns * cell, rows * cell];
      set(element, { transform: `translate(${x} ${y})` });
      const lines = [...keys, 0].map((_, k) => `M${k * cell} 0v${height}`).join("") + [...queries, 0].map((_, k) => `M0 ${k * cell}h${width}`).join("");
      set(grid, { d: lines });
      set(surface, { width, height });
      keyTokens.forEach((token, key) => {
        const word = (keys[key] ?? "").length > 1;
        set(token, { transform: `translate(${(key + 0.5) * cell + (word ? 4 : 0)} -6)${word ? " rotate(-90)" : ""}`, "text-anchor": word ? "start" : "middle" });
      });
      queryTokens.forEach((token, query) => set(token, { x: -7, y: (query + 0.5) * cell }));
      const frames = truth ? queries.map((_, query) => `M${truth(query) * cell + 1.5} ${query * cell + 1.5}h${cell - 3}v${cell - 3}h${3 - cell}z`).join("") : "";
      set(halo, { d: frames });
      set(dashes, { d: frames });
      this.mask(masked);
      this.light(null);
    },
    /** @param {(query: number, key: number) => boolean} hidden */
    mask(hidden) {
      masked = hidden;
      fill();
      set(hatches, { d: cells(queries.length, keys.length, cell, masked, "strokes") });
    },
    /** @param {number[]} shown flat, row-major: (query, key); none: only what is masked */
    show(shown) {
      weights = shown;
      fill();
    },
    /** The row of a query and the column of a key. @param {Place | null} place */
    light(place) {
      const [row, column] = [place ? place.query : -1, place ? place.key : -1];
      queryTokens.forEach((token, query) => token.classList.toggle("is-lit", query === row));
      keyTokens.forEach((token, key) => token.classList.toggle("is-lit", key === column));
      set(rowBand, { x: 0, y: Math.max(row, 0) * cell, width: keys.length * cell, height: cell, visibility: row >= 0 ? "visible" : "hidden" });
      set(columnBand, { x: Math.max(column, 0) * cell, y: 0, width: cell, height: queries.length * cell, visibility: column >= 0 ? "visible" : "hidden" });
    },
    /** What a screen reader hears of each query. @param {(query: number) => string} said */
    tell(said) {
      queryTokens.forEach((token, query) => set(token, { "aria-label": said(query) }));
    },
  };
}
