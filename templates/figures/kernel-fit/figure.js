/** Samples around a curve and a query among them: the mean that ignores it, or the weights its kernel gives and their estimate. */

import { choices } from "../../js/choices.js";
import { envelope } from "../../js/envelope.js";
import { fixed } from "../../js/format.js";
import { scatter } from "../../js/scatter.js";
import { nearest } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { stems } from "../../js/stems.js";
import { html, say, set, svg } from "../../js/svg.js";
import { stageHeight, whenWidthChanges } from "../../js/width.js";
import { FOUR, NAMES, samplesOf } from "./samples.js";

/**
 * The same height in both views: without kernel and weights the samples have all the room.
 * @param {number} width
 * @param {boolean} weighted
 * @param {number} [room] pixels for the whole, with a slider, a choice and a line of words
 */
export function layout(width, weighted, room = Infinity) {
  const wide = width >= 540;
  const [chart, strip] = wide ? [290, 124] : [Math.min(230, Math.max(96, room - 188)), 72];
  return weighted ? { chart, strip } : { chart: chart + strip + 44, strip: 0 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const samples = samplesOf(run);
  const { queries, axes } = samples;
  const own = nearest(samples.widths, samples.width);
  const pick = (/** @type {number} */ x) => changed({ query: queries[nearest(queries, x)] });
  const chooser = choices({ label: "kernel", values: FOUR, text: (kernel) => NAMES[kernel] ?? kernel, changed: (kernel) => changed({ kernel }) });
  const points = { x: samples.x, y: samples.y };
  const curves = [
    { x: queries, mark: "is-target", name: "" },
    { x: queries, mark: "is-fit", name: "" },
    { x: queries, mark: "is-fit is-thin", name: "" },
  ];
  const name = "Samples, the curve they come from, and the estimate at the query";
  const plots = { whole: scatter({ name, x: axes.x, y: axes.y, points, curves, picked: pick }), upper: scatter({ name, x: { ...axes.x, hidden: true }, y: axes.y, points, curves, picked: pick }) };
  const marks = Object.values(plots).map(({ element }) => {
    const parts = { estimate: svg("path", { class: "estimate" }), truth: svg("text", { class: "curve-name" }, "truth"), mean: svg("text", { class: "curve-name is-mean" }) };
    element.append(...Object.values(parts));
    return parts;
  });
  const strip = stems({ name: "The weight of each sample", xs: samples.x, ticks: axes.x.ticks, note: "weight of each sample" });
  const place = slider({
    label: "query",
    length: queries.length,
    widest: "0.00",
    read: (index) => fixed(queries[index] ?? NaN, 2),
    changed: (index) => changed({ query: queries[index] }),
  });
  const readout = html("p", { class: "readout" });
  root.classList.add("pooling");
  root.replaceChildren(readout, plots.whole.element, plots.upper.element, strip.element, chooser.element, place.element); // the slider stays where it is, with and without a choice

  let state = { weighted: true, kernel: "gaussian", query: 0 };
  let width = 0;

  function draw() {
    if (!width) return;
    const { weighted, kernel, query } = state;
    const x = queries[query] ?? NaN;
    const fit = weighted ? samples.fit(kernel, own) : queries.map(() => samples.mean);
    const estimate = fit[query] ?? NaN;
    const weights = weighted ? samples.weights(kernel, query) : samples.alike.weights;
    const most = weighted ? samples.most(kernel) : samples.alike.most;
    const [plot, mark] = weighted ? [plots.upper, marks[1]] : [plots.whole, marks[0]];
    plots.upper.element.toggleAttribute("hidden", !weighted);
    plots.whole.element.toggleAttribute("hidden", weighted);
    for (const element of [chooser.element, strip.element]) element.toggleAttribute("hidden", !weighted);
    plot.show({ curves: weighted ? [samples.truth, [], fit] : [samples.truth, fit, []], weights, most, cursor: x });
    if (mark) set(mark.estimate, { d: diamond(plot.layout().x.at(x), plot.layout().y.at(estimate)) });
    if (weighted) strip.show({ weights, most, curve: envelope(kernel, samples.width, x, samples.x, samples.domain), cursor: x });
    chooser.show(kernel);
    place.show(query);
    const truth = fixed(samples.truth[query] ?? NaN, 2);
    say(readout, weighted ? `At ${fixed(x, 2)}: truth ${truth}, estimate ${fixed(estimate, 2)}.` : `At ${fixed(x, 2)}: truth ${truth}, mean ${fixed(estimate, 2)}.`);
  }

  const unobserve = whenWidthChanges(root, (now) => {
    width = now;
    const room = stageHeight(root);
    plots.whole.resize(width, layout(width, false, room).chart);
    const { chart, strip: height } = layout(width, true, room);
    plots.upper.resize(width, chart);
    const { x, plot } = plots.upper.layout();
    strip.resize({ width, height, x, plot });
    marks.forEach((mark, index) => {
      const { x: across, y: up } = (index ? plots.upper : plots.whole).layout();
      // where the curve is steep there are no samples to its right
      set(mark.truth, { x: across.at(0.48), y: up.at(0.3) });
      set(mark.mean, { x: across.at(0) + 6, y: up.at(samples.mean) - 9 });
      say(mark.mean, index ? "" : "mean");
    });
    draw();
  });

  return {
    /** @param {Record<string, any>} shown */
    show(shown) {
      state = {
        weighted: shown.view !== "samples",
        kernel: FOUR.includes(String(shown.kernel)) ? String(shown.kernel) : "gaussian",
        query: nearest(queries, Number(shown.query ?? 0)),
      };
      draw();
    },
    destroy: unobserve,
  };
}

/** @param {number} x @param {number} y */
export function diamond(x, y) {
  return Number.isFinite(x) && Number.isFinite(y) ? `M${x.toFixed(1)} ${(y - 7).toFixed(1)}l7 7l-7 7l-7 -7Z` : "";
}
