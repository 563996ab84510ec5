/** A canvas with one pixel for each value; the browser enlarges it without smoothing. */

import { colour, whenThemeChanges } from "./theme.js";
import { html, style } from "./svg.js";

/** @typedef {import("./theme.js").Rgb} Rgb */

/**
 * RGBA bytes: each value mixes `low` to `high` over the fixed domain; what is undefined stays transparent.
 * @param {number[]} values
 * @param {[number, number]} domain
 * @param {Rgb} low
 * @param {Rgb} high
 */
export function mixed(values, [least, most], low, high) {
  const bytes = new Uint8ClampedArray(values.length * 4);
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const share = Math.min(1, Math.max(0, (value - least) / (most - least)));
    low.forEach((from, channel) => {
      bytes[index * 4 + channel] = from + ((high[channel] ?? 0) - from) * share;
    });
    bytes[index * 4 + 3] = 255;
  });
  return bytes;
}

/**
 * @param {{ name: string, rows: number, columns: number, domain?: [number, number] }} options
 */
export function pixels({ name, rows, columns, domain = [0, 1] }) {
  const element = html("canvas", { class: "pixels", role: "img", "aria-label": name, width: columns, height: rows });
  const context = element.getContext("2d");
  /** @type {number[]} */
  let values = [];
  const paint = () => {
    if (!context || values.length !== rows * columns) return;
    const bytes = mixed(values, domain, colour(element, "--paper"), colour(element, "--weight"));
    context.putImageData(new ImageData(bytes, columns, rows), 0, 0);
  };
  const forget = whenThemeChanges(paint);
  return {
    element,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      style(element, "width", `${width}px`);
      style(element, "height", `${height}px`);
    },
    /** @param {number[]} shown flat, row-major */
    show(shown) {
      values = shown;
      paint();
    },
    destroy: forget,
  };
}
