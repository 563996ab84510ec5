/** Three power laws side by side. A slider multiplies size, data and compute by the same factor; each has its cursor. */

import { fixed, percent } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { at, series, steps } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

const LAWS = [
  { series: "loss_by_parameters", axis: "parameters", name: "nats, by size", unit: "parameters" },
  { series: "loss_by_tokens", axis: "tokens", name: "by data", unit: "tokens" },
  { series: "loss_by_compute", axis: "compute", name: "by compute", unit: "PF-days" },
];
const TENTHS = 30; // of a power of ten: the slider goes from one to a thousand times
const LOSSES = [2, 3, 4, 5, 6];

/** A number as one says it: 100k, 10M, 1B; 0.1 below one. @param {number} value */
export function short(value) {
  for (const [size, letter] of /** @type {[number, string][]} */ ([[1e9, "B"], [1e6, "M"], [1e3, "k"]])) {
    if (value >= size * 0.999) return `${Number((value / size).toPrecision(2))}${letter}`;
  }
  return String(Number(value.toPrecision(2)));
}

/** Side by side, or below each other where that would leave too little. @param {number} width */
export function layout(width) {
  return width >= 460 ? { width: Math.floor(width / 3), height: 190 } : { width, height: 150 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const laws = LAWS.map((law) => {
    const x = steps(series(run, law.series), law.axis);
    const y = at(series(run, law.series));
    const [first, last] = [x[0] ?? 1, x[x.length - 1] ?? 1];
    const every = Math.log10(last / first) < 4 ? 1 : 2;
    const ticks = [4, 3, 2, 1, 0].map((k) => last / 10 ** (k * every)).filter((tick) => tick >= Math.max(first, 0.0009));
    const chart = lineChart({
      name: `Loss in nats a token, ${law.name.replace("nats, ", "")}: a straight line that falls, on logarithmic axes`,
      x: { kind: "log", domain: [first, last], name: law.unit, ticks, text: short },
      y: { kind: "log", domain: [1.8, 6.5], name: law.name, ticks: LOSSES, letters: 1 },
      lines: [{ x, y }],
      label: (loss) => fixed(loss, 2),
    });
    return { chart, x, y };
  });
  /** @param {number} tenths */
  const times = (tenths) => `× ${Number((10 ** (tenths / 10)).toPrecision(2))}`;
  const grow = slider({
    label: "grown",
    length: TENTHS + 1,
    read: times,
    widest: "× 1000",
    describe: (tenths) => `${times(tenths).slice(2)} times as much`,
    changed: (tenths) => changed({ tenths }),
  });
  const charts = html("div", { class: "scaling-charts" }, ...laws.map(({ chart }) => chart.element));
  const readout = html("p", { class: "readout" });
  root.replaceChildren(charts, grow.element, readout);
  let tenths = 0;

  function draw() {
    const falls = laws.map(({ chart, x, y }) => {
      const from = x.length - 1 - TENTHS;
      chart.show(x[from + tenths]);
      return percent(1 - (y[from + tenths] ?? NaN) / (y[from] ?? NaN));
    });
    grow.show(tenths);
    const [size, data, compute] = falls;
    say(readout, `${times(tenths)}: the loss falls by ${size} through size, ${data} through data, ${compute} through compute.`);
  }
  const forget = whenWidthChanges(root, (width) => {
    const place = layout(width);
    for (const { chart } of laws) chart.resize(place.width, place.height);
    draw();
  });
  return {
    /** @param {{ tenths: number }} state */
    show(state) {
      tenths = state.tenths;
      draw();
    },
    destroy: forget,
  };
}
