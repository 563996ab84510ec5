/** Training replayed: one cursor moves through the loss, the exact matches and each head's cross-attention together. */

import { fixed, percent, significant } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { lineChart } from "../../js/line-chart.js";
import { aroundPositive, stepTicks } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, series, steps } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * Where everything stands for a width. On a phone the curve of exact matches gives way: its number stays in the readout.
 * @param {number} width
 * @param {number} heads
 */
export function layout(width, heads) {
  const narrow = width < 460;
  const gap = narrow ? 12 : 32;
  return {
    lossHeight: narrow ? 94 : 144,
    exactHeight: narrow ? 0 : 78,
    mapWidth: Math.floor((width - gap * (heads - 1)) / heads),
  };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [loss, exact, maps] = [series(run, "loss"), series(run, "exact_match"), series(run, "cross_attention")];
  const checkpoints = steps(maps, "checkpoint");
  const lossSteps = steps(loss, "step");
  const [losses, matches] = [at(loss), at(exact)];
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const lossAt = (/** @type {number} */ t) => losses[nearest(lossSteps, t)] ?? NaN;
  const [read, written] = [labels(maps, "key"), labels(maps, "query")];
  const heads = Array.from({ length: maps.shape[1] ?? 0 }, (_, head) => head);
  const final = checkpoints.length - 1;

  const x = { kind: /** @type {const} */ ("log-from-zero"), domain: /** @type {[number, number]} */ ([0, last]), ticks: stepTicks(last) };
  const pick = (/** @type {number} */ t) => {
    scrub.stop();
    go(nearest(checkpoints, t));
  };
  const lossLine = { x: lossSteps, y: losses };
  const tickLetters = 5; // both charts keep the same room for their ticks, so that their steps stand in line
  const lossSpec = { name: "Loss over the training steps", y: { kind: /** @type {const} */ ("log"), domain: aroundPositive(losses), letters: tickLetters }, lines: [lossLine], label: lossLabel, picked: pick };
  // the upper of two charts leaves the steps to the lower one; alone, on a phone, it carries them
  const lossAbove = lineChart({ ...lossSpec, x: { ...x, hidden: true } });
  const lossAlone = lineChart({ ...lossSpec, x });
  const exactChart = lineChart({
    name: "Share of strings reversed exactly",
    x,
    y: { domain: [0, 1], ticks: [0, 1], letters: tickLetters, text: (value) => percent(value) },
    lines: [{ x: steps(exact, "checkpoint"), y: matches }],
    label: (value) => `exact ${percent(value)}`,
    picked: pick,
  });
  const scrub = scrubber({
    label: "Training step",
    length: checkpoints.length,
    describe: (index) => `step ${checkpoints[index]} of ${last}, loss ${significant(lossAt(checkpoints[index] ?? 0), 2)}`,
    read: (index) => `step ${checkpoints[index]} of ${last}`,
    changed: go,
  });
  const grids = heads.map((head) =>
    heatMap({
      name: `Cross-attention of head ${head + 1}: rows are the digits being written, columns the digits read`,
      title: `head ${head + 1}`,
      queries: written,
      keys: read,
      maxCell: 36,
      ghost: at(maps, final, head),
      lit: (place) => {
        lit = place;
        light();
      },
    }),
  );
  const readout = html("p", { class: "readout" });
  const mapRow = html("div", { class: "figure-maps" }, ...grids.map(({ element }) => element));
  root.replaceChildren(lossAbove.element, exactChart.element, lossAlone.element, scrub.element, mapRow, readout);

  let index = final;
  /** @type {import("../../js/heat-map.js").Place | null} */
  let lit = null;

  /** @param {number} to */
  function go(to) {
    changed({ t: checkpoints[to] });
  }

  /** What is lit stands in all heads at once, and in words below. */
  function light() {
    grids.forEach((grid) => grid.light(lit));
    const t = checkpoints[index] ?? 0;
    say(readout, lit ? told(lit) : sofar(t));
  }

  /** @param {number} t */
  function sofar(t) {
    const decoded = run.examples.decodes?.[String(t)];
    const writes = decoded ? `Writes ${decoded}. ` : "";
    return `${writes}Fresh strings right: ${percent(matches[index] ?? NaN, 1)}.`;
  }

  /** @param {import("../../js/heat-map.js").Place} place */
  function told({ query, key }) {
    if (query < 0) return `Down: how much each digit written reads the ${read[key]}.`;
    if (key < 0) return `Across: what is read to write the ${written[query]}. Sums to 1.`;
    const values = heads.map((head) => `head ${head + 1} ${fixed(at(maps, index, head, query, key)[0] ?? NaN, 2)}`);
    return `Writing ${written[query]}, reading ${read[key]}: ${values.join(", ")}.`;
  }

  function draw() {
    const t = checkpoints[index] ?? 0;
    for (const chart of [lossAbove, lossAlone, exactChart]) chart.show(t);
    scrub.show(index);
    grids.forEach((grid, head) => grid.show(at(maps, index, head)));
    light();
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const { lossHeight, exactHeight, mapWidth } = layout(width, heads.length);
    const both = exactHeight > 0;
    lossAbove.element.toggleAttribute("hidden", !both);
    exactChart.element.toggleAttribute("hidden", !both);
    lossAlone.element.toggleAttribute("hidden", both);
    lossAbove.resize(width, lossHeight);
    lossAlone.resize(width, lossHeight);
    exactChart.resize(width, Math.max(exactHeight, 60));
    grids.forEach((grid) => grid.resize(mapWidth));
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(checkpoints, Number(state.t ?? last));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}

/** @param {number} value */
function lossLabel(value) {
  return `loss ${significant(value, 2)}`;
}
