/** Training replayed: the loss as the mean of its last fifty steps, the share of letters named, and three gaps filling. */

import { bars } from "../../js/bars.js";
import { fixed, percent } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, nearest, series, steps } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const RECENT = 50;

/** The mean of the last RECENT values at each place, of fewer at the beginning. @param {number[]} values */
export function recentMeans(values) {
  let sum = 0;
  return values.map((value, index) => {
    sum += value - (values[index - RECENT] ?? 0);
    return sum / Math.min(RECENT, index + 1);
  });
}

/** The word in which a sentence has its gap. @param {string} shown */
export function gapWord(shown) {
  return shown.split(" ").find((word) => word.includes("_")) ?? shown;
}

/** @param {number} width */
export function layout(width) {
  return { height: width < 460 ? 130 : 190 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [loss, accuracy, readable] = [series(run, "loss"), series(run, "accuracy_by_checkpoint"), series(run, "readable_probabilities")];
  const checkpoints = steps(accuracy, "checkpoint");
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const means = recentMeans(at(loss));
  const x = steps(loss, "step");
  const alphabet = labels(readable, "letter");
  /** @type {{ shown: string, truth: string, origin: string }[]} */
  const sentences = run.examples.sentences;
  const gaps = sentences.filter(({ origin }) => origin === "training text");
  const chart = lineChart({
    name: "Loss on hidden letters over the training steps, mean of the last fifty",
    x: { domain: [0, last], ticks: [0, last / 4, last / 2, (last * 3) / 4], name: "step" },
    y: { domain: [0, Math.max(...means)], ticks: [0, 1, 2, 3], name: "loss, nats a hidden letter" },
    lines: [{ x, y: means }],
    label: (value) => fixed(value, 2),
    picked: (t) => {
      scrub.stop();
      changed({ t: checkpoints[nearest(checkpoints, t)] });
    },
  });
  const scrub = scrubber({
    label: "Training step",
    length: checkpoints.length,
    framesPerSecond: 3,
    read: (index) => `step ${checkpoints[index]} of ${last}`,
    describe: (index) => `step ${checkpoints[index]} of ${last}: ${told(index)}`,
    changed: (index) => changed({ t: checkpoints[index] }),
  });
  const filled = bars({ name: "Probability of the true letter", count: gaps.length, text: (value) => fixed(value, 2), names: 116 });
  const title = html("p", { class: "guesses-title" }, "Probability of the true letter in the gap");
  const readout = html("p", { class: "readout" });
  root.replaceChildren(chart.element, scrub.element, title, filled.element, readout);
  let index = checkpoints.length - 1;

  /** @param {number} checkpoint */
  function told(checkpoint) {
    const [trained = NaN, heldOut = NaN] = at(accuracy, checkpoint);
    return `${percent(trained)} of hidden letters named in text that was trained on, ${percent(heldOut)} in text held out.`;
  }

  function draw() {
    chart.show(checkpoints[index]);
    scrub.show(index);
    filled.show(gaps.map(({ shown, truth }, sentence) => ({
      name: `${gapWord(shown)}: ${truth}`,
      value: at(readable, index, sentence)[alphabet.indexOf(truth)] ?? NaN,
      mark: "is-chosen",
    })));
    const words = told(index);
    say(readout, words);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    chart.resize(width, layout(width).height);
    filled.resize(width);
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = nearest(checkpoints, Number(state.t ?? last));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
