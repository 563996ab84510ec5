/** A dial with hands: an angle is drawn clockwise from twelve, so that its sine points right and its cosine up. */

import { set, svg } from "./svg.js";

export const ROUND = 2 * Math.PI;

/**
 * The tip of a hand.
 * @param {number} x
 * @param {number} y
 * @param {number} length
 * @param {number} angle
 */
export function tip(x, y, length, angle) {
  return { x: x + length * Math.sin(angle), y: y - length * Math.cos(angle) };
}

/**
 * The slice of a dial from an angle on; of a turn beyond one round, what is left of it.
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number} from
 * @param {number} turn
 */
export function slice(x, y, radius, from, turn) {
  const left = turn % ROUND;
  const [start, end] = [tip(x, y, radius, from), tip(x, y, radius, from + left)];
  return `M${x} ${y}L${start.x.toFixed(2)} ${start.y.toFixed(2)}A${radius} ${radius} 0 ${left > Math.PI ? 1 : 0} 1 ${end.x.toFixed(2)} ${end.y.toFixed(2)}Z`;
}

/** @param {number} count of hands; the last one stands out */
export function dial(count) {
  const face = svg("circle", { class: "dial-face" });
  const part = svg("path", { class: "dial-slice" });
  const hands = Array.from({ length: count }, (_, hand) => svg("line", { class: hand === count - 1 ? "dial-hand is-last" : "dial-hand" }));
  let [x, y, radius] = [0, 0, 1];
  return {
    element: svg("g", { class: "dial" }, part, face, ...hands),
    /** @param {number} centreX @param {number} centreY @param {number} size */
    resize(centreX, centreY, size) {
      [x, y, radius] = [centreX, centreY, size];
      set(face, { cx: x, cy: y, r: radius });
    },
    /** @param {number[]} angles one a hand @param {number} [turn] from the first hand on */
    show(angles, turn) {
      hands.forEach((hand, index) => {
        const end = tip(x, y, radius - 1, angles[index] ?? 0);
        set(hand, { x1: x, y1: y, x2: end.x, y2: end.y });
      });
      set(part, { d: turn ? slice(x, y, radius, angles[0] ?? 0, turn) : "" });
    },
  };
}
