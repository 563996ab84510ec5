/**
 * The address of a state: `?t=128&q=725083#a6-s3` is a place and what the reader changed there. It is always written
 * over, never added to the history, and at most once in `WRITE_EVERY` milliseconds.
 *
 * @typedef {string | number | boolean} Value
 * @typedef {Record<string, Value>} State
 * @typedef {Value[] | { min?: number, max?: number, whole?: boolean, pattern?: string }} Allowed the values of one name, the
 *   bounds of a number, or what a text must match as a whole
 */

export const WRITE_EVERY = 300;

/**
 * What the query says of the names that `known` has, in their types and as far as it is allowed: a number too large is the
 * largest, one between two the nearer. Unknown names, unreadable numbers, words that are no choice, texts that do not match
 * and broken % sequences are left out.
 * @param {string} query
 * @param {Readonly<State>} known
 * @param {Readonly<Record<string, Allowed>>} [allowed] names without an entry may have any value
 * @returns {State}
 */
export function readState(query, known, allowed = {}) {
  /** @type {State} */
  const state = {};
  for (const [name, text] of new URLSearchParams(query.replace(/^\?/, "").split("&").filter(whole).join("&"))) {
    if (!Object.hasOwn(known, name)) continue;
    const value = within(readValue(text, known[name]), allowed[name]);
    if (value !== undefined) state[name] = value;
  }
  return state;
}

/** Whether every % begins the bytes of a letter. @param {string} part of a query */
function whole(part) {
  try {
    return decodeURIComponent(part) !== "";
  } catch {
    return false;
  }
}

/** @param {Value | undefined} value @param {Allowed | undefined} allowed @returns {Value | undefined} */
function within(value, allowed) {
  if (!allowed || value === undefined) return value;
  if (typeof value !== "number") {
    const fits = Array.isArray(allowed) ? allowed.includes(value) : new RegExp(`^(?:${allowed.pattern ?? ".*"})$`, "s").test(String(value));
    return fits ? value : undefined;
  }
  if (Array.isArray(allowed)) {
    const numbers = allowed.map(Number);
    return numbers.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best), numbers[0] ?? value);
  }
  const { min = -Infinity, max = Infinity, whole = false } = allowed;
  return Math.max(min, Math.min(max, whole ? Math.round(value) : value));
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
 * @param {string} [way] a word before the state: the way of reading that is not the usual one
 * @returns {string} what follows the path: "?t=128#a6-s3"
 */
export function writeState(state, fragment, way = "") {
  const written = new URLSearchParams(Object.entries(state).map(([name, value]) => [name, String(value)])).toString();
  const query = way && written ? `${way}&${written}` : way || written;
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
