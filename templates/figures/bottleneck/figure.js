/** A sentence as one vector: which share of its words is still in it, by the length of both. */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, nearest, series, steps } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @param {number} width */
export function layout(width) {
  const narrow = width < 460;
  return { funnel: narrow ? 76 : 120, chart: narrow ? 142 : 240 };
}

/**
 * The words of a sentence as squares in a row, and the wedge that squeezes them into one vector.
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @param {number} numbers  how long the vector is, of `most`
 * @param {number} most
 */
export function funnel(count, width, height, numbers, most) {
  const pitch = Math.min(26, (width - 2) / count);
  const size = Math.max(4, pitch - Math.max(2, pitch * 0.22));
  const left = (width - pitch * count) / 2 + (pitch - size) / 2;
  const vector = Math.max(14, (width * 0.62 * numbers) / most);
  return { size, x: (/** @type {number} */ word) => left + word * pitch, bottom: height - 20, vector, span: pitch * count };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const recall = series(run, "bottleneck_recall");
  const [lengths, widths] = [steps(recall, "length"), steps(recall, "width")];
  const longest = lengths[lengths.length - 1] ?? 1;
  const most = widths[widths.length - 1] ?? 1;
  const share = (/** @type {number} */ width, /** @type {number} */ length) => at(recall, width, length)[0] ?? NaN;
  const told = (/** @type {number} */ width, /** @type {number} */ length) => `${fixed(share(width, length) * (lengths[length] ?? 0), 1)} of ${lengths[length]} words`;

  const control = choices({ label: "numbers in the vector", values: widths, changed: (width) => changed({ width }) });
  const scrub = scrubber({
    label: "Words in the sentence",
    playing: "longer sentences",
    length: lengths.length,
    framesPerSecond: 2.5,
    describe: (index) => `${lengths[index]} words: ${told(chosen, index)} recovered`,
    read: (index) => `${lengths[index]} word${lengths[index] === 1 ? "" : "s"}`,
    widest: `${longest} words`,
    changed: (index) => changed({ length: lengths[index] }),
  });
  const words = Array.from({ length: longest }, () => svg("rect", { class: "word", rx: 2 }));
  const wedge = svg("path", { class: "wedge" });
  const vector = svg("rect", { class: "vector", rx: 3 });
  const vectorName = svg("text", { class: "vector-name" });
  const drawing = svg("svg", { class: "bottleneck", role: "img" }, wedge, ...words, vector, vectorName);
  const chart = lineChart({
    name: "Share of the words recovered, against the length of the sentence, for each size of the vector",
    x: { kind: "log", domain: [1, longest], ticks: [1, 2, 4, 8, 16, 32], name: "words in the sentence" },
    y: { domain: [0, 1], ticks: [0, 0.5, 1], text: (value) => percent(value), letters: 5, name: "words recovered" },
    lines: widths.map((width, row) => ({ x: lengths, y: at(recall, row), name: String(width), mark: `of-${row}` })),
    picked: (length) => {
      scrub.stop();
      changed({ length: lengths[nearest(lengths.map(Math.log), Math.log(length))] });
    },
  });
  const readout = html("p", { class: "readout" });
  root.replaceChildren(control.element, drawing, scrub.element, chart.element, readout);
  const lines = widths.map((_, row) => [...chart.element.querySelectorAll(`.of-${row}`)]);

  let [chosen, index] = [0, lengths.length - 1];
  let sizes = layout(300);
  let room = 300;

  function draw() {
    const count = lengths[index] ?? 1;
    const numbers = widths[chosen] ?? 1;
    const kept = share(chosen, index);
    control.show(numbers);
    scrub.show(index);
    chart.show(count);
    lines.forEach((parts, row) => parts.forEach((part) => part.classList.toggle("is-chosen", row === chosen)));
    const { size, x, bottom, vector: long, span } = funnel(count, room, sizes.funnel, numbers, most);
    const full = kept * count;
    words.forEach((word, place) => {
      // the last of the recovered words is filled in part: shares are means over many sentences
      const filled = Math.min(1, Math.max(0, full - place));
      set(word, { visibility: place < count ? "visible" : "hidden", x: place < count ? x(place) : 0, y: 1, width: size, height: size, "fill-opacity": filled });
    });
    const middle = room / 2;
    set(wedge, { d: `M${middle - span / 2} ${size + 5}L${middle - long / 2} ${bottom - 16}H${middle + long / 2}L${middle + span / 2} ${size + 5}` });
    set(vector, { x: middle - long / 2, y: bottom - 14, width: long, height: 12 });
    say(vectorName, `one vector of ${numbers} numbers`);
    set(vectorName, { x: middle, y: bottom + 14 });
    say(readout, `Of ${count} ${count === 1 ? "word" : "words"}, ${fixed(full, 1)} can be told from the vector on average (${percent(kept)}). Their order is lost in any case.`);
    set(drawing, { "aria-label": `${count} words in one vector of ${numbers} numbers: ${told(chosen, index)} recovered` });
  }

  const unobserve = whenWidthChanges(root, (width) => {
    room = width;
    sizes = layout(width);
    set(drawing, { width, height: sizes.funnel, viewBox: `0 0 ${width} ${sizes.funnel}` });
    chart.resize(width, sizes.chart);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(lengths, Number(state.length ?? longest));
      chosen = nearest(widths, Number(state.width ?? widths[0]));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
