/** What a reader typed or pasted, as digits; or a word on why it is none. */

const BETWEEN = /[\s\-–—−_.,;:/|()[\]{}"'`+→>]+/g;

/**
 * @param {string} text "380527", "3 8 0 5 2 7", "3-8-0-5-2-7"
 * @param {number} length
 * @returns {{ digits: number[] } | { problem: string }}
 */
export function readDigits(text, length) {
  const plain = text.normalize("NFKC").replace(BETWEEN, "");
  const stranger = [...plain].find((sign) => !/[0-9]/.test(sign));
  if (stranger) return { problem: `Only the digits 0 to 9, please: the model has never seen “${stranger}”.` };
  if (plain.length > length) return { problem: `That is ${plain.length} digits. The model reads ${length}, no more and no fewer.` };
  if (plain.length < length) return { problem: plain ? `${length - plain.length} to go.` : `${length} digits, please.` };
  return { digits: [...plain].map(Number) };
}
