/** What a reader types, as the model's alphabet has it; and which of its letters are hidden. */

export const ALPHABET = " abcdefghijklmnopqrstuvwxyz";
export const MASK = ALPHABET.length; // the token that stands where a letter is hidden
// letters that no accent can be taken off: ß, æ, œ, ø, and l and d with a stroke
const SPECIAL = /** @type {Record<string, string>} */ ({ "\u00df": "ss", "\u00e6": "ae", "\u0153": "oe", "\u00f8": "o", "\u0142": "l", "\u0111": "d" });

/**
 * Letters a to z and single spaces: capitals become small, accents are taken off, whatever else becomes a space.
 * @param {string} text
 * @param {number} most letters that the model reads
 */
export function cleaned(text, most) {
  const plain = text
    .toLowerCase()
    .replace(/[\u00df\u00e6\u0153\u00f8\u0142\u0111]/g, (letter) => SPECIAL[letter] ?? " ")
    .normalize("NFD")
    .replace(/\p{M}/gu, "");
  return plain.replace(/[^a-z]+/g, " ").replace(/^ /, "").slice(0, most);
}

/**
 * What cleaning did that a reader should know, as a sentence; nothing, if it only made letters small.
 * @param {string} text
 * @param {string} clean
 * @param {number} most
 */
export function whatChanged(text, clean, most) {
  if (!/[a-z]/.test(clean)) return "The model knows the letters a to z and the space. Some letters, please.";
  const strange = [...new Set([...text.toLowerCase()].filter((sign) => !/[a-z\s]/.test(sign)))];
  const told = [];
  if (strange.length) told.push(`The model knows a to z and the space only: ${strange.slice(0, 6).join(" ")} ${strange.length === 1 ? "is" : "are"} left out or written plainly.`);
  if (cleaned(text, most + 1).length > most) told.push(`It reads ${most} letters; the rest is cut off.`);
  return told.join(" ");
}

/**
 * Places from an address, "9 14 30" or "9,14,30": ascending, each once, within the text. Whatever else is written is no place.
 * @param {string} written
 * @param {number} length
 */
export function readPlaces(written, length) {
  const places = /^\d+(?:[ ,]\d+)*$/.test(written) ? written.split(/[ ,]/).map(Number) : [];
  return [...new Set(places)].filter((place) => place < length).sort((a, b) => a - b);
}

/** The tokens that the model is given. @param {string} text @param {number[]} hidden */
export function tokensOf(text, hidden) {
  return [...text].map((letter, place) => (hidden.includes(place) ? MASK : ALPHABET.indexOf(letter)));
}

/** The word around a place, its hidden letters as gaps. @param {string} text @param {number[]} hidden @param {number} place */
export function wordAround(text, hidden, place) {
  const shown = [...text].map((letter, index) => (hidden.includes(index) ? "_" : letter));
  let [from, to] = [place, place + 1];
  while (from > 0 && shown[from - 1] !== " " && place - from < 12) from -= 1;
  while (to < shown.length && shown[to] !== " " && to - place < 13) to += 1;
  return shown.slice(from, to).join("");
}

/**
 * The likeliest letters of a row of logits; the mask token is no letter.
 * @param {ArrayLike<number>} logits
 * @param {number} count
 */
export function likeliestLetters(logits, count) {
  const values = Array.from({ length: ALPHABET.length }, (_, letter) => logits[letter] ?? -Infinity);
  const all = Array.from(logits);
  const top = Math.max(...all);
  const total = all.reduce((sum, value) => sum + Math.exp(value - top), 0);
  return values
    .map((value, letter) => ({ letter: ALPHABET[letter] ?? "", probability: Math.exp(value - top) / total }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, count);
}
