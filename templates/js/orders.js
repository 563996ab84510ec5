/** Orders of n places, counted from 0: place i gets what stood in place order[i]. */

/**
 * The order that a text of digits counted from 1 stands for, "416523"; null for what is no order of n places.
 * @param {string} text
 * @param {number} n
 * @returns {number[] | null}
 */
export function readOrder(text, n) {
  const order = [...text].map((digit) => Number(digit) - 1);
  const complete = order.length === n && new Set(order).size === n && order.every((place) => place >= 0 && place < n);
  return complete ? order : null;
}

/** @param {number[]} order */
export function writeOrder(order) {
  return order.map((place) => place + 1).join("");
}

/**
 * An order that moves at least one place, drawn by `random`.
 * @param {number} n
 * @param {() => number} random from 0 up to, but never, 1
 * @returns {number[]}
 */
export function drawnOrder(n, random) {
  const order = Array.from({ length: n }, (_, place) => place);
  for (let place = n - 1; place > 0; place -= 1) {
    const other = Math.floor(random() * (place + 1));
    [order[place], order[other]] = [order[other] ?? 0, order[place] ?? 0];
  }
  return order.some((from, place) => from !== place) ? order : [...order.slice(1), order[0] ?? 0];
}
