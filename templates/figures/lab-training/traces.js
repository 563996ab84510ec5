/** Lines that grow over a fixed pair of axes. Values beyond the axes stand at their rim, so that nothing is lost. */

import { axes } from "../../js/axes.js";
import { chartLayout, linePath } from "../../js/line-chart.js";
import { say, set, svg } from "../../js/svg.js";

/**
 * @typedef {{ mark: string, values: number[] }} Trace  one value a step, from step 0
 * @param {{ name: string, x: import("../../js/line-chart.js").Axis, y: import("../../js/line-chart.js").Axis, marks: string[] }} spec
 *   marks: the classes of the lines, lowest first
 */
export function traces({ name, x, y, marks }) {
  const frame = axes({ x: x.name, y: y.name });
  const title = frame.element.querySelector(".axis-name:not(.axis-name-x)");
  const lines = marks.map((mark) => svg("path", { class: `trace ${mark}` }));
  const event = svg("line", { class: "trace-event" });
  const eventText = svg("text", { class: "trace-word" });
  const dot = svg("circle", { class: "line-dot", r: 4 });
  const element = svg("svg", { class: "traces", role: "img", "aria-label": name }, frame.element, event, ...lines, eventText, dot);
  let layout = chartLayout({ x, y, lines: [] }, 300, 150);
  const [least, most] = y.domain;
  const inside = (/** @type {number} */ value) => (Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : NaN);
  return {
    element,
    /** @param {number} width @param {number} height */
    resize(width, height) {
      layout = chartLayout({ x, y, lines: [] }, width, height);
      set(element, { width, height, viewBox: `0 0 ${width} ${height}` });
      frame.resize(layout.plot, layout.xTicks, layout.yTicks);
      set(event, { y1: layout.plot.top, y2: layout.plot.bottom });
    },
    /**
     * @param {number[][]} values one list a mark
     * @param {{ title?: string, event?: { step: number, text: string } | null }} [also]  event: marked by an upright line
     */
    show(values, also = {}) {
      lines.forEach((line, index) => {
        const ys = (values[index] ?? []).map(inside);
        set(line, { d: linePath(ys.map((_, step) => step), ys, layout.x, layout.y).d });
      });
      const last = values[values.length - 1] ?? [];
      const at = inside(last[last.length - 1] ?? NaN);
      const here = Number.isFinite(at);
      set(dot, { cx: here ? layout.x.at(last.length - 1) : 0, cy: here ? layout.y.at(at) : 0, visibility: here ? "visible" : "hidden" });
      if (title && also.title !== undefined) say(title, also.title);
      const px = also.event ? layout.x.at(also.event.step) : 0;
      const right = px < (layout.plot.left + layout.plot.right) / 2;
      set(event, { x1: px, x2: px, visibility: also.event ? "visible" : "hidden" });
      say(eventText, also.event?.text ?? "");
      set(eventText, { x: px + (right ? 7 : -7), y: layout.plot.bottom - 10, "text-anchor": right ? "start" : "end" });
    },
  };
}
