/** The scrubber: a native range over checkpoints with a play button and a readout that never changes its width. */

import { player } from "./play.js";
import { html, say, set, style, svg } from "./svg.js";

/** Where `index` stands along the track, 0 to 1. @param {number} index @param {number} length */
export function share(index, length) {
  return length > 1 ? index / (length - 1) : 0;
}

function icon() {
  return svg(
    "svg",
    { class: "play-icon", viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true" },
    svg("path", { class: "play-start", d: "M8 5.5 L19 12 L8 18.5 Z" }),
    svg("path", { class: "play-pause", d: "M7.5 5.5 V18.5 M16.5 5.5 V18.5" }),
  );
}

/**
 * A round button of 44 px that says what it will do.
 * @param {string} what  "the training"
 * @param {() => void} pressed
 */
export function playButton(what, pressed) {
  const element = html("button", { type: "button", class: "play", "aria-label": `Play ${what}` }, icon());
  element.addEventListener("click", pressed);
  return {
    element,
    /** @param {boolean} playing */
    show(playing) {
      set(element, { "aria-label": `${playing ? "Pause" : "Play"} ${what}`, "data-playing": playing });
    },
  };
}

/**
 * @param {{ label: string, length: number, describe: (index: number) => string, read: (index: number) => string,
 *           widest?: string, playing?: string, framesPerSecond?: number, changed: (index: number) => void }} options
 *   describe: what a screen reader hears, "step 128 of 600, loss 0.42"; read: what stands beside the track;
 *   widest: the longest text `read` can give, so that the track keeps its place
 */
export function scrubber({ label, length, describe, read, widest, playing, framesPerSecond, changed }) {
  let index = 0;
  const range = html("input", { type: "range", class: "scrub-range", min: 0, max: length - 1, step: 1, "aria-label": label });
  const readout = html("span", { class: "scrub-read", "aria-hidden": "true" });
  const room = html("span", { class: "scrub-room", "aria-hidden": "true" }, widest ?? read(length - 1));
  const status = html("span", { class: "visually-hidden", role: "status" });
  const play = player(
    (next) => changed(next),
    (on) => {
      button.show(on);
      if (!on) say(status, describe(index));
    },
    framesPerSecond,
  );
  const button = playButton(playing ?? "the training", () => (play.playing() ? play.stop() : play.start(index, length)));
  const element = html("div", { class: "scrub" }, button.element, range, html("span", { class: "scrub-reads" }, room, readout), status);

  range.addEventListener("input", () => {
    play.stop();
    changed(range.valueAsNumber);
  });
  range.addEventListener("pointerdown", () => play.stop());
  // announced when the reader lets go, not on every pixel of the way
  range.addEventListener("change", () => say(status, describe(range.valueAsNumber)));

  return {
    element,
    /** @param {number} shown */
    show(shown) {
      index = shown;
      if (range.valueAsNumber !== shown) range.value = String(shown);
      set(range, { "aria-valuetext": describe(shown) });
      style(range, "--share", share(shown, length));
      say(readout, read(shown));
    },
    stop: play.stop,
    destroy: play.stop,
  };
}
