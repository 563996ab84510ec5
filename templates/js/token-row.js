/** Two rows of tokens, keys above as on a map and queries below, joined by arcs whose stroke width is the weight. */

import { fixed } from "./format.js";
import { say, set, svg } from "./svg.js";

export const MOST_STROKE = 14;

/** The centres of `count` tokens spread over `width`. @param {number} count @param {number} left @param {number} width */
export function centres(count, left, width) {
  return Array.from({ length: count }, (_, index) => left + ((index + 0.5) * width) / count);
}

/** A curve that leaves one row and enters the other upright. @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
export function arc(x0, y0, x1, y1) {
  const middle = (y0 + y1) / 2;
  return `M${x0.toFixed(1)} ${y0.toFixed(1)} C${x0.toFixed(1)} ${middle.toFixed(1)} ${x1.toFixed(1)} ${middle.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
}

/** The stroke of a weight: proportional to it, so that widths can be compared. @param {number} weight */
export function stroke(weight) {
  return Number.isFinite(weight) ? Math.max(0, weight) * MOST_STROKE : 0;
}

/**
 * @param {{ name: string, side?: string, queries: number, keys: string[], letters?: number }} options
 *   side: what the lower row is, left of it; queries: how many places the lower row has; its tokens come with `show`;
 *   letters: how long its longest token is
 */
export function tokenRows({ name, side, queries, keys, letters = 1 }) {
  const arcs = Array.from({ length: queries }, () => keys.map(() => svg("path", { class: "arc" })));
  const slots = Array.from({ length: queries }, () => svg("rect", { class: "slot", rx: 4 }));
  const below = Array.from({ length: queries }, () => svg("text", { class: "token token-query" }));
  const above = keys.map((token) => svg("text", { class: "token token-key" }, token));
  const what = svg("text", { class: "token-side", "aria-hidden": "true" }, side ?? "");
  const element = svg("svg", { class: "token-rows", role: "img", "aria-label": name }, ...arcs.flat(), what, ...slots, ...above, ...below);
  return {
    element,
    /**
     * @param {{ left: number, width: number, height: number, keysRoom?: number }} spec
     *   keysRoom: pixels for the key tokens above; 0 where they stand above already, e.g. as the head of a map
     */
    resize({ left, width, height, keysRoom = 26 }) {
      set(element, { width: left + width, height, viewBox: `0 0 ${left + width} ${height}` });
      const [xs, ys] = [centres(queries, left, width), centres(keys.length, left, width)];
      const size = Math.min(letters > 1 ? 30 : 36, width / Math.max(queries, keys.length) - 8);
      const wide = letters > 1 ? Math.min(width / queries - 4, letters * 10.3 + 14) : size;
      const slotTop = height - size - 1;
      set(what, { x: left - 9, y: slotTop + size / 2 });
      slots.forEach((slot, query) => set(slot, { x: (xs[query] ?? 0) - wide / 2, y: slotTop, width: wide, height: size }));
      below.forEach((token, query) => set(token, { x: xs[query], y: slotTop + size / 2 }));
      above.forEach((token, key) => set(token, { x: ys[key], y: 12, visibility: keysRoom > 0 ? "visible" : "hidden" }));
      arcs.forEach((row, query) => row.forEach((path, key) => set(path, { d: arc(ys[key] ?? 0, keysRoom, xs[query] ?? 0, slotTop - 4) })));
    },
    /** Other tokens above; `show` comes after it. @param {string[]} newKeys */
    rename(newKeys) {
      keys = newKeys;
      above.forEach((text, key) => say(text, keys[key] ?? ""));
    },
    /**
     * @param {string[]} tokens  what the lower row holds so far
     * @param {number[][]} weights  (query, key); a row that is not there draws no arcs
     * @param {number} current  the query whose arcs stand out; the others stay as traces; -1: all stand out
     * @param {(query: number) => boolean} [wrong]
     */
    show(tokens, weights, current, wrong = () => false) {
      arcs.forEach((row, query) =>
        row.forEach((path, key) => {
          const width = stroke(weights[query]?.[key] ?? 0);
          set(path, { "stroke-width": width, visibility: width < 0.05 ? "hidden" : "visible" });
          path.classList.toggle("is-trace", current >= 0 && query !== current);
        }),
      );
      below.forEach((text, query) => say(text, tokens[query] ?? ""));
      slots.forEach((slot, query) => {
        slot.classList.toggle("is-current", query === current);
        slot.classList.toggle("is-empty", tokens[query] === undefined);
        slot.classList.toggle("is-wrong", wrong(query));
      });
      const row = current >= 0 ? weights[current] : undefined;
      const said = row ? keys.map((key, index) => `${key} ${fixed(row[index] ?? NaN, 2)}`).join(", ") : "";
      set(element, { "aria-label": row ? `${name}. Place ${current + 1} reads ${said}` : name });
      above.forEach((text, key) => text.classList.toggle("is-lit", row !== undefined && (row[key] ?? 0) >= 0.5));
    },
  };
}
