/** A table of names looked up: exactly, by scores of directions on a dial, and softly by weights at any temperature. */

import { choices } from "../../js/choices.js";
import { fixed, percent, significant } from "../../js/format.js";
import { at, labels, nearest, rows, series, steps } from "../../js/series.js";
import { slider } from "../../js/slider.js";
import { set } from "../../js/svg.js";
import { stageHeight, whenWidthChanges } from "../../js/width.js";
import { answer } from "./answer.js";
import { dial } from "./dial.js";
import { table } from "./table.js";

/** @typedef {"table" | "scores" | "weights"} View */

const CONTROL = 44;
const LETTERS = 9; // room for the longest of the names

/**
 * Where everything stands. The whole has one height for all views of a width, so that a step never moves the text; only
 * the view of weights gives some of it to its slider.
 * @param {number} width
 * @param {View} view
 * @param {number} [room] pixels for the whole, of which the chooser and the slider take a control's height each
 */
export function layout(width, view, room = Infinity) {
  const wide = width >= 540;
  const letter = wide ? 8 : 7.4;
  const name = LETTERS * letter;
  const tall = wide ? 420 : Math.min(340, Math.max(240, room - CONTROL));
  const short = tall < 290;
  const height = tall - (view === "weights" ? CONTROL : 0);
  const below = view === "scores" ? 28 : wide ? 124 : short ? 88 : 100;
  const top = wide ? 30 : short ? 20 : 24;
  const row = Math.min((height - below - top) / 6, view === "scores" ? 60 : 42);
  const dialRoom = view === "table" ? 0 : wide ? Math.min(400, width * 0.56) : view === "scores" ? Math.min(166, width * 0.46) : 0;
  const rim = wide ? name + 24 : 20;
  const radius = Math.max(0, Math.min(dialRoom / 2 - rim, wide ? 100 : 62));
  const left = view === "table" ? name + (wide ? 90 : width < 320 ? 22 : 44) : dialRoom;
  const columns = view === "table"
    ? { key: left, first: wide ? left + (width - left) * 0.4 : left + name + 14, year: width, bar: 0, room: 0, number: 0 }
    : {
        key: left,
        first: view === "weights" ? width - name + letter : width,
        year: width,
        bar: left + name,
        room: view === "weights" ? width - left - 2 * name - 36 : width - left - name - 54,
        number: view === "weights" ? width - name - 4 : width,
      };
  return { wide, height, top, row, below, radius, letter, columns, dial: { x: dialRoom / 2, y: top + row * 3 } };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [scores, hard, sweep, years] = [series(run, "scores"), series(run, "hard_weights"), series(run, "sweep_weights"), series(run, "sweep_year")];
  const [queries, keys] = [labels(scores, "query"), labels(scores, "key")];
  const temperatures = steps(sweep, "temperature");
  const logs = temperatures.map(Math.log);
  /** @type {{ last: string, first: string, year: number }[]} */
  const entries = run.examples.table;
  /** @type {Record<string, string | null>} */
  const dictionary = run.examples.dictionary;

  const chooser = choices({ label: "query", values: queries, changed: (query) => changed({ query }) });
  const heat = slider({
    label: "temperature",
    length: temperatures.length,
    widest: "0.0001",
    read: (index) => temperatureText(temperatures[index] ?? NaN),
    changed: (index) => changed({ temperature: temperatures[index] }),
  });
  const drawing = table(entries);
  const arrows = dial(keys, rows(series(run, "keys")), queries, rows(series(run, "queries")));
  const blend = answer(entries);
  drawing.element.append(arrows.element, blend.element);
  root.replaceChildren(chooser.element, drawing.element, heat.element);

  let state = { view: /** @type {View} */ ("weights"), query: 0, temperature: 0 };
  let [width, room] = [0, 0];

  function draw() {
    if (!width) return;
    const { view, query, temperature } = state;
    const sizes = layout(width, view, room);
    const found = dictionary[queries[query] ?? ""] ? keys.indexOf(queries[query] ?? "") : -1;
    const weights = view === "table" ? (found < 0 ? [] : at(hard, query)) : view === "weights" ? at(sweep, query, temperature) : [];
    const year = view === "table" ? (entries[found]?.year ?? NaN) : (at(years, query, temperature)[0] ?? NaN);
    set(drawing.element, { width, height: sizes.height, viewBox: `0 0 ${width} ${sizes.height}`, "data-view": view });
    drawing.show(sizes, view, { query: queries[query] ?? "", found, values: view === "scores" ? at(scores, query) : weights });
    arrows.show(sizes, query, view !== "table" && sizes.radius > 0);
    blend.show(sizes, width, view !== "scores", weights, year);
    chooser.show(queries[query] ?? "");
    heat.element.toggleAttribute("hidden", view !== "weights");
    heat.show(temperature);
    set(drawing.element, { "aria-label": told(view, found, weights, year) });
  }

  /** @param {View} view @param {number} found @param {number[]} weights @param {number} year */
  function told(view, found, weights, year) {
    const query = queries[state.query] ?? "";
    if (view === "table") return found < 0 ? `Looking up ${query}: there is no such row.` : `Looking up ${query}: ${entries[found]?.first}, ${entries[found]?.year}.`;
    if (view === "scores") {
      const each = keys.map((key, index) => `${key} ${fixed(at(scores, state.query)[index] ?? NaN, 3)}`).join(", ");
      return `Scores of ${query}: ${each}.`;
    }
    const shares = keys.map((key, index) => `${key} ${percent(weights[index] ?? NaN)}`).join(", ");
    return `${query} at temperature ${temperatureText(temperatures[state.temperature] ?? NaN)}: ${shares}; blended year ${fixed(year, 1)}.`;
  }

  const unobserve = whenWidthChanges(root, (now) => {
    width = now;
    room = stageHeight(root);
    draw();
  });

  return {
    /** @param {Record<string, any>} shown */
    show(shown) {
      const query = Math.max(0, queries.indexOf(String(shown.query)));
      const view = shown.view === "table" || shown.view === "scores" ? shown.view : "weights";
      // bars and arrows move to another question; under a finger on the slider they follow at once
      root.classList.toggle("is-moving", query !== state.query || view !== state.view);
      state = { view, query, temperature: nearest(logs, Math.log(Number(shown.temperature ?? 1))) };
      draw();
    },
    destroy: unobserve,
  };
}

/** @param {number} temperature */
function temperatureText(temperature) {
  return temperature < 0.001 ? significant(temperature, temperature === 0.0001 ? 1 : 2).slice(0, 7) : significant(temperature, 2);
}
