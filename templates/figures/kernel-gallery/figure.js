/** Four kernels side by side, over the same samples: what each fits, and the weights it gives at the query. */

import { envelope } from "../../js/envelope.js";
import { fixed } from "../../js/format.js";
import { scatter } from "../../js/scatter.js";
import { at, nearest, series } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { stems } from "../../js/stems.js";
import { html, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";
import { diamond } from "../kernel-fit/figure.js";
import { FOUR, NAMES, samplesOf } from "../kernel-fit/samples.js";

/** Two panels a row. @param {number} width */
export function layout(width) {
  const wide = width >= 540;
  const gap = wide ? 28 : 12;
  return { panel: Math.floor((width - gap) / 2), chart: wide ? 148 : 100, strip: wide ? 88 : 62 };
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
  const errors = series(run, "error");
  const panels = FOUR.map((kernel) => {
    const error = fixed(at(errors, samples.row(kernel), own)[0] ?? NaN, 2);
    const plot = scatter({
      name: `${NAMES[kernel]}: samples, truth and fit`,
      x: { ...axes.x, hidden: true },
      y: axes.y,
      points: { x: samples.x, y: samples.y },
      curves: [{ x: queries, mark: "is-target", name: "" }, { x: queries, mark: "is-fit", name: "" }],
      picked: (x) => changed({ query: queries[nearest(queries, x)] }),
    });
    const mark = svg("path", { class: "estimate" });
    plot.element.append(mark);
    const strip = stems({ name: `${NAMES[kernel]}: the weight of each sample`, xs: samples.x, ticks: [0, 5] });
    const title = html("p", { class: "gallery-title" }, html("b", {}, NAMES[kernel] ?? kernel), ` error ${error}`);
    return { kernel, fit: samples.fit(kernel, own), most: samples.most(kernel), plot, mark, strip, element: html("div", { class: "gallery-panel" }, title, plot.element, strip.element) };
  });
  const place = slider({
    label: "query",
    length: queries.length,
    widest: "0.00",
    read: (index) => fixed(queries[index] ?? NaN, 2),
    changed: (index) => changed({ query: queries[index] }),
  });
  root.classList.add("pooling");
  root.replaceChildren(html("div", { class: "gallery" }, ...panels.map(({ element }) => element)), place.element);

  let query = 0;
  let width = 0;

  function draw() {
    if (!width) return;
    const x = queries[query] ?? NaN;
    for (const { kernel, fit, most, plot, mark, strip } of panels) {
      const weights = samples.weights(kernel, query);
      plot.show({ curves: [samples.truth, fit], weights, most, cursor: x });
      set(mark, { d: diamond(plot.layout().x.at(x), plot.layout().y.at(fit[query] ?? NaN)) });
      strip.show({ weights, most, curve: envelope(kernel, samples.width, x, samples.x, samples.domain), cursor: x });
    }
    place.show(query);
  }

  const unobserve = whenWidthChanges(root, (now) => {
    width = now;
    const { panel, chart, strip: height } = layout(width);
    for (const { plot, strip } of panels) {
      plot.resize(panel, chart);
      strip.resize({ width: panel, height, x: plot.layout().x, plot: plot.layout().plot });
    }
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      query = nearest(queries, Number(state.query ?? 0));
      draw();
    },
    destroy: unobserve,
  };
}
