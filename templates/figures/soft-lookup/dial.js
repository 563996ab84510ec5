/** Names as directions on a dial of letters: keys reach the rim, the query is a shorter arrow among them. */

import { set, svg } from "../../js/svg.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const TURN = 2 * Math.PI;

/**
 * On which side of its arrow the query's name has more room: 1 counter-clockwise, −1 clockwise.
 * @param {number} angle
 * @param {number[]} others angles of the keys; one in the query's own direction is no neighbour
 */
export function freeSide(angle, others) {
  const ahead = (/** @type {number} */ by) => ((by % TURN) + TURN) % TURN;
  const gaps = others.map((other) => ahead(other - angle)).filter((gap) => gap > 0.01 && gap < TURN - 0.01);
  return Math.min(...gaps) > TURN - Math.max(...gaps) + 1e-6 ? 1 : -1;
}

/** A triangle at the end of an arrow. @param {number} x @param {number} y @param {number} angle */
export function head(x, y, angle) {
  const corner = (/** @type {number} */ turn, /** @type {number} */ by) => `${(x - Math.cos(angle + turn) * by).toFixed(1)} ${(y + Math.sin(angle + turn) * by).toFixed(1)}`;
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${corner(0.42, 9)}L${corner(-0.42, 9)}Z`;
}

/**
 * @param {string[]} keys
 * @param {number[][]} keyVectors (key, component)
 * @param {string[]} queries
 * @param {number[][]} queryVectors (query, component)
 */
export function dial(keys, keyVectors, queries, queryVectors) {
  const angleOf = (/** @type {number[]} */ vector) => Math.atan2(vector[1] ?? 0, vector[0] ?? 0);
  const keyAngles = keyVectors.map(angleOf);
  const queryAngles = queryVectors.map(angleOf);
  const initials = new Set(keys.map((key) => (key[0] ?? "").toLowerCase()));
  const rim = svg("circle", { class: "dial-rim" });
  const letters = [...LETTERS].map((letter) => svg("text", { class: `dial-letter${initials.has(letter) ? " is-key" : ""}` }, letter));
  const arrows = keys.map((key) => ({ line: svg("line", { class: "dial-key" }), tip: svg("path", { class: "dial-key-head" }), name: svg("text", { class: "dial-name" }, key) }));
  const query = queries.map((name) => ({ line: svg("line", { class: "dial-query" }), tip: svg("path", { class: "dial-query-head" }), name: svg("text", { class: "dial-query-name" }, name) }));
  const element = svg(
    "g",
    { class: "dial" },
    rim,
    ...letters,
    ...arrows.flatMap(({ line, tip, name }) => [line, tip, name]),
    ...query.flatMap(({ line, tip, name }) => [line, tip, name]),
  );
  return {
    element,
    /** @param {ReturnType<typeof import("./figure.js").layout>} sizes @param {number} asked @param {boolean} there */
    show({ dial: centre, radius, wide }, asked, there) {
      set(element, { visibility: there ? "visible" : "hidden" });
      const { x, y } = centre;
      const point = (/** @type {number} */ angle, /** @type {number} */ by) => ({ x: x + Math.cos(angle) * by, y: y - Math.sin(angle) * by });
      set(rim, { cx: x, cy: y, r: radius });
      const all = radius > 54; // a small rim has room for the letters of keys alone
      letters.forEach((letter, index) => set(letter, { ...point((index / LETTERS.length) * TURN, radius + 11), visibility: all || letter.classList.contains("is-key") ? "inherit" : "hidden" }));
      arrows.forEach(({ line, tip, name }, index) => {
        const angle = keyAngles[index] ?? 0;
        const end = point(angle, radius - 2);
        const stop = point(angle, radius - 8);
        set(line, { x1: x, y1: y, x2: stop.x, y2: stop.y });
        set(tip, { d: head(end.x, end.y, angle) });
        const across = Math.cos(angle);
        const upright = Math.abs(across) < 0.45;
        const at = point(angle, radius + (upright ? 31 : 24));
        set(name, { ...at, "text-anchor": upright ? "middle" : across > 0 ? "start" : "end", visibility: wide ? "inherit" : "hidden" });
      });
      query.forEach(({ line, tip, name }, index) => {
        const angle = queryAngles[index] ?? 0;
        const visibility = index === asked ? "inherit" : "hidden";
        const [end, stop, along] = [point(angle, radius * 0.74), point(angle, radius * 0.74 - 6), point(angle, radius * 0.42)];
        const side = freeSide(angle, keyAngles);
        const normal = angle + (side * Math.PI) / 2;
        const right = Math.cos(normal) > 0;
        set(line, { x1: x, y1: y, x2: stop.x, y2: stop.y, visibility });
        set(tip, { d: head(end.x, end.y, angle), visibility });
        set(name, { x: along.x + Math.cos(normal) * 10, y: along.y - Math.sin(normal) * 10, "text-anchor": right ? "start" : "end", visibility: wide ? visibility : "hidden" });
      });
    },
  };
}
