/** The tokens of the example that a run's maps show. */

/** @typedef {import("./series.js").Run} Run */

/** What is read: the keys of the cross-attention. @param {Run} run @returns {string[]} */
export function readTokens(run) {
  return run.examples.tokens.source.map(String);
}

/** What is to be written: the queries of the cross-attention. @param {Run} run @returns {string[]} */
export function writtenTokens(run) {
  return run.examples.tokens.target.map(String);
}
