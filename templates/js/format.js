/** Numbers as a reader sees them. An undefined number is an en dash, never a 0. */

const UNDEFINED = "–";

/** With `digits` decimals and a true minus sign. @param {number} value @param {number} digits */
export function fixed(value, digits) {
  if (!Number.isFinite(value)) return UNDEFINED;
  const text = value.toFixed(digits);
  return text.replace("-", /[1-9]/.test(text) ? "−" : "");
}

/** A weight in a map's cell: ".98", "1.0"; under half a hundredth it is left out. @param {number} value */
export function weight(value) {
  if (!Number.isFinite(value)) return UNDEFINED;
  if (value < 0.005) return "";
  const text = value.toFixed(2);
  return text.startsWith("0") ? text.slice(1) : value.toFixed(1);
}

/** With `digits` significant digits, without an exponent: 0.094, 2.41, 600. @param {number} value @param {number} digits */
export function significant(value, digits) {
  if (!Number.isFinite(value)) return UNDEFINED;
  if (value === 0) return "0";
  // rounding first decides the magnitude: 0.0999 to two digits is 0.10
  const magnitude = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  return fixed(value, Math.max(0, digits - 1 - magnitude));
}

/**
 * A share as percent. What is not everything never reads 100%, what is not nothing never reads 0%.
 * @param {number} value
 * @param {number} [digits]
 */
export function percent(value, digits = 0) {
  if (!Number.isFinite(value)) return UNDEFINED;
  const text = fixed(value * 100, digits);
  if (value < 1 && Number(text) >= 100) return `>${fixed(100 - 10 ** -digits, digits)}%`;
  if (value > 0 && Number(text) === 0) return `<${fixed(10 ** -digits, digits)}%`;
  return `${text}%`;
}

/**
 * A number below a hundredth as mantissa and power of ten, 1.3 and −15; any other as it is, with the power 0.
 * @param {number} value
 * @returns {[string, number]}
 */
export function scientific(value) {
  if (value === 0 || Math.abs(value) >= 0.01) return [fixed(value, value === 0 ? 0 : 2), 0];
  const [mantissa = "", exponent] = value.toExponential(1).split("e");
  return [mantissa.replace("-", "−"), Number(exponent)];
}

/** A whole number with commas between thousands. @param {number} value */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A tick of an axis: as many decimals as it has. @param {number} value */
export function tick(value) {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}
