/** What may be asked of a map to tell its head by: how much of the weight lies on the mirror, on the token itself, and so on. */

/**
 * For each formula the key that a query at place t is asked about, of n places; it may lie outside.
 * @type {Record<string, (t: number, n: number) => number>}
 */
export const FORMULAS = {
  mirror: (t, n) => n - 1 - t,
  self: (t) => t,
  previous: (t) => t - 1,
  next: (t) => t + 1,
  first: () => 0,
};
const CAUSAL = "decoder";

/** Whether a query may look at a key. @param {string} attention @param {number} query @param {number} key */
export function visible(attention, query, key) {
  return attention !== CAUSAL || key <= query;
}

/**
 * The cells a formula asks about: of each query that may look at more than one key, the key, if it may look at it.
 * @param {string} formula
 * @param {string} attention
 * @param {number} n
 * @returns {{ query: number, key: number }[]}
 */
export function asked(formula, attention, n) {
  const cells = [];
  for (let query = attention === CAUSAL ? 1 : 0; query < n; query += 1) {
    const key = FORMULAS[formula]?.(query, n) ?? -1;
    if (key >= 0 && key < n && visible(attention, query, key)) cells.push({ query, key });
  }
  return cells;
}
