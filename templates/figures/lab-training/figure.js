/** Train it yourself: the baked training run again in the reader's browser, step for step, and what breaks it. */

import { choices } from "../../js/choices.js";
import { fixed, significant } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { at, labels, nearest, series } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { html, say, set } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";
import { parted } from "./session.js";
import { traces } from "./traces.js";

const STOPS = [1, 1.5, 2, 3, 5, 7];
const CLIPS = [0.1, 1, 10, 0];
const HEADS = [1, 2, 4];
const SCHEDULES = ["falling", "constant"];
const COPIES = [1, 2];
/** The engines agree to this, or something is wrong with one of them. */
const AGREED = 1e-9;
const FLOOR = 1e-17; // where a difference of nothing is drawn

/** @typedef {{ lr: number, schedule: string, clip: number, heads: number, copies: number }} Choice */
/** @typedef {{ choice: Choice, losses: number[], twins: number[], distances: number[], parted: number, at: "running" | "stopped" | "done" | "broken" }} Trained */

/** The rates of the slider: the run's own among round ones, from a tenth of it to a hundred times it. @param {number} own */
export function rates(own) {
  const decades = Array.from({ length: 12 }, (_, power) => STOPS.map((stop) => Number((stop * 10 ** (power - 8)).toPrecision(2)))).flat();
  const within = decades.filter((rate) => rate >= own * 0.0999 && rate <= own * 100.1);
  return [...new Set([...within, own])].sort((a, b) => a - b);
}

/** @param {number[]} losses @param {number[]} baked */
export function largestDifference(losses, baked) {
  return losses.reduce((most, loss, step) => Math.max(most, Math.abs(loss - (baked[step] ?? NaN))), 0);
}

/** "4.0e−15" @param {number} value */
export function written(value) {
  return value === 0 ? "0" : value.toExponential(1).replace("-", "−");
}

/** @param {Choice} choice */
export function named({ lr, schedule, clip, heads, copies }) {
  const parts = [`rate ${String(lr)}`, schedule, clip ? `clip ${clip}` : "no clip", `${heads} head${heads > 1 ? "s" : ""}`];
  return (copies > 1 ? [...parts, "two copies"] : parts).join(", ");
}

/** @param {number} width */
export function layout(width) {
  return width >= 460 ? { loss: 292, below: 210 } : { loss: 190, below: 140 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/figures.js").Data} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run, weights: address }, changed) {
  if (!run?.weights || !address) throw new Error("a run without weights");
  const given = run.parameters;
  const steps = given.steps;
  const baked = at(series(run, "loss"));
  const maps = series(run, "cross_attention");
  const [read, toWrite] = [labels(maps, "key"), labels(maps, "query")];
  /** @type {number[]} */
  const example = run.examples.tokens.source;
  const first = averagedMap(maps, 0);
  const learning = rates(given.learning_rate);
  /** @type {Choice} */
  const own = { lr: given.learning_rate, schedule: "falling", clip: given.clip, heads: given.num_heads, copies: 1 };
  const isBaked = (/** @type {Choice} */ choice) => named({ ...choice, copies: 1 }) === named(own);
  const logs = learning.map(Math.log);
  const rateNear = (/** @type {number} */ lr) => nearest(logs, lr > 0 ? Math.log(lr) : Math.log(own.lr));

  const x = { domain: /** @type {[number, number]} */ ([0, steps]), ticks: [0, steps / 4, steps / 2, (3 * steps) / 4, steps] };
  const letters = 6;
  const lossChart = traces({ name: "Loss over the steps: the baked one and this browser's", x: { ...x, hidden: true }, y: { kind: "log", domain: [3e-4, 8], ticks: [1e-3, 1e-2, 0.1, 1], letters, name: "loss, nats a digit" }, marks: ["is-baked", "is-before", "is-twin", "is-now"] });
  const below = traces({ name: "A difference over the steps", x: { ...x, name: "step" }, y: { kind: "log", domain: [FLOOR, 1e3], ticks: [1e-16, 1e-12, 1e-8, 1e-4, 1], text: (value) => (value === 1 ? "1" : value.toExponential(0).replace("-", "−")), letters, name: "" }, marks: ["is-limit", "is-now"] });
  const rate = slider({ label: "learning rate", length: learning.length, widest: "0.0007", read: (index) => String(learning[index] ?? NaN), changed: (index) => changed({ lr: learning[index] }) });
  const schedule = choices({ label: "schedule", values: SCHEDULES, changed: (value) => changed({ schedule: value }) });
  const clip = choices({ label: "clip", values: CLIPS, text: (value) => (value ? String(value) : "none"), changed: (value) => changed({ clip: value }) });
  const heads = choices({ label: "heads", values: HEADS, changed: (value) => changed({ heads: value }) });
  const copies = choices({ label: "copies", values: COPIES, text: (value) => (value === 1 ? "one" : "two"), changed: (value) => changed({ copies: value }) });
  const start = html("button", { type: "button", class: "lab-button is-main" }, "Train");
  const clear = html("button", { type: "button", class: "lab-button", hidden: true }, "Clear");
  const bar = html("progress", { class: "lab-progress", max: steps, value: 0, "aria-label": "Training steps done" });
  const where = html("span", { class: "lab-where", "aria-hidden": "true" });
  const status = html("p", { class: "lab-verdict", role: "status" });
  const legend = html("p", { class: "readout" });
  const map = heatMap({ name: "Cross-attention of the model in training, heads averaged: rows are the digits to write, columns the digits read", title: "cross-attention, heads averaged", queries: toWrite, keys: read, maxCell: 30, lit: (place) => map.light(place) });
  const writes = html("p", { class: "readout" });
  const left = html("div", {}, lossChart.element, below.element, legend);
  const mapBox = html("div", { class: "lab-map" }, map.element, writes);
  root.replaceChildren(
    html("div", { class: "lab-split" }, left,
      html("div", { class: "lab-side" }, rate.element, schedule.element, clip.element, heads.element, copies.element,
        html("div", { class: "lab-buttons" }, start, clear, where), bar, status, mapBox)),
  );

  let choice = own;
  /** @type {Worker | null} */
  let worker = null;
  /** @type {Trained | null} */
  let now = null;
  /** @type {Trained | null} */
  let before = null;
  /** @type {{ map: number[], written: number[] }} */
  let seen = { map: first, written: [] };

  /** @param {Trained["at"]} how */
  function end(how) {
    worker?.terminate();
    worker = null;
    if (now?.at === "running") now.at = how;
    draw();
  }

  /** What is in ink gives way to a new training; it stays as a thin line if there was anything to see. */
  function retire() {
    end("stopped");
    if (now && now.losses.length > 1) before = now;
    now = null;
    seen = { map: first, written: [] };
  }

  function begin() {
    if (!run?.weights) return;
    retire();
    now = { choice, losses: [], twins: [], distances: [], parted: -1, at: "running" };
    worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => heard(data));
    worker.addEventListener("error", () => heard({ problem: "the worker did not start" }));
    const settings = { steps, batchSize: given.batch_size, learningRate: choice.lr, maxNorm: choice.clip || Infinity, numHeads: choice.heads, seed: run.seed, length: example.length, decay: choice.schedule === "falling" };
    worker.postMessage({ weights: address, index: run.weights, settings, twins: choice.copies > 1, example });
    say(status, `Training with ${named(choice)}.`);
    draw();
  }

  /** @param {Record<string, any>} told */
  function heard(told) {
    if (!now) return;
    if (told.problem) {
      end("broken");
      say(status, `The training broke off: ${told.problem}.`);
      return;
    }
    for (const step of told.steps ?? []) {
      now.losses.push(step.loss);
      if (step.twin === null) continue;
      now.twins.push(step.twin);
      now.distances.push(step.distance);
      if (now.parted < 0 && parted(step.loss, step.twin)) now.parted = now.losses.length - 1;
    }
    if (told.map) seen = { map: told.map, written: told.written };
    if (!told.done) return draw();
    end("done");
    say(status, verdict(now));
  }

  /** @param {Trained} trained */
  function verdict({ choice: with_, losses, distances, parted: step }) {
    const last = losses[losses.length - 1] ?? NaN;
    if (!Number.isFinite(last)) return `At step ${losses.length - 1} the loss stopped being a number.`;
    const twins = with_.copies < 2 ? "" : step < 0 ? ` The two copies stayed together: ${written(distances[distances.length - 1] ?? NaN)} apart at the end.` : ` The two copies part at step ${step}: from one bit to ${significant(distances[distances.length - 1] ?? NaN, 2)} apart.`;
    if (isBaked(with_)) {
      const difference = largestDifference(losses, baked);
      return `${losses.length} losses, largest difference ${written(difference)}.${difference <= AGREED ? "" : " That is too much: this browser does not agree with the run."}${twins}`;
    }
    return `Loss ${significant(last, 2)} at the end; the baked run reaches ${significant(baked[baked.length - 1] ?? NaN, 2)}.${twins}`;
  }

  function draw() {
    const losses = now?.losses ?? [];
    lossChart.show([baked, before?.losses ?? [], now?.twins ?? [], losses]);
    const twins = (now?.choice ?? choice).copies > 1;
    const differences = twins ? now?.distances ?? [] : losses.map((loss, step) => Math.abs(loss - (baked[step] ?? NaN)));
    below.show([twins ? [] : baked.map(() => AGREED), differences.map((value) => Math.max(FLOOR, value))], {
      title: twins ? "distance of the two copies" : "difference to the baked loss",
      event: twins && now && now.parted >= 0 ? { step: now.parted, text: `they part at ${now.parted}` } : null,
    });
    const running = now?.at === "running";
    say(start, running ? "Stop" : "Train");
    set(clear, { hidden: running || !(now || before) });
    const done = Math.max(0, losses.length - 1);
    bar.value = done;
    say(where, `step ${done} of ${steps}`);
    say(legend, `Wide: baked. ${twins ? "Ink and orange" : "Ink"}: ${now ? named(now.choice) : "yours, once it trains"}.${before ? ` Thin: before, with ${named(before.choice)}.` : ""}`);
    map.show(seen.map);
    say(writes, seen.written.length ? `Writes ${seen.written.join("")} for ${example.join("")}.` : `Before training. It is to write ${toWrite.join("")} for ${example.join("")}.`);
  }

  start.addEventListener("click", () => {
    if (now?.at !== "running") return begin();
    end("stopped");
    say(status, `Stopped at step ${Math.max(0, now.losses.length - 1)}.`);
  });
  clear.addEventListener("click", () => {
    now = before = null;
    seen = { map: first, written: [] };
    say(status, "");
    draw();
    start.focus({ preventScroll: true });
  });

  const unobserve = [
    whenWidthChanges(left, (width) => {
      const sizes = layout(width);
      lossChart.resize(width, sizes.loss);
      below.resize(width, sizes.below);
      draw();
    }),
    whenWidthChanges(mapBox, (width) => {
      map.resize(Math.min(width, 230));
      draw();
    }),
  ];

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const stop = rateNear(Number(state.lr));
      /** @type {Choice} */
      const next = {
        lr: learning[stop] ?? own.lr,
        schedule: state.schedule === "constant" ? "constant" : "falling",
        clip: Number(state.clip) >= 0 ? Number(state.clip) : own.clip,
        heads: HEADS.includes(Number(state.heads)) ? Number(state.heads) : own.heads,
        copies: Number(state.copies) === 2 ? 2 : 1,
      };
      const other = named(next) !== named(choice);
      choice = next;
      rate.show(stop);
      schedule.show(choice.schedule);
      clip.show(choice.clip);
      heads.show(choice.heads);
      copies.show(choice.copies);
      // what was last said was of other settings
      if (other && (now || status.textContent)) {
        const was = now?.at === "running" ? `Stopped at step ${Math.max(0, now.losses.length - 1)}: other settings. ` : "";
        if (now) retire();
        say(status, `${was}Press Train to see what ${named(choice)} does.`);
      }
      draw();
    },
    destroy() {
      worker?.terminate();
      unobserve.forEach((stop) => stop());
    },
  };
}

/** The mean of the heads' maps at a checkpoint. @param {import("../../js/series.js").Series} maps @param {number} checkpoint */
function averagedMap(maps, checkpoint) {
  const heads = Array.from({ length: maps.shape[1] ?? 0 }, (_, head) => at(maps, checkpoint, head));
  return (heads[0] ?? []).map((_, cell) => heads.reduce((sum, head) => sum + (head[cell] ?? NaN), 0) / heads.length);
}
