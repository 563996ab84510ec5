/**
 * Finding words in the index of the site: every word of the query must occur in an entry, as it is, as the beginning of a
 * longer word or with one slip of the finger. Titles count most, then the words by which a thing is known, then the text.
 *
 * @typedef {{ kind: string, title: string, place: string, url: string, names: string, text: string }} Entry
 * @typedef {{ entry: Entry, words: Map<string, number>, }} Prepared  word -> the weight of the best field that has it
 * @typedef {{ entry: Entry, score: number, words: string[] }} Found  words: what of the entry was meant by the query
 */

const WEIGHTS = /** @type {const} */ ([["title", 12], ["names", 8], ["place", 2], ["text", 1]]);
/** A whole word is worth more than its beginning, and that more than a slip. */
const WHOLE = 1;
const BEGINNING = 0.6;
const SLIP = 0.3;
/** Where several kinds fit alike, a definition comes first and a picture before the prose around it. */
const KINDS = new Map([["term", 1.4], ["figure", 1.1], ["reference", 0.8]]);

/** The words of a text, in small letters without accents. @param {string} text */
export function wordsOf(text) {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** @param {Entry[]} entries @returns {Prepared[]} */
export function prepare(entries) {
  return entries.map((entry) => {
    /** @type {Map<string, number>} */
    const words = new Map();
    for (const [field, weight] of WEIGHTS) {
      for (const word of wordsOf(entry[field])) if ((words.get(word) ?? 0) < weight) words.set(word, weight);
    }
    return { entry, words };
  });
}

/**
 * The best entries first; those that fit alike in the order of the index.
 * @param {Prepared[]} prepared
 * @param {string} query
 * @returns {Found[]}
 */
export function find(prepared, query) {
  const asked = wordsOf(query);
  if (!asked.length) return [];
  const everything = new Set(prepared.flatMap(({ words }) => [...words.keys()]));
  const meant = asked.map((word) => meanings(word, everything));
  /** @type {Found[]} */
  const found = [];
  for (const { entry, words } of prepared) {
    let score = 0;
    /** @type {string[]} */
    const hit = [];
    for (const forms of meant) {
      let best = 0;
      for (const [word, worth] of forms) {
        const weight = words.get(word);
        if (weight === undefined) continue;
        hit.push(word);
        best = Math.max(best, weight * worth);
      }
      if (!best) {
        score = 0;
        break;
      }
      score += best;
    }
    if (score) found.push({ entry, score: score * (KINDS.get(entry.kind) ?? 1), words: hit });
  }
  return found.sort((one, other) => other.score - one.score);
}

/**
 * What a word of the query may mean, and what each meaning is worth. Slips count only where nothing else is meant.
 * @param {string} word
 * @param {Set<string>} known
 * @returns {Map<string, number>}
 */
export function meanings(word, known) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const other of known) if (other.startsWith(word)) found.set(other, other === word ? WHOLE : BEGINNING);
  if (found.size || word.length < 4) return found;
  for (const other of known) if (oneSlip(word, other.slice(0, word.length + 1)) || oneSlip(word, other.slice(0, word.length))) found.set(other, SLIP);
  return found;
}

/** Whether two words differ by one letter more, less or other, or by two that changed places. @param {string} one @param {string} other */
export function oneSlip(one, other) {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  const turned = short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
  return turned || short.slice(at + 1) === long.slice(at + 1);
}

/**
 * A piece of the text around the first of the words, cut at spaces; the words in it are told apart.
 * @param {string} text
 * @param {string[]} words
 * @param {number} [most]
 * @returns {{ text: string, hit: boolean }[]}
 */
export function excerpt(text, words, most = 150) {
  const wanted = new Set(words);
  const parts = text.split(/([\p{L}\p{N}\p{M}]+)/u).map((part) => ({ text: part, hit: wanted.has(wordsOf(part)[0] ?? "") }));
  const first = Math.max(0, parts.findIndex(({ hit }) => hit));
  let [start, end, length] = [first, first, 0];
  // a third of the room stands before the word
  while (start > 0 && length + (parts[start - 1]?.text.length ?? 0) < most / 3) length += parts[--start]?.text.length ?? 0;
  while (end < parts.length && length + (parts[end]?.text.length ?? 0) < most) length += parts[end++]?.text.length ?? 0;
  const shown = parts.slice(start, end);
  if (start > 0) shown.unshift({ text: "… ", hit: false });
  if (end < parts.length) shown.push({ text: " …", hit: false });
  return shown;
}
