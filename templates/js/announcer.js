/** Tells a screen reader what an instrument says now, once the reader pauses: not on every pixel of a slider's way. */

import { html, say } from "./svg.js";

export const PAUSE = 600; // milliseconds

/** What it is told first is what was there before the reader came, and stays unsaid. */
export function announcer() {
  const element = html("span", { class: "visually-hidden", role: "status" });
  /** @type {string | undefined} */
  let known;
  let timer = 0;
  return {
    element,
    /** @param {string} text */
    tell(text) {
      if (text === known) return;
      const silent = known === undefined;
      known = text;
      clearTimeout(timer);
      if (!silent) timer = window.setTimeout(() => say(element, text), PAUSE);
    },
    stop: () => clearTimeout(timer),
  };
}
