/**
 * Random 32-bit words from a seed and a purpose: the twin of `models/attention/streams.py`, bit for bit.
 *
 *     word(i) = mix(mix(i · 0x9e3779b9 + first) ^ second)
 *     first   = mix(mix(seed) + fnv1a(purpose)),   second = mix(first ^ 0x85ebca6b)
 */

/** The finaliser "lowbias32" (Wellons 2018). @param {number} word */
export function mix(word) {
  word ^= word >>> 16;
  word = Math.imul(word, 0x7feb352d);
  word ^= word >>> 15;
  word = Math.imul(word, 0x846ca68b);
  return (word ^ (word >>> 16)) >>> 0;
}

/** 32-bit FNV-1a of the text's UTF-8 bytes. @param {string} text */
export function fnv1a(text) {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) digest = Math.imul(digest ^ byte, 0x01000193);
  return digest >>> 0;
}

/**
 * Words start … start + count − 1 of the stream that belongs to `purpose` under `seed`.
 * @param {number} seed @param {string} purpose @param {number} count @param {number} [start]
 */
export function words(seed, purpose, count, start = 0) {
  const first = mix((mix(seed) + fnv1a(purpose)) >>> 0);
  const second = mix(first ^ 0x85ebca6b);
  const result = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    result[k] = mix(mix((Math.imul(start + k, 0x9e3779b9) + first) >>> 0) ^ second);
  }
  return result;
}

/**
 * Integers 0 ≤ n < high: the upper half of word · high, exact in a double while high ≤ 2²¹.
 * @param {number} seed @param {string} purpose @param {number} count @param {number} high @param {number} [start]
 */
export function integers(seed, purpose, count, high, start = 0) {
  if (high > 2 ** 21) throw new RangeError(`high is ${high}, above 2²¹`);
  return Array.from(words(seed, purpose, count, start), (word) => Math.floor((word * high) / 2 ** 32));
}
