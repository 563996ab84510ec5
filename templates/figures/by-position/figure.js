/** Loss against the place of the hidden letter, with 95 % bands: who reads both sides pays at the edges alone. */

import { fixed } from "../../js/format.js";
import { lineChart, linePath } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const CURVES = [
  { name: "light_causal_by_position", short: "left only", said: "small model, left side alone", mark: "curve-left" },
  { name: "light_masked_by_position", short: "small", said: "small model, both sides", mark: "curve-small" },
  { name: "loss_by_position", short: "large", said: "large model, both sides", mark: "curve-large" },
];

/** @param {number} width */
export function layout(width) {
  return { height: width < 460 ? 210 : 300 };
}

/**
 * The outline of a band: along its lower edge and back along its upper one.
 * @param {number[]} x
 * @param {number[]} low
 * @param {number[]} high
 * @param {import("../../js/scale.js").Scale} xScale
 * @param {import("../../js/scale.js").Scale} yScale
 */
export function bandPath(x, low, high, xScale, yScale) {
  const back = linePath([...x].reverse(), [...high].reverse(), xScale, yScale).d;
  return `${linePath(x, low, xScale, yScale).d}L${back.slice(1)}Z`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const curves = CURVES.map((curve) => ({
    ...curve,
    mean: at(series(run, curve.name)),
    low: at(series(run, `${curve.name}_low`)),
    high: at(series(run, `${curve.name}_high`)),
    band: svg("path", { class: `band ${curve.mark}` }),
  }));
  const places = (curves[0]?.mean ?? []).map((_, place) => place);
  const last = places.length - 1;
  const top = Math.ceil(Math.max(...curves.flatMap(({ high }) => high)) * 2) / 2;
  const go = (/** @type {number} */ place) => changed({ place: Math.max(0, Math.min(last, Math.round(place))) });
  const chart = lineChart({
    name: "Loss on a hidden letter by its position in the window",
    x: { domain: [0, last], ticks: [0, 16, 32, 48, last], name: "position of the hidden letter" },
    y: { domain: [0, top], name: "loss, nats a letter, text held out" },
    lines: curves.map(({ mean, short, mark }) => ({ x: places, y: mean, name: short, mark })),
    picked: (place) => {
      scrub.stop();
      go(place);
    },
  });
  chart.element.prepend(...curves.map(({ band }) => band));
  const scrub = scrubber({
    label: "Position",
    playing: "all positions",
    length: places.length,
    framesPerSecond: 12,
    read: (index) => `position ${index}`,
    widest: `position ${last}`,
    describe: told,
    changed: go,
  });
  const readout = html("p", { class: "readout" });
  root.replaceChildren(chart.element, scrub.element, readout);
  let index = last;

  /** @param {number} place */
  function told(place) {
    const values = [...curves].reverse().map(({ said, mean }) => `${said} ${fixed(mean[place] ?? NaN, 2)}`);
    return `Position ${place}: ${values.join("; ")}.`;
  }

  function draw() {
    chart.show(index);
    scrub.show(index);
    say(readout, told(index));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    chart.resize(width, layout(width).height);
    const { x, y } = chart.layout();
    for (const { band, low, high } of curves) set(band, { d: bandPath(places, low, high, x, y) });
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = Math.max(0, Math.min(last, Number(state.place ?? last)));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
