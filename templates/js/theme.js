/** Colours for what CSS cannot reach: pixels of a canvas. */

/** @typedef {[number, number, number]} Rgb */

/**
 * The components of a computed colour, "rgb(1, 2, 3)" or "rgba(…)".
 * @param {string} text
 * @returns {Rgb}
 */
export function rgb(text) {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

/**
 * A token's colour as it is now at this element; `light-dark()` and mixes are resolved by the browser.
 * @param {HTMLElement} element
 * @param {string} token "--paper"
 */
export function colour(element, token) {
  const before = element.style.color;
  element.style.color = `var(${token})`;
  const found = rgb(getComputedStyle(element).color);
  element.style.color = before;
  return found;
}

/** Calls `repaint` when the theme changes, by the reader's switch or by the system; returns what stops it. @param {() => void} repaint */
export function whenThemeChanges(repaint) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const page = new MutationObserver(repaint);
  page.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  system.addEventListener("change", repaint);
  return () => {
    page.disconnect();
    system.removeEventListener("change", repaint);
  };
}
