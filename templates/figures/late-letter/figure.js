/** A window of letters, one late one changed: bars above each letter for who reads both sides, below for the left alone. */

import { scientific, tick } from "../../js/format.js";
import { letterWindow, spoken } from "../../js/letter-window.js";
import { scrubber } from "../../js/scrub.js";
import { at, series } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const LEAST = 1e-3; // where the logarithmic bars begin

/** The length of a bar on a logarithmic scale from LEAST to `most`; nothing for exactly nothing. @param {number} value @param {number} most */
export function barLength(value, most) {
  if (!(value > 0)) return 0;
  return Math.min(1, Math.max(0.06, Math.log10(value / LEAST) / Math.log10(most / LEAST)));
}

/** @param {number} value */
export function moved(value) {
  if (value === 0) return "exactly 0";
  const [mantissa, power] = scientific(value);
  return power === 0 ? mantissa : `${mantissa}e${tick(power)}`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const both = at(series(run, "moved_bidirectional"));
  const left = at(series(run, "moved_causal"));
  const { text, changed: altered, place: late } = run.examples.late_token;
  const most = Math.max(...both, ...left);
  const letters = [...text];
  const window = letterWindow({
    name: "How far the answer at each letter moves",
    count: letters.length,
    above: 44,
    below: 44,
    picked: (index) => {
      scrub.stop();
      changed({ place: index });
    },
  });
  const scrub = scrubber({
    label: "Letter",
    playing: "letter by letter",
    length: letters.length,
    framesPerSecond: 12,
    read: (index) => `letter ${index + 1} of ${letters.length}`,
    describe: told,
    changed: (index) => changed({ place: index }),
  });
  const legend = html(
    "p",
    { class: "letters-legend" },
    html("span", { class: "is-both" }, "▲ both sides read"),
    html("span", { class: "is-left" }, "▼ the left side read"),
    html("span", { class: "is-late" }, `${letters[late]} → ${altered[late]}`),
  );
  const readout = html("p", { class: "readout" });
  root.replaceChildren(legend, window.element, scrub.element, readout);
  let index = 0;

  /** @param {number} place */
  function told(place) {
    return `Letter ${place + 1}, ${spoken(letters[place] ?? "")}: read from both sides its answer moves by ${moved(both[place] ?? NaN)}; from the left alone by ${moved(left[place] ?? NaN)}.`;
  }

  function draw() {
    scrub.show(index);
    window.show({
      letters,
      marks: letters.map((_, place) => (place === late ? "is-changed" : undefined)),
      over: both.map((value) => barLength(value, most)),
      under: left.map((value) => barLength(value, most)),
      chosen: index,
      said: `${letters[late]} becomes ${altered[late]} at letter ${late + 1}. ${told(index)}`,
    });
    say(readout, told(index));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    window.resize(width);
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = Math.max(0, Math.min(letters.length - 1, Number(state.place ?? 0)));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
