/** The width of a kernel: its fit, and below it the error against the truth and the error of leaving each sample out. */

import { choices } from "../../js/choices.js";
import { fixed, percent, significant } from "../../js/format.js";
import { scatter } from "../../js/scatter.js";
import { at, nearest, series } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { html, say, set } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";
import { FOUR, NAMES, samplesOf } from "../kernel-fit/samples.js";
import { bestOf, errorChart } from "./errors.js";
import { gaps } from "./gaps.js";

/** @param {number} width */
export function layout(width) {
  return width >= 540 ? { chart: 240, errors: 190 } : { chart: 168, errors: 150 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const samples = samplesOf(run);
  const { queries, widths, axes } = samples;
  const of = (/** @type {string} */ name, /** @type {string} */ kernel) => at(series(run, name), samples.row(kernel));
  const logs = widths.map(Math.log);
  const chooser = choices({ label: "kernel", values: FOUR, text: (kernel) => NAMES[kernel] ?? kernel, changed: (kernel) => changed({ kernel }) });
  const plot = scatter({
    name: "Samples, truth and fit",
    x: axes.x,
    y: axes.y,
    points: { x: samples.x, y: samples.y },
    curves: [{ x: queries, mark: "is-target", name: "" }, { x: queries, mark: "is-fit", name: "" }],
  });
  const empty = gaps(queries);
  plot.element.append(empty.element);
  const go = (/** @type {number} */ index) => changed({ width: widths[index] });
  const errors = errorChart({ widths, picked: (width) => go(nearest(logs, Math.log(width))) });
  const range = slider({ label: "width", length: widths.length, widest: "0.050", read: (index) => significant(widths[index] ?? NaN, 2), changed: go });
  const readout = html("p", { class: "readout" });
  root.classList.add("pooling");
  root.replaceChildren(readout, plot.element, errors.element, range.element, chooser.element);

  let state = { kernel: "gaussian", width: 0 };
  let room = 0;

  function draw() {
    if (!room) return;
    const { kernel, width } = state;
    const fit = samples.fit(kernel, width);
    plot.show({ curves: [samples.truth, fit], ...samples.alike });
    empty.show(fit, plot.layout());
    const truth = { values: of("error", kernel), coverage: of("coverage", kernel) };
    const left = { values: of("loo_error", kernel), coverage: of("loo_coverage", kernel) };
    const one = kernel === "constant"; // no width, hence no best one
    errors.show({ truth, left, best: one ? null : { truth: bestOf(truth), left: bestOf(left) }, width });
    chooser.show(kernel);
    range.show(width);
    const share = 1 - (truth.coverage[width] ?? 1);
    const unanswered = share > 0 ? `, and no answer for ${percent(share)} of the queries` : "";
    say(readout, `Mean error ${fixed(truth.values[width] ?? NaN, 2)} against the truth${unanswered}.${one ? " This kernel has no width." : ""}`);
  }

  const unobserve = whenWidthChanges(root, (now) => {
    room = now;
    const { chart, errors: height } = layout(room);
    plot.resize(room, chart);
    errors.resize(room, height);
    empty.resize(plot.layout());
    draw();
  });

  return {
    /** @param {Record<string, any>} shown */
    show(shown) {
      state = { kernel: FOUR.includes(String(shown.kernel)) ? String(shown.kernel) : "gaussian", width: nearest(logs, Math.log(Number(shown.width ?? 1))) };
      draw();
    },
    destroy: unobserve,
  };
}

