/**
 * An alignment that is learned, in three views of one run: what one word reads, the training replayed, and the lines
 * before and after it. All three show the state (t, word).
 */

import { choices } from "../../js/choices.js";
import { fixed, percent, significant } from "../../js/format.js";
import { heatMap, peaks } from "../../js/heat-map.js";
import { lineChart } from "../../js/line-chart.js";
import { aroundPositive, stepTicks } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, rows, series, steps } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { centres, tokenRows } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {"query" | "replay" | "crossing"} View */

/**
 * Sizes for a width. On a phone everything stands below each other and is flat; on a wide stage the replay's arcs stand
 * under its map, and before and after stand side by side.
 * @param {number} width
 */
export function layout(width) {
  const narrow = width < 460;
  return {
    narrow,
    loss: narrow ? 58 : 150,
    map: width,
    arcs: narrow ? 64 : 150,
    single: narrow ? 180 : 380,
    pair: narrow ? { width, height: 107 } : { width: Math.floor((width - 36) / 2), height: 390 },
  };
}

/**
 * For each target word the source word it reads most, and how much: "la reads the (1.00), …". An even row reads all alike.
 * @param {string[]} target
 * @param {string[]} source
 * @param {number[][]} weights
 */
export function reading(target, source, weights) {
  return target
    .map((word, query) => {
      const row = weights[query] ?? [];
      const [best = 0] = peaks(row, row.length);
      const even = Math.max(...row) - Math.min(...row) < 1e-9;
      return even ? `${word} reads all alike (${fixed(row[0] ?? NaN, 2)})` : `${word} reads ${source[best]} most (${fixed(row[best] ?? NaN, 2)})`;
    })
    .join(", ");
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const attention = series(run, "attention");
  const probability = series(run, "probability");
  const losses = at(series(run, "loss"));
  const checkpoints = steps(attention, "checkpoint");
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const [target, source] = [labels(attention, "query"), labels(attention, "key")];
  const letters = Math.max(...target.map((word) => word.length));
  /** @type {string[]} */
  const before = run.examples.before_each_word ?? [];
  /** @type {number[]} */
  const alignment = run.examples.pair?.alignment ?? [];
  const weightsAt = (/** @type {number} */ checkpoint) => rows(attention, checkpoint);
  const lossAt = (/** @type {number} */ t) => losses[t] ?? NaN;

  const words = choices({ label: "about to write", values: target, changed: (word) => changed({ word }) });
  const scrub = scrubber({
    label: "Training step",
    length: checkpoints.length,
    describe: (index) => `step ${checkpoints[index]} of ${last}, loss ${significant(lossAt(checkpoints[index] ?? 0), 2)}; ${reading(target, source, weightsAt(index))}`,
    read: (index) => `step ${checkpoints[index]} of ${last}`,
    changed: (index) => changed({ t: checkpoints[index] }),
  });
  const loss = lineChart({
    name: "Loss over the training steps",
    x: { kind: "log-from-zero", domain: [0, last], ticks: stepTicks(last) },
    y: { kind: "log", domain: aroundPositive(losses), ticks: [0.1, 1], letters: 4 },
    lines: [{ x: steps(series(run, "loss"), "step"), y: losses }],
    label: (value) => `loss ${significant(value, 2)}`,
    picked: (t) => {
      scrub.stop();
      changed({ t: checkpoints[nearest(checkpoints, t)] });
    },
  });
  const map = heatMap({
    name: "Attention: rows are the French words being written, columns the English words read",
    queries: target,
    keys: source,
    maxCell: 140,
    maxRow: 28,
    ghost: alignment.flatMap((right) => source.map((_, key) => (key === right ? 1 : 0))),
    lit: (place) => {
      lit = place;
      light();
    },
  });
  const under = tokenRows({ name: "Lines from the English words to the French ones", queries: target.length, keys: source, letters });
  const numbers = svg("g", { class: "strand-weights" }, ...source.map(() => svg("text", { class: "strand-weight" })));
  const single = tokenRows({ name: "What one French word reads", queries: target.length, keys: source, letters });
  single.element.append(numbers);
  const pair = ["Before training", "After"].map((name) => ({
    rows: tokenRows({ name, queries: target.length, keys: source, letters }),
    title: html("p", { class: "chart-title" }),
    blank: 0,
  }));
  const readout = html("p", { class: "readout" });
  const said = html("p", { class: "visually-hidden alignment-said" });
  const views = /** @type {Record<View, HTMLElement>} */ ({
    query: html("div", {}, words.element, single.element),
    replay: html("div", {}, loss.element, map.element, under.element),
    crossing: html("div", { class: "alignment-pair" }, ...pair.map(({ title, rows: { element } }) => html("div", {}, title, element))),
  });
  const stage = html("div", {}, ...Object.values(views));
  root.replaceChildren(scrub.element, stage, readout, said);

  /** @type {View} */
  let view = "replay";
  let index = checkpoints.length - 1;
  let chosen = -1;
  /** @type {import("../../js/heat-map.js").Place | null} */
  let lit = null;

  function light() {
    map.light(lit);
    tell();
  }

  function tell() {
    const weights = weightsAt(index);
    if (view === "query") say(readout, toldOfWord(weights));
    else if (view === "replay" && lit && lit.query >= 0) say(readout, toldOfRow(lit, weights));
    else say(readout, toldOfAll(weights));
    say(said, `At step ${checkpoints[index]}: ${reading(target, source, weights)}.`);
  }

  /** @param {number[][]} weights */
  function toldOfWord(weights) {
    const row = weights[chosen] ?? [];
    const [best = 0] = peaks(row, row.length);
    const query = before[chosen] === "<bos>" ? "the start sign" : before[chosen];
    return `The query is ${query}, the word before. It reads ${source[best]} with ${fixed(row[best] ?? NaN, 2)}; ${target[chosen]} is then given ${percent(at(probability, index, chosen)[0] ?? NaN)}.`;
  }

  /** @param {import("../../js/heat-map.js").Place} place @param {number[][]} weights */
  function toldOfRow({ query, key }, weights) {
    if (key >= 0) return `Writing ${target[query]}, reading ${source[key]}: ${fixed(weights[query]?.[key] ?? NaN, 3)}.`;
    return `Writing ${target[query]}: its probability is ${percent(at(probability, index, query)[0] ?? NaN)}.`;
  }

  /** @param {number[][]} weights */
  function toldOfAll(weights) {
    const right = weights.filter((row, query) => {
      const [best = -1] = peaks(row, row.length);
      return best === alignment[query] && row.filter((weight) => weight === row[best]).length === 1;
    }).length;
    return `${right} of ${target.length} words read the right one most.`;
  }

  function draw() {
    const weights = weightsAt(index);
    const t = checkpoints[index] ?? 0;
    scrub.show(index);
    for (const [name, element] of Object.entries(views)) element.toggleAttribute("hidden", name !== view);
    if (view === "query") {
      words.show(target[chosen] ?? "");
      single.show(target.slice(0, chosen + 1), weights.slice(0, chosen + 1), chosen);
      [...numbers.children].forEach((text, key) => say(text, fixed(weights[chosen]?.[key] ?? NaN, 2)));
    } else if (view === "replay") {
      loss.show(t);
      map.show(weights.flat());
      under.show(target, weights, chosen);
    } else {
      pair.forEach(({ rows: strands, title }, side) => {
        const shown = side === 0 ? weightsAt(0) : weights;
        say(title, side === 0 ? "before training" : `after ${t} steps`);
        strands.show(target, shown, chosen);
        set(strands.element, { "aria-label": `${side === 0 ? "Before training" : `After ${t} steps`}: ${reading(target, source, shown)}` });
      });
    }
    light();
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    loss.resize(width, sizes.loss);
    const { left, cell, height } = map.resize(sizes.map);
    stage.style.minHeight = `${sizes.loss + height + sizes.arcs}px`; // that of the replay: a step changes what is shown, not how high it is
    under.resize({ left, width: cell * source.length, height: sizes.arcs, keysRoom: 0 });
    single.resize({ left: 0, width, height: sizes.single, keysRoom: 46 });
    centres(source.length, 0, width).forEach((x, key) => set(numbers.children[key] ?? numbers, { x, y: 34 }));
    for (const { rows: strands } of pair) strands.resize({ left: 0, width: sizes.pair.width, height: sizes.pair.height });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(checkpoints, Number(state.t ?? last));
      view = state.view === "query" || state.view === "crossing" ? state.view : "replay";
      chosen = target.indexOf(String(state.word ?? ""));
      if (view === "query" && chosen < 0) chosen = 0;
      lit = view === "replay" && chosen >= 0 ? { query: chosen, key: -1 } : null;
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
