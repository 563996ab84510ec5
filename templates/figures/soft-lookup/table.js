/** The table itself: keys, a bar and a number for each, values; and, for the exact lookup, the way to the one row. */

import { fixed, percent } from "../../js/format.js";
import { say, set, svg } from "../../js/svg.js";

/**
 * @typedef {ReturnType<typeof import("./figure.js").layout>} Layout
 * @typedef {import("./figure.js").View} View
 */

/**
 * A bar from zero: of a score from −1 to 1 it starts in the middle of its room, of a weight at its left.
 * @param {number} value
 * @param {number} left
 * @param {number} room
 * @param {boolean} signed
 */
export function bar(value, left, room, signed) {
  if (!Number.isFinite(value)) return { x: left, width: 0 };
  if (!signed) return { x: left, width: Math.max(0, value) * room };
  const [zero, size] = [left + room / 2, (Math.abs(value) * Math.max(0, room)) / 2];
  return { x: value < 0 ? zero - size : zero, width: size };
}

/** @param {{ last: string, first: string, year: number }[]} entries */
export function table(entries) {
  const lines = entries.map((entry) => ({
    rule: svg("line", { class: "lookup-rule" }),
    bar: svg("rect", { class: "lookup-bar" }),
    key: svg("text", { class: "lookup-key" }, entry.last),
    number: svg("text", { class: "lookup-number" }),
    first: svg("text", { class: "lookup-value" }, entry.first),
    year: svg("text", { class: "lookup-value lookup-year" }, String(entry.year)),
  }));
  const heads = { key: svg("text", { class: "lookup-head" }), number: svg("text", { class: "lookup-head is-end" }), first: svg("text", { class: "lookup-head" }), year: svg("text", { class: "lookup-head is-end" }) };
  const zero = svg("line", { class: "lookup-zero" });
  const ends = ["−1", "0", "1"].map((text) => svg("text", { class: "lookup-end" }, text));
  const band = svg("rect", { class: "lookup-band", rx: 4 });
  const asked = svg("text", { class: "lookup-query" });
  const way = svg("path", { class: "lookup-way" });
  const nothing = svg("text", { class: "lookup-nothing" });
  const element = svg(
    "svg",
    { class: "lookup", role: "img" },
    band,
    ...Object.values(heads),
    zero,
    ...ends,
    ...lines.flatMap((line) => Object.values(line)),
    asked,
    way,
    nothing,
  );
  const visible = (/** @type {boolean} */ yes) => (yes ? "visible" : "hidden");

  return {
    element,
    /** @param {Layout} sizes @param {View} view @param {{ query: string, found: number, values: number[] }} shown */
    show({ columns, row, top, letter, wide }, view, { query, found, values }) {
      const [exact, signed] = [view === "table", view === "scores"];
      const middle = (/** @type {number} */ index) => top + (index + 0.5) * row;
      const best = Math.max(...values);
      lines.forEach((line, index) => {
        const y = middle(index);
        const value = values[index] ?? NaN;
        const chosen = exact ? index === found : best - value < 0.001;
        set(line.rule, { x1: columns.key, x2: columns.year, y1: y + row / 2, y2: y + row / 2, visibility: visible(exact && index < lines.length - 1) });
        set(line.key, { x: columns.key, y });
        set(line.first, { x: columns.first, y, visibility: visible(!signed) });
        set(line.year, { x: columns.year, y, visibility: visible(exact) });
        const { x, width } = bar(value, columns.bar, columns.room, signed);
        const thick = Math.min(18, row * 0.55);
        set(line.bar, { x, width: exact ? 0 : width, y: y - thick / 2, height: thick, class: `lookup-bar${chosen ? " is-chosen" : ""}` });
        set(line.number, { x: columns.number, y, visibility: visible(!exact), class: `lookup-number${chosen ? " is-chosen" : ""}` });
        say(line.number, signed ? fixed(value, 3) : percent(value));
      });
      set(heads.key, { x: columns.key, y: top - 12 });
      set(heads.number, { x: columns.number, y: top - 12 });
      set(heads.first, { x: columns.first, y: top - 12, visibility: visible(!signed) });
      set(heads.year, { x: columns.year, y: top - 12, visibility: visible(exact) });
      say(heads.key, exact ? "last name" : "key");
      say(heads.number, exact ? "" : signed ? "score" : "weight");
      say(heads.first, exact ? "first name" : "value");
      say(heads.year, "year");

      const zeroAt = columns.bar + columns.room / 2;
      const bottom = top + lines.length * row;
      set(zero, { x1: signed ? zeroAt : columns.bar, x2: signed ? zeroAt : columns.bar, y1: top, y2: bottom, visibility: visible(!exact) });
      ends.forEach((text, index) => set(text, { x: columns.bar + (index * columns.room) / 2, y: bottom + 15, visibility: visible(signed) }));

      const y = middle(found < 0 ? 2.5 : found);
      const letters = query.length * letter;
      set(band, { x: columns.key - 8, width: columns.year - columns.key + 16, y: y - row / 2 + 1.5, height: row - 3, visibility: visible(exact && found >= 0) });
      set(asked, { x: 0, y, visibility: visible(exact) });
      say(asked, query);
      const end = columns.key - 12;
      set(way, { d: `M${letters + 8} ${y}H${end - 6}M${end - 7} ${y - 4}L${end} ${y}L${end - 7} ${y + 4}Z`, visibility: visible(exact && found >= 0) });
      set(nothing, { x: 0, y: y + (wide ? 22 : 19), visibility: visible(exact && found < 0) });
      say(nothing, "no such row");
    },
  };
}
