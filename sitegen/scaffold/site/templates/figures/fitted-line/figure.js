/** Points and a line that turns through them; below it the error of the line, step by step. */

import { lineChart } from "../../js/line-chart.js";
import { scatter } from "../../js/scatter.js";
import { scrubber } from "../../js/scrub.js";
import { stageHeight, whenWidthChanges } from "../../js/width.js";

/** The heights of the two charts for a width, where `room` is left for them and the slider. */
export function layout(width, room) {
  const both = Math.min(width < 540 ? 310 : 420, room - 56);
  return { points: Math.round(both * 0.6), error: Math.round(both * 0.4) };
}

/** The smallest and the largest of some values, and a little more. */
function around(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const more = 0.04 * (high - low);
  return [low - more, high + more];
}

export function mount(root, { run }, changed) {
  const { slope, intercept, error } = run.series;
  const points = run.examples.points;
  const ends = [Math.min(...points.x), Math.max(...points.x)];
  const steps = error.coordinates.step;
  const last = steps.length - 1;
  const plot = scatter({
    name: "Forty points and the line after this step",
    x: { domain: around(points.x), ticks: [-1, -0.5, 0, 0.5, 1] },
    y: { domain: around(points.y), name: "y over x", letters: 4 },
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
    const heights = layout(width, stageHeight(root));
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
