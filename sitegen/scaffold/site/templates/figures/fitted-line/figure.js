/** Points and a line that turns through them; below it the error of the line, step by step. */

import { lineChart } from "../../js/line-chart.js";
import { scatter } from "../../js/scatter.js";
import { scrubber } from "../../js/scrub.js";
import { whenWidthChanges } from "../../js/width.js";

/** The heights of the two charts for a width. */
export function layout(width) {
  return width < 540 ? { points: 190, error: 120 } : { points: 260, error: 160 };
}

export function mount(root, { run }, changed) {
  const { slope, intercept, error } = run.series;
  const points = run.examples.points;
  const ends = [Math.min(...points.x), Math.max(...points.x)];
  const steps = error.coordinates.step;
  const last = steps.length - 1;
  const plot = scatter({
    name: "Forty points and the line after this step",
    x: { domain: ends },
    y: { domain: [Math.min(...points.y), Math.max(...points.y)], name: "y over x", letters: 4 },
    points,
    curves: [{ x: ends, mark: "", name: "" }],
  });
  const chart = lineChart({
    name: "Mean squared error, step by step",
    x: { domain: [0, last], name: "step" },
    y: { domain: [0, error.values[0]], name: "mean squared error", letters: 4 },
    lines: [{ x: steps, y: error.values }],
    label: (value) => value.toFixed(3),
    picked: (x) => changed({ t: Math.round(x) }),
  });
  const scrub = scrubber({
    label: "Step",
    length: steps.length,
    describe: (step) => `step ${step} of ${last}, error ${error.values[step].toFixed(3)}`,
    read: (step) => `step ${step}`,
    changed: (step) => changed({ t: step }),
  });
  root.replaceChildren(plot.element, chart.element, scrub.element);

  let t = last;
  function draw() {
    plot.show({ curves: [ends.map((x) => slope.values[t] * x + intercept.values[t])] });
    chart.show(t);
    scrub.show(t);
  }
  const forget = whenWidthChanges(root, (width) => {
    const heights = layout(width);
    plot.resize(width, heights.points);
    chart.resize(width, heights.error);
    draw();
  });
  return {
    show(state) {
      t = state.t;
      draw();
    },
    destroy() {
      scrub.destroy();
      forget();
    },
  };
}
