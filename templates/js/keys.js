/**
 * Which aid a key or a button asks for. Keys of one letter can be turned off, as somebody who speaks to the computer must
 * be able to (WCAG 2.1.4); what is chosen holds for the whole site.
 */

/** @typedef {"search" | "help" | "contents" | "next" | "previous" | "theme" | "present"} Aid */

/** @type {Readonly<Record<string, Aid>>} */
export const KEYS = { "/": "search", "?": "help", c: "contents", j: "next", k: "previous", t: "theme", p: "present" };
const STORED = "keys";
/** What keeps letters for itself. */
const OWN = "input:not([type='range'], [type='checkbox']), select, textarea, [contenteditable], dialog";

export function keysAreOn() {
  try {
    return localStorage.getItem(STORED) !== "off";
  } catch {
    return true; // storage may be forbidden
  }
}

/** @param {boolean} on */
export function turnKeys(on) {
  try {
    if (on) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "off");
  } catch {
    // then they stay as they were
  }
}

/** The aid that an event asks for, if it asks for one. @param {Event} event @returns {Aid | null} */
export function asked(event) {
  const { target } = event;
  if (!(target instanceof Element)) return null;
  if (!(event instanceof KeyboardEvent)) {
    const button = target.closest("[data-aid]");
    return button instanceof HTMLElement ? /** @type {Aid} */ (button.dataset.aid) : null;
  }
  const aid = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  const mixed = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing;
  if (!aid || mixed || target.closest(OWN) || document.querySelector("dialog[open], .presenting")) return null;
  return keysAreOn() ? aid : null;
}
