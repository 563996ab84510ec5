/** The line below a slide: how far one is, in which part, and what can be done. */

import { html, say, style } from "../svg.js";

const ICONS = {
  previous: "M15 5 L8 12 L15 19",
  next: "M9 5 L16 12 L9 19",
  all: "M5 5h5.5v5.5H5zM13.5 5H19v5.5h-5.5zM5 13.5h5.5V19H5zM13.5 13.5H19V19h-5.5z",
  full: "M5 9.5V5h4.5M14.5 5H19v4.5M19 14.5V19h-4.5M9.5 19H5v-4.5",
  keys: "M9.2 9.3a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.1-1.5 2.2M12 17.6v.1",
  leave: "M6 6 L18 18 M18 6 L6 18",
};
const NAMES = { previous: "Previous slide", next: "Next slide", all: "All slides", full: "Full screen", keys: "Keys", leave: "Back to the text" };

/**
 * @param {import("./parts.js").Part[]} parts
 * @param {(does: keyof typeof ICONS) => void} pressed
 */
export function bar(parts, pressed) {
  const number = html("b");
  const part = html("span", { class: "deck-part" });
  const count = parts.reduce((sum, { slides }) => sum + slides.length, 0);
  const segments = parts.map(({ slides }) => {
    const segment = html("span");
    style(segment, "--slides", slides.length);
    return segment;
  });
  const buttons = /** @type {(keyof typeof ICONS)[]} */ (Object.keys(ICONS)).map((does) => {
    const button = html("button", { type: "button", title: NAMES[does], hidden: does === "full" && !document.fullscreenEnabled });
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[does]}"/></svg><span class="visually-hidden">${NAMES[does]}</span>`;
    button.addEventListener("click", () => pressed(does));
    return button;
  });
  const place = html("p", { class: "deck-place" }, number, ` / ${count}`);
  const element = html("nav", { class: "deck", "aria-label": "Slides" }, html("div", { class: "deck-track", "aria-hidden": "true" }, ...segments), place, part, ...buttons);

  return {
    element,
    /** @param {number} index */
    show(index) {
      say(number, String(index + 1));
      let first = 0;
      parts.forEach(({ number, title, slides }, k) => {
        const seen = Math.max(0, Math.min(slides.length, index + 1 - first));
        style(/** @type {HTMLElement} */ (segments[k]), "--done", seen / slides.length);
        if (index >= first && index < first + slides.length) say(part, [number, title].filter(Boolean).join(" · "));
        first += slides.length;
      });
    },
  };
}
