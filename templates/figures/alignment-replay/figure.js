/** Training replayed beside the truth: the loss, the cross-attention of all heads or one, and what is written by then. */

import { fixed, percent, significant } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { aroundPositive, stepTicks, within } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, series, steps } from "../../js/series.js";
import { smallMap } from "../../js/small-map.js";
import { html, say, set, svg } from "../../js/svg.js";
import { mean, most, tokenMap } from "../../js/token-map.js";
import { whenWidthChanges } from "../../js/width.js";

const SIDE = 18; // room for letters beside a map
const TOP = 22;

/**
 * @param {number} width
 * @param {number} n  letters
 */
export function layout(width, n) {
  const narrow = width < 460; // the small maps stand two by two, else one below the other
  const alone = width < 330; // and below the large one
  const small = narrow ? 5 : 6;
  const each = Math.max(44, small * n + 10);
  const beside = alone ? 0 : (narrow ? 2 * each + 12 : each) + Math.ceil(Math.min(36, Math.max(12, width * 0.04)));
  const cell = Math.min(30, Math.floor((width - beside - SIDE - 2) / n));
  return { square: narrow, small, cell, loss: narrow ? 92 : 118 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [loss, exact, share, maps] = [series(run, "loss"), series(run, "exact_match"), series(run, "source_share"), series(run, "cross_attention")];
  const checkpoints = steps(maps, "checkpoint");
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const [read, written] = [labels(maps, "key"), labels(maps, "query")];
  const n = read.length;
  const truth = (/** @type {number} */ query) => n - 1 - query;
  const [lossSteps, losses, matches, shares] = [steps(loss, "step"), at(loss), at(exact), at(share)];
  const lossAt = (/** @type {number} */ t) => losses[nearest(lossSteps, t)] ?? NaN;
  const heads = Array.from({ length: maps.shape[1] ?? 0 }, (_, head) => head);

  let [index, head, letter] = [checkpoints.length - 1, 0, -1];
  /** @type {import("../../js/heat-map.js").Place | null} */
  let pointed = null;
  /** @type {number[]} */
  let weights = [];

  const chart = lineChart({
    name: "Loss over the training steps",
    x: { kind: "log-from-zero", domain: [0, last], ticks: stepTicks(last) },
    y: { kind: "log", domain: aroundPositive(losses), letters: 6 },
    lines: [{ x: lossSteps, y: losses }],
    label: (value) => `loss ${significant(value, 2)}`,
    picked: (t) => {
      scrub.stop();
      changed({ t: checkpoints[nearest(checkpoints, t)] });
    },
  });
  const scrub = scrubber({
    label: "Training step",
    length: checkpoints.length,
    describe: (place) => `step ${checkpoints[place]} of ${last}, loss ${significant(lossAt(checkpoints[place] ?? 0), 2)}`,
    read: (place) => `step ${checkpoints[place]} of ${last}`,
    changed: (to) => changed({ t: checkpoints[to] }),
  });
  const large = tokenMap({
    name: "Cross-attention: rows are the letters written, columns the letters read",
    queries: written,
    keys: read,
    truth,
    lit: (place) => {
      pointed = place;
      light();
    },
    chosen: ({ query }) => changed({ letter: query === letter ? 0 : query + 1 }),
  });
  const picture = svg("svg", { class: "diagram" }, large.element);
  const cards = [0, ...heads.map((one) => one + 1)].map((number) => {
    const map = number ? smallMap({ n }) : null;
    const button = html("button", { type: "button", class: "alignment-head", "aria-label": number ? `head ${number}` : "mean of the heads" }, number ? `head ${number}` : "mean", ...(map ? [map.element] : []));
    button.addEventListener("click", () => changed({ head: number }));
    return { number, map, button };
  });
  const column = html("div", { class: "alignment-heads", role: "group", "aria-label": "Heads" }, ...cards.map(({ button }) => button));
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(chart.element, scrub.element, html("div", { class: "alignment-maps" }, picture, column), readout);

  const valueAt = (/** @type {number} */ query, /** @type {number} */ key) => weights[query * n + key] ?? NaN;

  /** Which key a row reads most, and how much. @param {number} query */
  function reading(query) {
    const { key, weight } = most(weights, query, n);
    const right = key === truth(query) ? "the true source" : `not the true source, place ${truth(query) + 1}`;
    return `Letter ${query + 1}, ${written[query]}: reads place ${key + 1}, ${read[key]}, most, with ${fixed(weight, 2)}: ${right}.`;
  }

  function light() {
    const place = pointed ?? (letter >= 0 ? { query: letter, key: -1 } : null);
    large.light(place);
    const writes = run.examples.decodes?.[String(checkpoints[index])] ?? "";
    const sofar = `It writes ${writes}. Fresh strings right: ${percent(matches[index] ?? NaN, 1)}; rows largest on the true source: ${percent(shares[index] ?? NaN, 1)}.`;
    if (!place) say(readout, sofar);
    else if (place.query < 0) say(readout, `Down: how much each letter written reads place ${place.key + 1}, ${read[place.key]}.`);
    else if (place.key < 0) say(readout, reading(place.query));
    else say(readout, `Letter ${place.query + 1}, ${written[place.query]}, reads place ${place.key + 1}, ${read[place.key]}, with ${fixed(valueAt(place.query, place.key), 2)}${place.key === truth(place.query) ? ", the true source" : ""}.`);
  }

  function draw() {
    const each = heads.map((one) => at(maps, index, one));
    weights = head ? (each[head - 1] ?? []) : mean(each);
    chart.show(checkpoints[index] ?? 0);
    scrub.show(index);
    large.show(weights);
    large.tell(reading);
    for (const { number, map, button } of cards) {
      map?.show(each[number - 1] ?? []);
      set(button, { "aria-pressed": String(number === head) });
    }
    light();
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width, n);
    chart.resize(width, sizes.loss);
    large.resize(SIDE, TOP, sizes.cell);
    const [across, tall] = [SIDE + sizes.cell * n + 1, TOP + sizes.cell * n + 1];
    set(picture, { width: across, height: tall, viewBox: `0 0 ${across} ${tall}` });
    column.classList.toggle("is-square", sizes.square);
    for (const { map } of cards) map?.resize(sizes.small);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(checkpoints, Number(state.t ?? last));
      head = within(state.head, 0, heads.length);
      letter = within(state.letter, 0, n) - 1;
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
      for (const { map } of cards) map?.destroy();
    },
  };
}
