/** How far one bit leads two copies of a model apart, step by step: with a falling rate, and with a constant one. */

import { scientific, tick } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, nearest, series, steps } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** Ticks of the logarithmic axis: every fourth power of ten. */
const POWERS = [-16, -12, -8, -4, 0];

/** A distance as programs write it, which needs no raised digits: 5.6e−17; or 0.57. @param {number} value */
export function distance(value) {
  const [mantissa, power] = scientific(value);
  return power === 0 ? mantissa : `${mantissa}e${tick(power)}`;
}

/** @param {number} width */
export function layout(width) {
  return { height: width < 460 ? 190 : 250 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [falling, constant] = [series(run, "falling_distance"), series(run, "constant_distance")];
  const x = steps(constant, "step");
  const [calm, wild] = [at(falling), at(constant)];
  const last = x[x.length - 1] ?? 0;
  const rate = (/** @type {string} */ name) => String(run.parameters[`${name}_rate`]);
  const pick = (/** @type {number} */ t) => {
    scrub.stop();
    changed({ t: x[nearest(x, t)] });
  };
  const chart = lineChart({
    name: "Largest difference of a weight between two copies, on a logarithmic axis: with the falling rate it stays at rounding, with the constant one it grows a thousand billion times and more",
    x: { domain: [0, last], name: "updates" },
    y: { kind: "log", domain: [1e-17, 10], ticks: POWERS.map((power) => 10 ** power), text: (value) => (value === 1 ? "1" : `1e${tick(Math.round(Math.log10(value)))}`), name: "largest difference of a weight", letters: 6 },
    lines: [
      { x, y: wild, name: "constant" },
      { x, y: calm, name: "falling", mark: "divergence-calm" },
    ],
    picked: pick,
  });
  const scrub = scrubber({
    label: "Update",
    length: x.length,
    framesPerSecond: 60,
    read: (index) => `${x[index]} of ${last}`,
    describe: (index) => `update ${x[index]} of ${last}: ${told(index)}`,
    changed: (index) => changed({ t: x[index] }),
  });
  const readout = html("p", { class: "readout" });
  root.replaceChildren(chart.element, scrub.element, readout);
  let index = x.length - 1;

  /** @param {number} place */
  function told(place) {
    return `constant ${rate("constant")}: ${distance(wild[place] ?? NaN)} apart; falling from ${rate("falling")}: ${distance(calm[place] ?? NaN)}.`;
  }

  function draw() {
    chart.show(x[index]);
    scrub.show(index);
    const words = told(index);
    say(readout, `${words[0]?.toUpperCase()}${words.slice(1)}`);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    chart.resize(width, layout(width).height);
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(x, Number(state.t ?? last));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
