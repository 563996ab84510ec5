/** Horizontal bars on one fixed scale from 0 to `most`, each with its name before it and its value behind it. */

import { say, set, svg } from "./svg.js";

/**
 * @param {{ count: number, width: number, names: number, values?: number, row?: number }} spec
 *   names, values: pixels kept for the names and for the values
 */
export function barsLayout({ count, width, names, values = 52, row = 26 }) {
  return { left: names, room: Math.max(10, width - names - values), row, height: count * row, thick: Math.round(row * 0.5) };
}

/** The length of a bar: nothing for what is undefined. @param {number} value @param {number} most @param {number} room */
export function length(value, most, room) {
  return Number.isFinite(value) ? (Math.min(Math.max(value, 0), most) / most) * room : 0;
}

/**
 * @param {{ name: string, count: number, most?: number, text: (value: number) => string, names?: number, row?: number, values?: number }} options
 */
export function bars({ name, count, most = 1, text, names = 24, row, values }) {
  const lines = Array.from({ length: count }, () => ({
    name: svg("text", { class: "bar-name" }),
    track: svg("rect", { class: "bar-track" }),
    bar: svg("rect", { class: "bar" }),
    value: svg("text", { class: "bar-value" }),
  }));
  const element = svg("svg", { class: "bars", role: "img", "aria-label": name }, ...lines.flatMap((line) => Object.values(line)));
  let layout = barsLayout({ count, width: 200, names, row, values });
  return {
    element,
    /** @param {number} width */
    resize(width) {
      layout = barsLayout({ count, width, names, row, values });
      set(element, { width, height: layout.height, viewBox: `0 0 ${width} ${layout.height}` });
      lines.forEach((line, index) => {
        const y = (index + 0.5) * layout.row;
        set(line.name, { x: layout.left - 10, y });
        set(line.track, { x: layout.left, y: y - 0.5, width: layout.room, height: 1 });
        set(line.bar, { x: layout.left, y: y - layout.thick / 2, height: layout.thick });
        set(line.value, { x: layout.left + layout.room + values0(values), y });
      });
    },
    /** @param {{ name: string, value: number, mark?: string }[]} shown  mark: a class, e.g. "is-chosen" */
    show(shown) {
      lines.forEach((line, index) => {
        const entry = shown[index];
        say(line.name, entry?.name ?? "");
        say(line.value, entry ? text(entry.value) : "");
        set(line.bar, { width: entry ? length(entry.value, most, layout.room) : 0, class: `bar ${entry?.mark ?? ""}` });
        set(line.value, { class: `bar-value ${entry?.mark ?? ""}` });
      });
      set(element, { "aria-label": `${name}: ${shown.map((entry) => `${entry.name} ${text(entry.value)}`).join(", ")}` });
    },
  };
}

/** @param {number | undefined} values */
function values0(values) {
  return (values ?? 52) - 2;
}
