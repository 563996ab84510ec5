/** Where a fit is undefined: strokes along the axis, and a word for them. */

import { say, set, svg } from "../../js/svg.js";

/** @param {number[]} queries */
export function gaps(queries) {
  const strokes = svg("path", { class: "gap-strokes" });
  const text = svg("text", { class: "gap-text" });
  return {
    element: svg("g", { class: "gaps" }, strokes, text),
    /** @param {ReturnType<typeof import("../../js/line-chart.js").chartLayout>} layout */
    resize({ plot }) {
      set(text, { x: plot.right, y: plot.bottom - 16 });
    },
    /** @param {number[]} fit one a query @param {ReturnType<typeof import("../../js/line-chart.js").chartLayout>} layout */
    show(fit, { plot, x }) {
      const undefinedAt = queries.filter((_, index) => !Number.isFinite(fit[index]));
      set(strokes, { d: undefinedAt.map((query) => `M${x.at(query).toFixed(1)} ${plot.bottom - 8}v8`).join("") });
      say(text, undefinedAt.length ? "no sample in the window" : "");
    },
  };
}
