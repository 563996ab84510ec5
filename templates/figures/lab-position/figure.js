/** The shape of a position: two codes, number by number, what each adds to their likeness, and the same gap elsewhere. */

import { announcer } from "../../js/announcer.js";
import { cosineSimilarity, frequencies, sinusoidalPositions } from "../../js/engine/positions.js";
import { count, fixed } from "../../js/format.js";
import { linear } from "../../js/scale.js";
import { slider } from "../../js/slider.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const FURTHER = 20;

/**
 * Another start with the same gap, if there is one.
 * @param {number} start the smaller of two positions @param {number} gap @param {number} length
 */
export function elsewhere(start, gap, length) {
  const starts = length - gap;
  const other = (start + FURTHER) % starts;
  if (other !== start) return other;
  return starts > 1 ? (start + 1) % starts : null;
}

/**
 * The least and the greatest likeness of two codes with this gap, over all starts.
 * @param {import("../../js/engine/tensor.js").Tensor} code @param {number} gap
 */
export function everywhere(code, gap) {
  const starts = (code.shape[0] ?? 0) - gap;
  const all = Array.from({ length: starts }, (_, start) => cosineSimilarity(code, start, start + gap));
  return { starts, least: Math.min(...all), most: Math.max(...all) };
}

/** @param {number} width @param {number} dimensions */
export function layout(width, dimensions) {
  const narrow = width < 460;
  const left = narrow ? 30 : 44;
  const row = narrow ? 48 : 78;
  return { left, row, half: row / 2 - 5, pitch: (width - left) / dimensions, height: 3 * row + 24 };
}

/**
 * Upright bars from a middle line, one path for all of them.
 * @param {ArrayLike<number>} values from −1 to 1 @param {{ left: number, pitch: number, half: number }} sizes @param {number} middle
 */
export function barPath(values, { left, pitch, half }, middle) {
  const thick = Math.max(2, pitch - 2);
  return Array.from(values, (value, k) => `M${(left + k * pitch + (pitch - thick) / 2).toFixed(1)} ${middle}v${(-value * half).toFixed(1)}h${thick.toFixed(1)}v${(value * half).toFixed(1)}Z`).join("");
}

/** @param {unknown} value @param {number} length */
function position(value, length) {
  return Math.min(length - 1, Math.max(0, Math.round(Number(value) || 0)));
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const { num_positions: length, num_hiddens: dimensions } = run.parameters;
  const code = sinusoidalPositions(length, dimensions);
  const rates = frequencies(dimensions);
  const codeOf = (/** @type {number} */ t) => code.data.subarray(t * dimensions, (t + 1) * dimensions);
  const sliders = /** @type {const} */ (["i", "j"]).map((name) =>
    slider({ label: name, length, widest: "63", read: String, describe: (index) => `position ${index}`, changed: (index) => changed({ [name]: index }) }),
  );
  sliders.forEach(({ element }, index) => element.classList.add(index ? "is-key" : "is-query"));
  const strips = ["is-query", "is-key", "is-product"].map((mark) => ({
    ground: svg("line", { class: "lab-ground" }),
    bars: svg("path", { class: `lab-bars ${mark}` }),
    name: svg("text", { class: `lab-row ${mark}` }),
  }));
  const ends = [svg("text", { class: "lab-end is-first" }, "fast"), svg("text", { class: "lab-end" }, "slow")];
  const drawing = svg("svg", { role: "img" }, ...strips.flatMap((strip) => Object.values(strip)), ...ends);

  const track = svg("line", { class: "lab-gauge-track" });
  const ticks = [-1, 0, 1].map((value) => ({ value, text: svg("text", { class: "tick tick-x" }, fixed(value, 0)), line: svg("line", { class: "tick-mark" }) }));
  const words = [svg("text", { class: "lab-gauge-word" }, "opposite"), svg("text", { class: "lab-gauge-word is-last" }, "identical")];
  const filled = svg("line", { class: "lab-gauge-filled" });
  const needle = svg("circle", { class: "lab-gauge-needle", r: 8 });
  const gauge = svg("svg", { role: "img" }, track, filled, ...ticks.flatMap(({ text, line }) => [text, line]), ...words, needle);
  const likeness = html("span", { class: "lab-number" });
  const distance = html("span", { class: "lab-number" });
  const other = html("p", { class: "lab-verdict" });
  const announce = announcer();
  const readout = html("p", { class: "readout" });
  const stage = html("div", {}, drawing, readout);
  const dial = html("div", {}, gauge);
  root.replaceChildren(
    html("div", { class: "lab-split" }, stage,
      html("div", { class: "lab-side" }, ...sliders.map(({ element }) => element), dial,
        html("div", { class: "lab-results" },
          html("div", { class: "lab-result" }, html("span", { class: "lab-name" }, "similarity"), likeness),
          html("div", { class: "lab-result" }, html("span", { class: "lab-name" }, "|i − j|"), distance)),
        other)),
    announce.element,
  );
  let [i, j] = [0, 0];
  let sizes = layout(300, dimensions);
  let across = linear([-1, 1], [0, 1]);

  function draw() {
    const [first, second] = [codeOf(i), codeOf(j)];
    const gap = Math.abs(i - j);
    const similarity = cosineSimilarity(code, i, j);
    const products = first.map((value, k) => value * (second[k] ?? 0));
    strips.forEach(({ bars }, row) => set(bars, { d: barPath([first, second, products][row] ?? [], sizes, (row + 0.5) * sizes.row) }));
    say(strips[0]?.name ?? ends[0], String(i));
    say(strips[1]?.name ?? ends[0], String(j));
    say(strips[2]?.name ?? ends[0], "×");
    sliders.forEach((one, index) => one.show(index ? j : i));
    const x = across.at(similarity);
    set(filled, { x1: across.at(0), x2: x });
    set(needle, { cx: x });
    say(likeness, fixed(similarity, 2));
    say(distance, String(gap));
    set(gauge, { "aria-label": `Similarity ${fixed(similarity, 2)}, between −1 opposite and 1 identical` });
    set(drawing, { "aria-label": `The codes of positions ${i} and ${j}, and the products of their numbers` });
    const start = elsewhere(Math.min(i, j), gap, length);
    const { starts, least, most } = everywhere(code, gap);
    announce.tell(`Similarity ${fixed(similarity, 2)}, ${gap} apart`);
    if (start === null) say(other, `No other two of these ${length} positions are ${gap} apart.`);
    else {
      const spread = most - least;
      const alike = spread < 1e-12 ? `All ${starts} pairs that far apart agree, to ${spread > 0 ? spread.toExponential(1).replace("-", "−") : "the last bit"}.` : `The ${starts} pairs that far apart differ by up to ${fixed(spread, 2)}.`;
      say(other, `Elsewhere, ${start} → ${start + gap}: ${fixed(cosineSimilarity(code, start, start + gap), 2)}. ${alike}`);
    }
    const turn = (rates[0] ?? 0) * gap * (180 / Math.PI);
    const slow = (rates[rates.length - 1] ?? 0) * gap * (180 / Math.PI);
    say(readout, `The products in the third row add up to ${fixed(similarity * (dimensions / 2), 2)} of at most ${dimensions / 2}. From ${i} to ${j} the fast pair turns by ${count(Math.round(turn))}°, the slow one by ${fixed(slow, 2)}°.`);
  }

  const unobserve = [
    whenWidthChanges(stage, (width) => {
      sizes = layout(width, dimensions);
      set(drawing, { width, height: sizes.height, viewBox: `0 0 ${width} ${sizes.height}` });
      strips.forEach(({ ground, name }, row) => {
        const y = (row + 0.5) * sizes.row;
        set(ground, { x1: sizes.left, x2: width, y1: y, y2: y });
        set(name, { x: sizes.left - 10, y });
      });
      ends.forEach((text, index) => set(text, { x: index ? width : sizes.left, y: 3 * sizes.row + 16 }));
      draw();
    }),
    whenWidthChanges(dial, (width) => {
      across = linear([-1, 1], [10, width - 10]);
      set(gauge, { width, height: 64, viewBox: `0 0 ${width} 64` });
      set(track, { x1: 10, x2: width - 10, y1: 32, y2: 32 });
      set(filled, { y1: 32, y2: 32 });
      set(needle, { cy: 32 });
      for (const { value, text, line } of ticks) {
        set(text, { x: across.at(value), y: 58 });
        set(line, { x1: across.at(value), x2: across.at(value), y1: 27, y2: 37 });
      }
      words.forEach((text, index) => set(text, { x: index ? width : 0, y: 14 }));
      draw();
    }),
  ];

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      [i, j] = [position(state.i, length), position(state.j, length)];
      draw();
    },
    destroy: () => [...unobserve, announce.stop].forEach((stop) => stop()),
  };
}
