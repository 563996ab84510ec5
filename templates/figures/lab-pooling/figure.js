/** Pool by similarity: the page's own engine fits the samples, weighs them at a query and judges the setting. */

import { announcer } from "../../js/announcer.js";
import { choices } from "../../js/choices.js";
import { estimate, KERNELS, meanAbsoluteError, poolingWeights } from "../../js/engine/kernels.js";
import { envelope } from "../../js/envelope.js";
import { fixed, significant } from "../../js/format.js";
import { scatter } from "../../js/scatter.js";
import { at, series } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { stems } from "../../js/stems.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";
import { diamond } from "../kernel-fit/figure.js";
import { NAMES, samplesOf } from "../kernel-fit/samples.js";
import { gaps } from "../kernel-width/gaps.js";
import { best, verdict } from "./verdict.js";
import { valley } from "./valley.js";

const PER_DECADE = 100;

/**
 * The widths of the slider: a hundred a decade, with as many digits as the run's own, so that those are among them.
 * @param {number} least @param {number} most
 */
export function widthsBetween(least, most) {
  const count = Math.round(PER_DECADE * Math.log10(most / least));
  return Array.from({ length: count + 1 }, (_, index) => Number((least * 10 ** (index / PER_DECADE)).toPrecision(4)));
}

/** @param {unknown} value @param {number} least @param {number} most @param {number} otherwise */
export function within(value, least, most, otherwise) {
  const number = Number(value);
  return Number.isFinite(number) && value !== undefined ? Math.min(Math.max(number, least), most) : otherwise;
}

/** @param {number} width */
export function layout(width) {
  return width >= 460 ? { chart: 262, strip: 116 } : { chart: 158, strip: 76 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const samples = samplesOf(run);
  const { queries, axes, domain } = samples;
  const [low, high] = domain;
  const baked = samples.widths;
  const widths = widthsBetween(baked[0] ?? 1, baked[baked.length - 1] ?? 1);
  const [narrowest, widest] = [widths[0] ?? 1, widths[widths.length - 1] ?? 1];
  const [errors, coverage] = [series(run, "error"), series(run, "coverage")];
  const kernels = (errors.coordinates.kernel ?? []).map(String);
  const curveOf = (/** @type {string} */ kernel) => ({
    widths: baked,
    errors: at(errors, samples.row(kernel)),
    coverage: at(coverage, samples.row(kernel)),
    mean: at(errors, samples.row("constant"), 0)[0] ?? NaN,
  });
  const indexOf = (/** @type {number} */ width) => Math.round(PER_DECADE * Math.log10(width / narrowest));
  const written = (/** @type {number} */ width) => (width < 1 ? fixed(width, width < 0.1 ? 3 : 2) : significant(width, 3));

  const pick = (/** @type {number} */ x) => changed({ x: Number(Math.min(high, Math.max(low, x)).toFixed(2)) });
  const chooser = choices({ label: "kernel", values: kernels, text: (kernel) => NAMES[kernel] ?? kernel, changed: (kernel) => changed({ kernel }) });
  const plot = scatter({
    name: "Samples, the curve they come from, and the fit",
    x: { ...axes.x, hidden: true },
    y: axes.y,
    points: { x: samples.x, y: samples.y },
    curves: [{ x: queries, mark: "is-target", name: "" }, { x: queries, mark: "is-fit", name: "" }],
    picked: pick,
  });
  const empty = gaps(queries);
  const mark = svg("path", { class: "estimate" });
  const truthName = svg("text", { class: "curve-name" }, "truth");
  plot.element.append(empty.element, truthName, mark);
  const strip = stems({ name: "The weight of each sample", xs: samples.x, ticks: axes.x.ticks, note: "weight of each sample" });
  const range = slider({
    label: "width",
    length: widths.length,
    widest: "0.500",
    read: (index) => written(widths[index] ?? NaN),
    changed: (index) => changed({ width: widths[index] }),
  });
  const places = Math.round((high - low) * 100);
  const query = slider({ label: "query", length: places + 1, widest: "0.00", read: (index) => fixed(low + index / 100, 2), changed: (index) => pick(low + index / 100) });
  const input = /** @type {HTMLInputElement} */ (range.element.querySelector("input"));
  const curve = valley({ widths: baked, picked: (width) => changed({ width: widths[indexOf(Math.min(widest, Math.max(narrowest, width)))] }) });
  const error = html("span", { class: "lab-number" });
  const announce = announcer();
  const [bold, rest] = [html("strong"), html("span")];
  const judgement = html("p", { class: "lab-verdict" }, bold, " ", rest);
  const readout = html("p", { class: "readout" });
  root.classList.add("pooling");
  root.replaceChildren(
    html("div", { class: "lab-split" },
      html("div", {}, plot.element, strip.element, readout),
      html("div", { class: "lab-side" }, chooser.element, range.element, query.element,
        html("div", { class: "lab-result" }, html("span", { class: "lab-name" }, "mean error"), error), judgement)),
    announce.element,
  );
  const errorsBox = html("div", {}, curve.element);
  judgement.after(errorsBox);
  const stage = /** @type {HTMLElement} */ (plot.element.parentElement);

  let state = { kernel: "gaussian", width: samples.width, x: 0 };
  let room = 0;

  function draw() {
    if (!room) return;
    const { kernel, width, x } = state;
    const fit = queries.map((q) => estimate(q, samples.x, samples.y, kernel, width));
    const drawn = fit.map((value) => value ?? NaN);
    const weights = poolingWeights(x, samples.x, kernel, width);
    const given = weights ? [...weights] : [];
    const most = Math.max(0.12, ...given);
    const here = estimate(x, samples.x, samples.y, kernel, width) ?? NaN;
    plot.show({ curves: [samples.truth, drawn], weights: given, most, cursor: x });
    empty.show(drawn, plot.layout());
    set(mark, { d: diamond(plot.layout().x.at(x), plot.layout().y.at(here)) });
    strip.show({ weights: given, most, curve: envelope(kernel, width, x, samples.x, domain), cursor: x });
    chooser.show(kernel);
    range.show(indexOf(width));
    input.disabled = kernel === "constant";
    query.show(Math.round((x - low) * 100));
    const mean = meanAbsoluteError(fit, samples.truth) ?? NaN;
    say(error, fixed(mean, 2));
    const known = curveOf(kernel);
    curve.show({ ...known, best: kernel === "constant" ? null : best(known), width, error: mean });
    const [head, tail] = verdict({ kernel, width, error: mean, fit: drawn }, known, written);
    say(bold, head);
    say(rest, tail);
    announce.tell(`Mean error ${fixed(mean, 2)}. ${head} ${tail}`);
    const count = given.filter((weight) => weight >= 0.005).length;
    say(readout, weights ? `At ${fixed(x, 2)} the estimate is ${fixed(here, 2)}; ${count} of ${given.length} samples have half a per cent of the weight or more.` : `At ${fixed(x, 2)} no sample is in the window: the estimate is undefined.`);
  }

  const unobserve = [whenWidthChanges(errorsBox, (now) => {
    curve.resize(now, 118);
    draw();
  }), whenWidthChanges(stage, (now) => {
    room = now;
    const sizes = layout(room);
    plot.resize(room, sizes.chart);
    const { x, y, plot: frame } = plot.layout();
    strip.resize({ width: room, height: sizes.strip, x, plot: frame });
    empty.resize(plot.layout());
    set(truthName, { x: x.at(0.48), y: y.at(0.4) });
    draw();
  })];

  return {
    /** @param {Record<string, any>} shown */
    show(shown) {
      state = {
        kernel: Object.hasOwn(KERNELS, shown.kernel) ? shown.kernel : "gaussian",
        width: within(shown.width, narrowest, widest, samples.width),
        x: within(shown.x, low, high, (low + high) / 2),
      };
      draw();
    },
    destroy: () => [...unobserve, announce.stop].forEach((stop) => stop()),
  };
}
