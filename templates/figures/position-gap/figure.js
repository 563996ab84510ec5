/** Equal gaps: the similarity of two codes by their gap, and the turn of every clock's hand from two starts. */

import { ROUND, dial } from "../../js/dial.js";
import { fixed } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { within } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, series, steps } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @param {number} width @param {number} dials */
export function layout(width, dials) {
  const narrow = width < 460;
  const left = narrow ? 78 : 112;
  const pitch = (width - left) / dials;
  const radius = Math.min(narrow ? 22 : 40, pitch / 2 - 5);
  const row = 2 * radius + (narrow ? 8 : 14);
  return { left, pitch, radius, row, top: 38, chart: narrow ? 98 : 150, height: 38 + 2 * row };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [similarity, byGap, phase] = [series(run, "similarity"), series(run, "similarity_by_gap"), series(run, "phase")];
  const wavelengths = at(series(run, "wavelength"));
  const pairs = steps(phase, "shown_pair");
  const positions = similarity.shape[0] ?? 0;
  const gaps = steps(byGap, "gap");
  const size = String(run.parameters.num_hiddens);
  const curve = at(byGap, labels(byGap, "d").indexOf(size));
  let [gap, first, start] = [7, 5, 25];

  const chart = lineChart({
    name: `Cosine similarity of two codes by their gap, ${size} dimensions`,
    x: { domain: [0, positions - 1], name: "gap", ticks: [0, 16, 32, 48, positions - 1] },
    y: { domain: [0, 1], ticks: [0, 0.5, 1], name: "cosine similarity" },
    lines: [{ x: gaps, y: curve }],
    label: (value) => fixed(value, 2),
    picked: (x) => go(Math.round(x)),
  });
  const go = (/** @type {number} */ to) => changed({ gap: within(to, 0, positions - 1) });
  const gapSlider = slider({ label: "gap", length: positions, read: String, changed: go });
  const scrub = scrubber({
    label: "Start of the second pair",
    playing: "the starts",
    length: positions,
    describe: (index) => pairText(fit(index)),
    read: (index) => `start ${fit(index)}`,
    widest: "start 63",
    changed: (index) => changed({ start: fit(index) }),
  });
  const heads = pairs.map((pair) => svg("text", { class: "gap-head", y: 13 }, `pair ${pair}`));
  const turns = pairs.map(() => svg("text", { class: "gap-turn", y: 30 }));
  const turnName = svg("text", { x: 0, y: 30 }, "turns by");
  const clocks = [0, 1].map(() => ({
    pair: svg("text", { class: "gap-pair", x: 0 }),
    alike: svg("text", { class: "gap-alike", x: 0 }),
    dials: pairs.map(() => dial(2)),
  }));
  const drawing = svg("svg", { role: "img" }, ...heads, turnName, ...turns, ...clocks.flatMap(({ pair, alike, dials }) => [pair, alike, ...dials.map(({ element }) => element)]));
  const readout = html("p", { class: "readout" });
  root.replaceChildren(chart.element, gapSlider.element, drawing, scrub.element, readout);
  let sizes = layout(600, pairs.length);

  /** A start that leaves room for the gap. @param {number} from */
  const fit = (from) => within(from, 0, positions - 1 - gap);
  const alike = (/** @type {number} */ from) => fixed(at(similarity, from, from + gap)[0] ?? NaN, 2);
  const pairText = (/** @type {number} */ from) => `${from} and ${from + gap}: similarity ${alike(from)}`;

  function draw() {
    const starts = [fit(first), fit(start)];
    chart.show(gap);
    gapSlider.show(gap);
    scrub.show(starts[1] ?? 0);
    pairs.forEach((pair, index) => say(turns[index] ?? turnName, `${fixed((360 * gap) / (wavelengths[pair] ?? NaN), 0)}°`));
    clocks.forEach((clock, line) => {
      const from = starts[line] ?? 0;
      say(clock.pair, `${from} → ${from + gap}`);
      say(clock.alike, alike(from));
      clock.dials.forEach(({ show }, index) => {
        const angles = [from, from + gap].map((position) => at(phase, index, position)[0] ?? NaN);
        show(angles, (ROUND * gap) / (wavelengths[pairs[index] ?? 0] ?? NaN));
      });
    });
    const said = `Positions ${starts.map(pairText).join("; ")}.`;
    say(readout, said);
    set(drawing, { "aria-label": said });
  }

  const unobserve = whenWidthChanges(root, (width) => {
    sizes = layout(width, pairs.length);
    const { left, pitch, radius, row, top, height } = sizes;
    chart.resize(width, sizes.chart);
    set(drawing, { width, height, viewBox: `0 0 ${width} ${height}` });
    [heads, turns].forEach((texts) => texts.forEach((text, index) => set(text, { x: left + (index + 0.5) * pitch })));
    clocks.forEach(({ pair, alike, dials }, line) => {
      const y = top + (line + 0.5) * row;
      set(pair, { y: y - 5 });
      set(alike, { y: y + 16 });
      dials.forEach(({ resize }, index) => resize(left + (index + 0.5) * pitch, y, radius));
    });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      gap = within(state.gap, 0, positions - 1);
      first = Number(state.first ?? 5);
      start = Number(state.start ?? 25);
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
