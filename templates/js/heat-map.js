/**
 * An attention map: rows are queries, columns are keys, always. One neutral ramp from 0 to 1, fixed; a masked cell is
 * hatched and never coloured; a value is printed where its cell has room for it. Hovering, tapping or focusing a cell
 * lights its two tokens, a token its whole row or column.
 */

import { fixed, weight as printed } from "./format.js";
import { say, set, style, svg } from "./svg.js";

/** From this cell size on a value is printed. */
export const PRINTED_FROM = 28;
/** Above this many cells a map belongs on a canvas (`pixel-map.js`). */
export const MOST_CELLS = 300;

/**
 * A place on the map. -1 is the token: row -1 the key tokens above, column -1 the query tokens at the side.
 * @typedef {{ query: number, key: number }} Place
 * @typedef {{ cell: number, row: number, left: number, top: number, width: number, height: number, printed: boolean }} MapLayout
 *   cell: width of a cell; row: its height, the same unless rows are made flat
 */

/**
 * @param {{ queries: number, keys: number, width: number, title?: boolean, longest?: number, maxCell?: number, maxRow?: number }} spec
 *   longest: letters in the longest query token
 * @returns {MapLayout}
 */
export function mapLayout({ queries, keys, width, title = false, longest = 1, maxCell = 46, maxRow = Infinity }) {
  const left = Math.ceil(longest * 9 + 13);
  const top = (title ? 22 : 0) + 24;
  const cell = Math.max(4, Math.floor(Math.min((width - left - 1) / keys, maxCell)));
  const row = Math.min(cell, maxRow);
  return { cell, row, left, top, width: left + cell * keys + 1, height: top + row * queries + 1, printed: row >= PRINTED_FROM };
}

/**
 * Where an arrow key leads. The tokens at the rim are places too, but their corner is not.
 * @param {Place} place
 * @param {string} key
 * @param {number} queries
 * @param {number} keys
 * @returns {Place | null}
 */
export function moved(place, key, queries, keys) {
  const { query, key: column } = place;
  const limit = (/** @type {number} */ value, /** @type {number} */ least, /** @type {number} */ most) => Math.min(Math.max(value, least), most);
  const up = column === -1 ? 0 : -1;
  const side = query === -1 ? 0 : -1;
  switch (key) {
    case "ArrowLeft":
      return { query, key: limit(column - 1, side, keys - 1) };
    case "ArrowRight":
      return { query, key: limit(column + 1, side, keys - 1) };
    case "ArrowUp":
      return { query: limit(query - 1, up, queries - 1), key: column };
    case "ArrowDown":
      return { query: limit(query + 1, up, queries - 1), key: column };
    case "Home":
      return { query, key: side };
    case "End":
      return { query, key: keys - 1 };
    default:
      return null;
  }
}

/**
 * The key each row weighs most, the first of equals; -1 for a row without a defined value.
 * @param {number[]} values flat, row-major
 * @param {number} keys
 * @returns {number[]}
 */
export function peaks(values, keys) {
  return Array.from({ length: values.length / keys }, (_, query) => {
    const row = values.slice(query * keys, (query + 1) * keys);
    return row.reduce((best, value, key) => (value > (row[best] ?? -Infinity) ? key : best), -1);
  });
}

/** Diagonal strokes that fill a cell, drawn inside it. @param {number} width @param {number} height */
export function hatch(width, height) {
  const strokes = [];
  const gap = Math.max(5, height / 5);
  for (let offset = gap; offset < width + height; offset += gap) {
    const [x0, x1] = [Math.max(0, offset - height), Math.min(width, offset)];
    strokes.push(`M${x0.toFixed(1)} ${(offset - x0).toFixed(1)} L${x1.toFixed(1)} ${(offset - x1).toFixed(1)}`);
  }
  return strokes.join(" ");
}

/**
 * @param {{ name: string, title?: string, corner?: string, queries: string[], keys: string[], maxCell?: number, maxRow?: number, ghost?: number[],
 *           masked?: (query: number, key: number) => boolean, lit?: (place: Place | null) => void }} options
 *   name: what a screen reader calls the map; corner: what the keys are, left of them; ghost: values, flat, whose peaks are outlined for good; lit: told when the reader lights a place
 */
export function heatMap({ name, title, corner, queries, keys, maxCell, maxRow, ghost = [], masked = () => false, lit = () => {} }) {
  /** @type {number[]} */
  let values = [];
  let home = { query: 0, key: 0 };
  let current = mapLayout({ queries: queries.length, keys: keys.length, width: 300 });
  const longest = Math.max(...queries.map((token) => token.length));
  const place = (/** @type {number} */ query, /** @type {number} */ key) => ({ "data-query": query, "data-key": key });
  const heading = svg("text", { class: "map-title", "aria-hidden": "true" }, title ?? "");
  const what = svg("text", { class: "map-corner", "aria-hidden": "true" }, corner ?? "");
  const keyTokens = keys.map((token, key) => svg("text", { class: "map-token map-key", role: "columnheader", ...place(-1, key), tabindex: -1 }, token));
  const queryTokens = queries.map((token, query) => svg("text", { class: "map-token map-query", role: "rowheader", ...place(query, -1), tabindex: -1 }, token));
  const cells = queries.map((_, query) =>
    keys.map((_key, key) => {
      const none = masked(query, key);
      const square = svg("rect", { class: none ? "map-square map-masked" : "map-square" });
      const text = none ? svg("path", { class: "map-hatch" }) : svg("text", { class: "map-value", "aria-hidden": "true" });
      return { square, text, none, group: svg("g", { class: "map-cell", role: "gridcell", ...place(query, key), tabindex: -1 }, square, text) };
    }),
  );
  peaks(ghost, keys.length).forEach((key, query) => cells[query]?.[key]?.square.classList.add("is-peak"));
  const rowBand = svg("rect", { class: "map-band", "aria-hidden": "true" });
  const columnBand = svg("rect", { class: "map-band", "aria-hidden": "true" });
  const element = svg(
    "svg",
    { class: "heat-map", role: "grid", "aria-label": name, tabindex: -1 }, // an svg that listens to the focus would get it itself
    heading,
    what,
    svg("g", { role: "row" }, ...keyTokens),
    ...cells.map((row, query) => svg("g", { role: "row" }, /** @type {Node} */ (queryTokens[query]), ...row.map((cell) => cell.group))),
    rowBand,
    columnBand,
  );

  /** @param {Place} at @returns {SVGElement | undefined} */
  const elementAt = ({ query, key }) => (query === -1 ? keyTokens[key] : key === -1 ? queryTokens[query] : cells[query]?.[key]?.group);
  /** @param {EventTarget | null} target @returns {Place | null} */
  const placeOf = (target) => {
    const found = target instanceof Element ? target.closest("[data-query]") : null;
    return found ? { query: Number(found.getAttribute("data-query")), key: Number(found.getAttribute("data-key")) } : null;
  };
  /** @param {Place | null} at */
  const light = (at) => {
    const { cell, left, top } = current;
    const tall = current.row;
    const row = at !== null && at.query >= 0 ? at.query : -1;
    const column = at !== null && at.key >= 0 ? at.key : -1;
    queryTokens.forEach((token, query) => token.classList.toggle("is-lit", query === row));
    keyTokens.forEach((token, key) => token.classList.toggle("is-lit", key === column));
    const one = row >= 0 && column >= 0;
    // a cell is framed by itself; a token frames its row or its column
    set(rowBand, { x: left + (one ? column * cell : 0), y: top + row * tall, width: one ? cell : cell * keys.length, height: tall, visibility: row >= 0 ? "visible" : "hidden" });
    set(columnBand, { x: left + column * cell, y: top, width: cell, height: tall * queries.length, visibility: column >= 0 && !one ? "visible" : "hidden" });
  };
  /** @param {Place} to */
  const rove = (to) => {
    set(elementAt(home) ?? element, { tabindex: -1 });
    set(elementAt(to) ?? element, { tabindex: 0 });
    home = to;
  };
  rove(home);

  element.addEventListener("pointermove", (event) => lit(placeOf(event.target)));
  element.addEventListener("pointerdown", (event) => lit(placeOf(event.target)));
  element.addEventListener("pointerleave", (event) => {
    // a lifted finger leaves what it tapped alight; a mouse that goes away does not
    if (event.pointerType === "mouse") lit(placeOf(element.contains(document.activeElement) ? document.activeElement : null));
  });
  element.addEventListener("focusin", (event) => {
    const at = placeOf(event.target);
    if (at) rove(at);
    lit(at);
  });
  element.addEventListener("focusout", (event) => {
    if (!element.contains(/** @type {Node | null} */ (event.relatedTarget))) lit(null);
  });
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = moved(home, event.key, queries.length, keys.length);
    if (!to) return;
    event.preventDefault();
    elementAt(to)?.focus();
  });

  /** @param {number} width */
  const resize = (width) => {
    current = mapLayout({ queries: queries.length, keys: keys.length, width, title: title !== undefined, longest, maxCell, maxRow });
    const { cell, row: tall, left, top } = current;
    set(element, { width: current.width, height: current.height, viewBox: `0 0 ${current.width} ${current.height}` });
    set(heading, { x: left + (cell * keys.length) / 2, y: 13 });
    set(what, { x: left - 9, y: top - 8 });
    keyTokens.forEach((token, key) => set(token, { x: left + (key + 0.5) * cell, y: top - 8 }));
    queryTokens.forEach((token, query) => set(token, { x: left - 9, y: top + (query + 0.5) * tall }));
    cells.forEach((row, query) =>
      row.forEach(({ square, text, none }, key) => {
        const [x, y] = [left + key * cell, top + query * tall];
        set(square, { x: x + 0.5, y: y + 0.5, width: cell - 1, height: tall - 1 });
        if (none) set(text, { transform: `translate(${x} ${y})`, d: hatch(cell, tall) });
        else set(text, { x: x + cell / 2, y: y + tall / 2 });
      }),
    );
    light(null);
    show(values);
    return current;
  };

  /** @param {number[]} shown flat, row-major: (query, key) */
  const show = (shown) => {
    values = shown;
    cells.forEach((row, query) =>
      row.forEach(({ text, none, group }, key) => {
        const value = values[query * keys.length + key] ?? NaN;
        const meaning = none ? "masked" : fixed(value, 2);
        set(group, { "aria-label": `query ${queries[query]}, key ${keys[key]}: ${meaning}` });
        if (none) return;
        style(group, "--w", Number.isFinite(value) ? Math.min(1, Math.max(0, value)).toFixed(4) : "0");
        say(text, current.printed ? printed(value) : "");
      }),
    );
  };

  /** Other tokens in the same places; `show` comes after it. @param {string[]} newQueries @param {string[]} newKeys */
  const rename = (newQueries, newKeys) => {
    [queries, keys] = [newQueries, newKeys];
    queryTokens.forEach((token, query) => say(token, queries[query] ?? ""));
    keyTokens.forEach((token, key) => say(token, keys[key] ?? ""));
  };

  return { element, resize, show, light, rename, layout: () => current };
}
