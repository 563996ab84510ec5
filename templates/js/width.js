/**
 * The height a figure may have where its stage has a fixed one, above the steps of a narrow screen; Infinity elsewhere.
 * @param {Element} root
 */
export function stageHeight(root) {
  const stage = root.closest(".figure-body");
  const style = stage && getComputedStyle(stage);
  if (!stage || !style || style.position !== "sticky") return Infinity;
  return Math.floor(stage.getBoundingClientRect().height - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom));
}

/** No figure is laid out narrower: below it marks would get sizes less than nothing, and be clipped anyway. */
export const LEAST = 180;

/**
 * Calls `layout` with the width of the element's content box now and whenever it changes; returns what stops it.
 * Nothing is ever scaled: a figure is laid out again, so that text keeps its size.
 * @param {Element} element
 * @param {(width: number) => void} layout
 * @returns {() => void}
 */
export function whenWidthChanges(element, layout) {
  let known = -1;
  /** @param {number} width */
  const apply = (width) => {
    if (!(width > 0)) return; // hidden, or going: wait until there is room
    const whole = Math.max(LEAST, Math.floor(width));
    if (whole === known) return;
    known = whole;
    layout(whole);
  };
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) apply(entry.contentRect.width);
  });
  observer.observe(element);
  apply(parseFloat(getComputedStyle(element).width)); // not clientWidth, which may be rounded up to what does not fit
  return () => observer.disconnect();
}
