/** What comes back: first names, each with its share, and the year where the rows, so weighted, are in balance. */

import { fixed } from "../../js/format.js";
import { linear } from "../../js/scale.js";
import { say, set, svg } from "../../js/svg.js";

const LARGEST = 11;
const TICKS = [1964, 1980, 2000, 2020];

/**
 * The pieces of a bar in proportion to the weights, one behind the other.
 * @param {number[]} weights
 * @param {number} width
 */
export function pieces(weights, width) {
  let left = 0;
  return weights.map((weight) => {
    const piece = { x: left, width: weight * width };
    left += piece.width;
    return piece;
  });
}

/** As much of a name as its piece has room for: all of it, its first letter, or nothing. @param {string} name @param {number} room @param {number} letter */
export function fitting(name, room, letter) {
  if (room >= name.length * letter * 0.93 + 3) return name;
  return room >= 20 ? (name[0] ?? "") : "";
}

/**
 * Weights of rows that share a year, together.
 * @param {number[]} weights
 * @param {number[]} years one a row
 * @returns {Map<number, number>}
 */
export function byYear(weights, years) {
  /** @type {Map<number, number>} */
  const sums = new Map();
  years.forEach((year, index) => sums.set(year, (sums.get(year) ?? 0) + (weights[index] ?? 0)));
  return sums;
}

/** @param {{ last: string, first: string, year: number }[]} entries */
export function answer(entries) {
  const years = entries.map(({ year }) => year);
  const distinct = [...new Set(years)];
  const title = svg("text", { class: "lookup-head" }, "answer");
  const slot = svg("rect", { class: "answer-slot", rx: 3 });
  const parts = entries.map(() => ({ piece: svg("rect", { class: "answer-piece", rx: 2 }), name: svg("text", { class: "answer-name" }) }));
  const axis = svg("line", { class: "answer-axis" });
  const ticks = TICKS.map((year) => ({ mark: svg("line", { class: "tick-mark" }), text: svg("text", { class: "answer-tick" }, String(year)) }));
  const dots = distinct.map(() => ({ ring: svg("circle", { class: "answer-ring", r: 2.5 }), disk: svg("circle", { class: "answer-disk" }) }));
  const pointer = svg("path", { class: "answer-pointer" });
  const mean = svg("text", { class: "answer-year" });
  const element = svg(
    "g",
    { class: "answer-parts" },
    title,
    slot,
    ...parts.map(({ piece }) => piece),
    ...parts.map(({ name }) => name),
    axis,
    ...ticks.flatMap(({ mark, text }) => [mark, text]),
    ...dots.flatMap(({ ring, disk }) => [disk, ring]),
    pointer,
    mean,
  );
  return {
    element,
    /**
     * @param {ReturnType<typeof import("./figure.js").layout>} sizes
     * @param {number} width
     * @param {boolean} there
     * @param {number[]} weights none: there is no answer
     * @param {number} year
     */
    show({ height, below, wide, letter }, width, there, weights, year) {
      set(element, { visibility: there ? "visible" : "hidden" });
      const top = height - below + (wide ? 28 : below < 100 ? 17 : 20);
      const thick = wide ? 30 : 22;
      set(title, { x: 0, y: top - 9 });
      set(slot, { x: 0.5, y: top + 0.5, width: width - 1, height: thick - 1, visibility: weights.length ? "hidden" : "inherit" });
      pieces(weights.length ? weights : entries.map(() => 0), width).forEach((piece, index) => {
        const part = parts[index];
        if (!part) return;
        set(part.piece, { x: piece.x, y: top, width: Math.max(0, piece.width - 1.5), height: thick });
        set(part.name, { x: piece.x + Math.max(0, piece.width - 1.5) / 2, y: top + thick / 2 });
        say(part.name, fitting(entries[index]?.first ?? "", piece.width, letter));
      });
      const line = height - (wide ? 24 : 21);
      const x = linear([1960, 2024], [LARGEST, width - LARGEST]);
      set(axis, { x1: 0, x2: width, y1: line, y2: line });
      ticks.forEach(({ mark, text }, index) => {
        const at = x.at(TICKS[index] ?? 0);
        set(mark, { x1: at, x2: at, y1: line, y2: line + 4 });
        set(text, { x: at, y: line + 18 });
      });
      const sums = byYear(weights, years);
      dots.forEach(({ ring, disk }, index) => {
        const when = distinct[index] ?? 0;
        const at = { cx: x.at(when), cy: line };
        set(ring, at);
        set(disk, { ...at, r: LARGEST * Math.sqrt(Math.max(0, sums.get(when) ?? 0)) });
      });
      const known = Number.isFinite(year);
      const at = known ? x.at(year) : 0;
      const tip = line - LARGEST - 1;
      set(pointer, { d: `M${at.toFixed(1)} ${tip}l-5 -8h10Z`, visibility: known ? "inherit" : "hidden" });
      const right = at + 60 < width;
      set(mean, { x: at + (right ? 9 : -9), y: tip - 4, "text-anchor": right ? "start" : "end" });
      say(mean, known ? fixed(year, Number.isInteger(year) ? 0 : 1) : "");
    },
  };
}
