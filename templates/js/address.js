/**
 * The address of a state: `?t=128&q=725083#a6-s3` is a place and what the reader changed there. It is always written
 * over, never added to the history, and at most once in `WRITE_EVERY` milliseconds.
 *
 * @typedef {string | number | boolean} Value
 * @typedef {Record<string, Value>} State
 */

export const WRITE_EVERY = 300;

/**
 * What the query says of the names that `known` has, in their types. Unknown names and unreadable numbers are left out.
 * @param {string} query
 * @param {Readonly<State>} known
 * @returns {State}
 */
export function readState(query, known) {
  /** @type {State} */
  const state = {};
  for (const [name, text] of new URLSearchParams(query)) {
    if (!Object.hasOwn(known, name)) continue;
    const value = readValue(text, known[name]);
    if (value !== undefined) state[name] = value;
  }
  return state;
}

/** @param {string} text @param {Value | undefined} like @returns {Value | undefined} */
function readValue(text, like) {
  if (typeof like === "number") {
    const number = Number(text);
    return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
  }
  if (typeof like === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return text.slice(0, 200);
}

/**
 * @param {Readonly<State>} state
 * @param {string} fragment
 * @returns {string} what follows the path: "?t=128#a6-s3"
 */
export function writeState(state, fragment) {
  const query = new URLSearchParams(Object.entries(state).map(([name, value]) => [name, String(value)])).toString();
  return (query && `?${query}`) + (fragment && `#${fragment}`);
}

/**
 * The function it returns takes the newest address; the last one given within a pause is the one that is written.
 * @param {(address: string) => void} write
 * @param {() => number} now
 */
export function addressWriter(write = replace, now = () => performance.now()) {
  let last = -Infinity;
  let timer = 0;
  let pending = "";
  const flush = () => {
    timer = 0;
    last = now();
    write(pending);
  };
  /** @param {string} address */
  return (address) => {
    pending = address;
    if (!timer) timer = window.setTimeout(flush, Math.max(0, last + WRITE_EVERY - now()));
  };
}

/** @param {string} address */
function replace(address) {
  if (address === location.search + location.hash) return;
  // with the path, since a fragment alone would keep the query
  history.replaceState(history.state, "", location.pathname + address);
}
