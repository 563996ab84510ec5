/** Phrases the scorer never saw: all of them as columns of dots, a dot a word, and the lines of the one that is chosen. */

import { fixed } from "../../js/format.js";
import { peaks } from "../../js/heat-map.js";
import { scrubber } from "../../js/scrub.js";
import { labels, rows, series } from "../../js/series.js";
import { html, pointIn, say, set, svg } from "../../js/svg.js";
import { tokenRows } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {{ source: string[], target: string[], written: string[], rows_right: boolean[], translated: boolean }} Outcome */

/**
 * A column of dots for every phrase, the two groups a little apart.
 * @param {number} first  phrases in the first group
 * @param {number} count  in both
 * @param {number} width
 */
export function strip(first, count, width) {
  const gap = 2; // columns
  const pitch = Math.min(14, width / (count + gap));
  const column = (/** @type {number} */ phrase) => (phrase + (phrase >= first ? gap : 0) + 0.5) * pitch;
  return { pitch, radius: pitch * 0.34, column, top: 26, row: pitch * 1.05, height: 26 + 4 * pitch * 1.05 + 12 };
}

/** @param {number} width */
export function layout(width) {
  const narrow = width < 460;
  return { arcs: narrow ? 136 : 250, width: Math.min(width, 600) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const attention = series(run, "held_out_attention");
  const phrases = labels(attention, "phrase");
  /** @type {Outcome[]} */
  const crossed = run.examples.held_out;
  /** @type {Outcome[]} */
  const straight = run.examples.other_order;
  const outcomes = [...crossed, ...straight];
  const places = outcomes[0]?.target.length ?? 0;
  const letters = Math.max(...outcomes.flatMap(({ target }) => target.map((word) => word.length)));

  const titles = [`${crossed.length} phrases in the trained order`, `${straight.length} in another order`].map((text) => svg("text", { class: "strip-title" }, text));
  const dots = outcomes.map(({ rows_right: right }) => right.map((hit) => svg("circle", { class: hit ? "outcome" : "outcome is-wrong" })));
  const whole = outcomes.map(({ translated }) => svg("rect", { class: "outcome-whole", visibility: translated ? "visible" : "hidden" }));
  const frame = svg("rect", { class: "outcome-frame", rx: 3 });
  const chart = svg("svg", { class: "outcomes", role: "img", "aria-label": summary(crossed, straight) }, ...titles, ...whole, ...dots.flat(), frame);
  chart.addEventListener("pointerdown", (event) => {
    const { x } = pointIn(event, chart);
    const distances = outcomes.map((_, phrase) => Math.abs(place.column(phrase) - x));
    scrub.stop();
    changed({ phrase: phrases[distances.indexOf(Math.min(...distances))] });
  });
  const scrub = scrubber({
    label: "Phrase",
    playing: "all phrases",
    length: phrases.length,
    describe: (index) => `${phrases[index]}: ${told(index)}`,
    read: (index) => phrases[index] ?? "",
    widest: phrases.reduce((longest, phrase) => (phrase.length > longest.length ? phrase : longest), ""),
    changed: (index) => changed({ phrase: phrases[index] }),
  });
  const strands = tokenRows({ name: "What each French word reads", queries: places, keys: Array.from({ length: places }, () => ""), letters });
  const verdict = html("p", { class: "readout" });
  const legend = html("p", { class: "outcomes-legend" }, "A dot is a French word: ", html("i", { class: "dot", "aria-hidden": "true" }), "reads the right word most, ", html("i", { class: "dot is-wrong", "aria-hidden": "true" }), "another. ", html("i", { class: "whole", "aria-hidden": "true" }), "All written rightly.");
  root.replaceChildren(chart, legend, scrub.element, strands.element, verdict);

  let index = 0;
  let place = strip(crossed.length, outcomes.length, 300);

  /** @param {number} phrase */
  function told(phrase) {
    const one = outcomes[phrase];
    if (!one) return "";
    const right = one.rows_right.filter(Boolean).length;
    return `${right} of ${places} words read the right one most. Right: ${spelled(one.target)}. It writes: ${spelled(one.written)}${one.translated ? ", all right" : ""}.`;
  }

  function draw() {
    const one = outcomes[index];
    if (!one) return;
    const weights = rows(attention, index);
    scrub.show(index);
    strands.rename(one.source);
    strands.show(one.target, weights, -1, (query) => !one.rows_right[query]);
    const reads = one.target.map((word, query) => {
      const [best = 0] = peaks(weights[query] ?? [], places);
      return `${word} reads ${one.source[best]} most (${fixed(weights[query]?.[best] ?? NaN, 2)})${one.rows_right[query] ? "" : ", wrongly"}`;
    });
    set(strands.element, { "aria-label": `${phrases[index]}: ${reads.join("; ")}` });
    set(frame, { x: place.column(index) - place.pitch / 2, y: place.top - 2, width: place.pitch, height: place.row * places + 4 });
    say(verdict, `${told(index)[0]} of ${places} read the right word. Right: ${spelled(one.target)}. It writes: ${spelled(one.written)}.`);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    place = strip(crossed.length, outcomes.length, width);
    set(chart, { width, height: place.height, viewBox: `0 0 ${width} ${place.height}` });
    set(titles[0] ?? chart, { x: place.column(0) - place.pitch / 2, y: 13 });
    set(titles[1] ?? chart, { x: place.column(crossed.length) - place.pitch / 2, y: 13 });
    dots.forEach((column, phrase) =>
      column.forEach((dot, row) => set(dot, { cx: place.column(phrase), cy: place.top + (row + 0.5) * place.row, r: place.radius })),
    );
    whole.forEach((mark, phrase) => set(mark, { x: place.column(phrase) - place.radius, y: place.top + places * place.row + 4, width: 2 * place.radius, height: 3 }));
    strands.resize({ left: 0, width: sizes.width, height: sizes.arcs });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = Math.max(0, phrases.indexOf(String(state.phrase ?? "")));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}

/** @param {string[]} words */
function spelled(words) {
  return words.join(" ");
}

/** @param {Outcome[]} crossed @param {Outcome[]} straight */
function summary(crossed, straight) {
  const part = (/** @type {Outcome[]} */ group, /** @type {string} */ name) => {
    const right = group.flatMap((one) => one.rows_right);
    return `${name}: ${right.filter(Boolean).length} of ${right.length} words read the right one most, ${group.filter((one) => one.translated).length} of ${group.length} phrases are written rightly`;
  };
  return `${part(crossed, "Phrases in the trained order")}. ${part(straight, "Phrases in another order")}.`;
}
