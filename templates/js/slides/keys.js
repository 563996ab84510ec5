/** What keys and fingers ask of the slides. */

/** @typedef {"next" | "previous" | "first" | "last" | "all" | "answer" | "words" | "theme" | "black" | "full" | "print" | "keys"} Wish */

/** @type {[string, string][]} */
export const TOLD = [
  ["→ ↓ Space PageDown", "next slide, or first the answer if one is hidden"],
  ["← ↑ PageUp", "previous slide"],
  ["Home End", "first and last slide"],
  ["o", "all slides"],
  ["a", "the answer of an exercise"],
  ["w", "without the words around a formula, and with them"],
  ["t", "light or dark"],
  ["b", "a black screen"],
  ["f", "full screen"],
  ["p", "print, one slide a sheet"],
  ["Esc", "back to the text, at the same place"],
];
/** @type {Readonly<Record<string, Wish>>} */
const TURNS = { ArrowRight: "next", ArrowDown: "next", " ": "next", ArrowLeft: "previous", ArrowUp: "previous", Backspace: "previous", Home: "first", End: "last" };
/** The two keys of a remote control, which are for the slides wherever the focus is. @type {Readonly<Record<string, Wish>>} */
const REMOTE = { PageDown: "next", PageUp: "previous" };
/** @type {Readonly<Record<string, Wish>>} */
const LETTERS = { o: "all", c: "all", a: "answer", w: "words", t: "theme", b: "black", ".": "black", f: "full", p: "print", "?": "keys" };
/** What keeps the keys that turn slides for itself. */
const MOVED = "input, select, textarea, .figure-live [tabindex='0']:not([role='button'])";
const PRESSED = "button, summary:not(.on-slide), a, [role='button']";
const WRITTEN = "input:not([type='range'], [type='checkbox']), select, textarea";

/** @param {KeyboardEvent} event @returns {Wish | null} */
export function wish({ key, shiftKey, ctrlKey, metaKey, altKey, defaultPrevented, target }) {
  if (defaultPrevented || ctrlKey || metaKey || altKey) return null;
  const within = (/** @type {string} */ selector) => target instanceof Element && target.closest(selector) !== null;
  const found = (/** @type {Readonly<Record<string, Wish>>} */ keys, /** @type {string} */ name) => (Object.hasOwn(keys, name) ? (keys[name] ?? null) : null);
  if (found(REMOTE, key)) return found(REMOTE, key);
  if (found(TURNS, key)) {
    if (within(MOVED) || (key === " " && within(PRESSED))) return null;
    return key === " " && shiftKey ? "previous" : found(TURNS, key);
  }
  return within(WRITTEN) ? null : found(LETTERS, key.toLowerCase());
}

/**
 * Tells a finger that is drawn sideways, where it moves nothing else.
 * @param {HTMLElement} main
 * @param {(wish: Wish) => void} told
 * @param {AbortSignal} signal
 */
export function followSwipes(main, told, signal) {
  /** @type {Touch | null} */
  let began = null;
  main.addEventListener(
    "touchstart",
    ({ touches, target }) => {
      began = touches.length === 1 && target instanceof Element && !takesDrags(target, main) ? (touches[0] ?? null) : null;
    },
    { signal, passive: true },
  );
  main.addEventListener(
    "touchend",
    ({ changedTouches: [ended] }) => {
      if (!began || !ended) return;
      const [dx, dy] = [ended.clientX - began.clientX, ended.clientY - began.clientY];
      if (Math.abs(dx) > 48 && Math.abs(dx) > 2 * Math.abs(dy)) told(dx < 0 ? "next" : "previous");
      began = null;
    },
    { signal, passive: true },
  );
}

/** What takes a finger says so by its `touch-action`, or can be scrolled. @param {Element} element @param {Element} until */
function takesDrags(element, until) {
  for (let one = /** @type {Element | null} */ (element); one && one !== until; one = one.parentElement) {
    const { touchAction, overflowX } = getComputedStyle(one);
    if (touchAction !== "auto" || (overflowX !== "visible" && overflowX !== "hidden" && one.scrollWidth > one.clientWidth + 1)) return true;
  }
  return false;
}
