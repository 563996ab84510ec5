/**
 * Times of self-attention and of a Perceiver as the input grows. Dashed is what the scores alone predict, from the
 * longest input down; where the two measured lines meet is marked.
 */

import { choices } from "../../js/choices.js";
import { count, significant } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, nearest, series, steps } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { stageHeight, whenWidthChanges } from "../../js/width.js";

/** @typedef {{ where: string, lengths: string[], self_attention: string[], perceiver: string[] }} Elsewhere */

const NAMES = ["self-attention", "Perceiver"];
const MARKS = ["cost-self", "cost-perceiver"];

/** A time as one says it: 0.85 ms, 92 ms, 3.8 s. @param {number} ms */
export function time(ms) {
  return ms >= 999.5 ? `${significant(ms / 1000, 2)} s` : `${significant(ms, 2)} ms`;
}

/**
 * Where two lines meet on logarithmic axes, between points where the first overtakes the second; null if it never does.
 * @param {number[]} x
 * @param {number[]} first
 * @param {number[]} second
 */
export function crossing(x, first, second) {
  const ahead = first.map((value, index) => Math.log(value / (second[index] ?? NaN)));
  const after = ahead.findIndex((gap, index) => index > 0 && gap >= 0 && (ahead[index - 1] ?? 0) < 0);
  if (after < 0) return null;
  const [low, high] = [ahead[after - 1] ?? 0, ahead[after] ?? 0];
  const share = -low / (high - low);
  /** @param {number[]} values */
  const between = (values) => (values[after - 1] ?? 0) ** (1 - share) * (values[after] ?? 0) ** share;
  return { x: between(x), y: between(first) };
}

/** Values in proportion to `scores`, with the last of `values` as their own. @param {number[]} scores @param {number[]} values */
export function predicted(scores, values) {
  const last = scores.length - 1;
  return scores.map((one) => (one / (scores[last] ?? 1)) * (values[last] ?? NaN));
}

/** @param {number} width @param {number} room */
export function layout(width, room) {
  return { height: Math.min(width < 460 ? 222 : 400, Math.max(150, room)) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run, options }, changed) {
  const seconds = ["self_attention_seconds", "perceiver_seconds"].map((name) => series(run, name));
  const lengths = steps(seconds[0] ?? series(run, ""), "length");
  const times = seconds.map((one) => at(one).map((value) => value * 1000));
  const lines = ["self_attention_scores", "perceiver_scores"].map((name, k) => predicted(at(series(run, name)), times[k] ?? []));
  /** @type {Elsewhere[]} */
  const records = options.elsewhere ?? [];
  const other = records[0];
  const others = other ? [other.self_attention, other.perceiver].map((all) => all.map(Number)) : [];
  const meets = crossing(lengths, times[0] ?? [], times[1] ?? []);
  const [least, most] = [Math.min(...times.flat(), ...others.flat()), Math.max(...times.flat(), ...others.flat())];
  /** @type {[number, number]} */
  const domain = [10 ** Math.floor(Math.log10(least)), most * 1.6];

  const chart = lineChart({
    name: "Time by the number of inputs, on logarithmic axes: self-attention starts below the Perceiver, crosses it and grows much faster",
    x: { kind: "log", domain: [lengths[0] ?? 1, (lengths[lengths.length - 1] ?? 1) * 1.12], name: "inputs N", ticks: lengths, text: String },
    y: { kind: "log", domain, name: "time of one forward pass", text: (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`), letters: 6 },
    lines: times.map((y, k) => ({ x: lengths, y, mark: MARKS[k] ?? "" })),
    picked: (length) => {
      scrub.stop();
      changed({ length: lengths[nearest(lengths.map(Math.log), Math.log(length))] });
    },
  });
  const points = times.map((_, k) => lengths.map(() => svg("circle", { class: `cost-point ${MARKS[k]}`, r: 3.5 })));
  const dashed = lines.map((_, k) => svg("path", { class: `cost-predicted ${MARKS[k]}` }));
  const borrowed = others.map((_, k) => svg("path", { class: `cost-elsewhere ${MARKS[k]}` }));
  const ring = svg("circle", { class: "cost-crossing", r: 9 });
  const labels = NAMES.map((name, k) => svg("text", { class: `cost-label ${MARKS[k]}` }, name));
  const rules = ["N × N", `M × N + ${run.parameters.num_blocks} × M × M`].map((rule) => svg("text", { class: "cost-label is-quiet" }, rule));
  const where = svg("text", { class: "cost-label is-quiet" }, other?.where ?? "");
  const meeting = svg("text", { class: "cost-label is-crossing" }, meets ? `equal at ${count(Math.round(meets.x))}` : "");
  chart.element.append(...dashed, ...borrowed, ...points.flat(), ring, ...labels, ...rules, where, meeting);

  const control = choices({
    label: "beside",
    values: ["scores", "elsewhere"],
    text: (value) => (value === "scores" ? "the scores" : (other?.where ?? "")),
    changed: (beside) => changed({ beside }),
  });
  control.element.hidden = !other;
  const scrub = scrubber({
    label: "Inputs",
    playing: "longer inputs",
    length: lengths.length,
    framesPerSecond: 2,
    read: (index) => `N = ${count(lengths[index] ?? 0)}`,
    widest: `N = ${count(lengths[lengths.length - 1] ?? 0)}`,
    describe: (index) => `${lengths[index]} inputs: ${told(index)}`,
    changed: (index) => changed({ length: lengths[index] }),
  });
  const readout = html("p", { class: "readout" });
  root.replaceChildren(control.element, chart.element, scrub.element, readout);
  let index = lengths.length - 1;
  /** @type {"scores" | "elsewhere"} */
  let beside = "scores";

  /** @param {number} place */
  function told(place) {
    const [slow, fast] = times.map((all) => all[place] ?? NaN);
    const ratio = (slow ?? NaN) / (fast ?? NaN);
    const faster = `${ratio >= 1 ? "the Perceiver" : "self-attention"} is ${significant(Math.max(ratio, 1 / ratio), 2)} times as fast`;
    const [grown = "", grew = ""] = times.map((all) => significant((all[place] ?? NaN) / (all[place - 1] ?? NaN), 2));
    const doubling = place > 0 ? ` The last doubling: ×\u00a0${grown} and ×\u00a0${grew}.` : "";
    return `${time(slow ?? NaN)} against ${time(fast ?? NaN)}: ${faster}.${doubling}`;
  }

  function draw() {
    chart.show(lengths[index]);
    scrub.show(index);
    control.show(beside);
    for (const one of [...dashed, ...rules]) set(one, { visibility: beside === "scores" ? "visible" : "hidden" });
    for (const one of [...borrowed, where]) set(one, { visibility: beside === "elsewhere" ? "visible" : "hidden" });
    say(readout, told(index));
  }

  /** @param {number[]} xs @param {number[]} ys */
  const path = (xs, ys) => {
    const { x, y } = chart.layout();
    return xs.map((one, k) => `${k ? "L" : "M"}${x.at(one).toFixed(1)} ${y.at(ys[k] ?? NaN).toFixed(1)}`).join("");
  };

  /** From where on a prediction is not below the axis. @param {number} k */
  const start = (k) => lines[k]?.findIndex((value) => value >= domain[0]) ?? 0;

  function place() {
    const { x, y, plot } = chart.layout();
    times.forEach((all, k) => all.forEach((value, point) => set(points[k]?.[point] ?? ring, { cx: x.at(lengths[point] ?? 1), cy: y.at(value) })));
    lines.forEach((all, k) => {
      set(dashed[k] ?? ring, { d: path(lengths.slice(start(k)), all.slice(start(k))) });
    });
    const abroad = other?.lengths.map(Number) ?? [];
    others.forEach((all, k) => set(borrowed[k] ?? ring, { d: path(abroad, all) + abroad.map((one, p) => `M${x.at(one) + 3.5} ${y.at(all[p] ?? NaN)}a3.5 3.5 0 1 0 0 .1`).join("") }));
    set(ring, { cx: meets ? x.at(meets.x) : 0, cy: meets ? y.at(meets.y) : 0, visibility: meets ? "visible" : "hidden" });
    if (meets) set(meeting, { x: x.at(meets.x) + 12, y: y.at(meets.y) - 15, "text-anchor": "end" });
    const n = lengths.length;
    const [self, latent] = labels;
    if (self && latent) {
      set(self, { x: x.at(lengths[n - 2] ?? 1) - 12, y: y.at(times[0]?.[n - 2] ?? 1) - 4, "text-anchor": "end" });
      set(latent, { x: plot.right, y: y.at(times[1]?.[n - 2] ?? 1) + 18, "text-anchor": "end" });
    }
    const [square, rectangle] = rules;
    if (square && rectangle) {
      set(square, { x: x.at(lengths[start(0)] ?? 1) + 14, y: y.at(lines[0]?.[start(0)] ?? 1) + 4, "text-anchor": "start" });
      set(rectangle, { x: x.at(lengths[n - 5] ?? 1) + 4, y: y.at(lines[1]?.[n - 5] ?? 1) + 18, "text-anchor": "start" });
    }
    set(where, { x: plot.right, y: y.at(others[1]?.[(others[1]?.length ?? 1) - 1] ?? domain[0]) + 20, "text-anchor": "end" });
  }

  const forget = whenWidthChanges(root, (width) => {
    chart.resize(width, layout(width, stageHeight(root) - 144).height);
    place();
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(lengths, Number(state.length ?? lengths[lengths.length - 1]));
      beside = other && state.beside === "elsewhere" ? "elsewhere" : "scores";
      draw();
    },
    destroy() {
      scrub.destroy();
      forget();
    },
  };
}
