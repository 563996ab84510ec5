/**
 * Latents in training: each row of the map is one learned query, each column a row of the table, labels above, digits
 * below. What a latent is to find is outlined for good.
 */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { lineChart } from "../../js/line-chart.js";
import { within } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, series, steps } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** For each latent 1 at the row it is asked for, 0 elsewhere; flat. @param {number[]} places @param {number} inputs */
export function truth(places, inputs) {
  return places.flatMap((place) => Array.from({ length: inputs }, (_, input) => Number(input === place)));
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [maps, right, weights] = [series(run, "cross_attention"), series(run, "accuracy"), series(run, "row_weight")];
  const checkpoints = steps(maps, "checkpoint");
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const latents = labels(maps, "latent");
  const inputs = labels(maps, "input");
  const { places } = run.examples.table;
  const share = (/** @type {number} */ index) => percent(at(right)[index] ?? NaN);
  const scrub = scrubber({
    label: "Training step",
    length: checkpoints.length,
    framesPerSecond: 4,
    describe: (index) => `step ${checkpoints[index]} of ${last}, ${share(index)} of the answers right`,
    read: (index) => `step ${checkpoints[index]} of ${last}`,
    changed: (index) => changed({ t: checkpoints[index] }),
  });
  const chart = lineChart({
    name: "Share of fresh questions answered rightly, over the training steps",
    x: { domain: [0, last], name: "step" },
    y: { domain: [0, 1], ticks: [0, 0.5, 1], text: (value) => percent(value), letters: 5, name: "right answers" },
    lines: [{ x: checkpoints, y: at(right) }],
    label: (value) => percent(value),
    picked: (step) => {
      scrub.stop();
      changed({ t: checkpoints[nearest(checkpoints, step)] });
    },
  });
  const heads = Array.from({ length: maps.shape[1] ?? 0 }, (_, one) => one + 1);
  const control = choices({ label: "head", values: heads, said: (one) => `head ${one}`, changed: (one) => changed({ head: one }) });
  const grid = heatMap({
    name: "Cross-attention: rows are the latents, columns the rows of the table",
    queries: latents,
    keys: inputs.map((input) => input.slice(0, 1)),
    ghost: truth(places, inputs.length),
    lit: (place) => {
      lit = place;
      light();
    },
  });
  const digits = inputs.map((input, column) => svg("text", { class: places.includes(column) ? "is-asked" : "" }, input.slice(1)));
  const values = svg("svg", { class: "latent-values", "aria-hidden": "true" }, ...digits);
  const readout = html("p", { class: "readout" });
  root.replaceChildren(chart.element, scrub.element, control.element, grid.element, values, readout);
  let head = heads.length;
  let index = checkpoints.length - 1;
  /** @type {import("../../js/heat-map.js").Place | null} */
  let lit = null;

  function light() {
    grid.light(lit);
    say(readout, lit ? told(lit) : sofar());
  }

  function sofar() {
    return `Fresh answers right: ${share(index)}. Weight on the right row, both heads: ${fixed(at(weights)[index] ?? NaN, 2)}.`;
  }

  /** @param {import("../../js/heat-map.js").Place} place */
  function told({ query, key }) {
    if (query < 0) return `Down: how much each latent reads the row ${inputs[key]}.`;
    if (key < 0) return `Across: latent ${query + 1}, which is to find the digit under ${latents[query]}. Sums to 1.`;
    const read = heads.map((one) => `head ${one} ${fixed(at(maps, index, one - 1, query, key)[0] ?? NaN, 2)}`);
    return `Latent ${query + 1}, asked for ${latents[query]}, reads the row ${inputs[key]}: ${read.join(", ")}.`;
  }

  function draw() {
    chart.show(checkpoints[index]);
    scrub.show(index);
    control.show(head);
    grid.show(at(maps, index, head - 1));
    light();
  }

  const forget = whenWidthChanges(root, (width) => {
    chart.resize(width, width < 460 ? 112 : 170);
    const { left, cell, width: wide } = grid.resize(width);
    set(values, { width: wide, height: 20, viewBox: `0 0 ${wide} 20` });
    digits.forEach((digit, column) => set(digit, { x: left + (column + 0.5) * cell, y: 14 }));
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(checkpoints, Number(state.t ?? last));
      head = within(state.head ?? heads.length, 1, heads.length);
      draw();
    },
    destroy() {
      scrub.destroy();
      forget();
    },
  };
}
