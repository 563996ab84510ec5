/**
 * Shuffle first or shuffle last: the outputs of an attention block both ways, and where they differ. The run holds one
 * shuffle; any other is computed here, from the run's weights.
 *
 * @typedef {{ first: number[][], last: number[][] }} Outputs  (place, feature): f(Px) and P f(x)
 */

import { choices } from "../../js/choices.js";
import { scientific } from "../../js/format.js";
import { drawnOrder, readOrder, writeOrder } from "../../js/orders.js";
import { pixels } from "../../js/pixels.js";
import { at, rows, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { arc, centres } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";

const POSITIONS = ["without", "with"];

/** |f(Px) − P f(x)| (place, feature). @param {Outputs} outputs */
export function differences({ first, last }) {
  return first.map((row, place) => row.map((value, feature) => Math.abs(value - (last[place]?.[feature] ?? NaN))));
}

/** @param {number} width */
export function layout(width) {
  const narrow = width < 460;
  const gap = narrow ? 10 : 24;
  const side = narrow ? 20 : 28;
  const strip = Math.floor((width - side - 2 * gap) / 3 / 16) * 16;
  return { gap, side, strip, row: narrow ? 17 : 30, lines: narrow ? 78 : 112 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/figures.js").Data & import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run, weights: weightsUrl }, changed) {
  const outputs = series(run, "shuffle_output");
  const [before, given] = [/** @type {string[]} */ (run.examples.shuffle.before), /** @type {number[]} */ (run.examples.shuffle.order)];
  const [n, features] = [before.length, outputs.shape[3] ?? 0];
  const most = Math.max(...outputs.values.map((value) => Math.abs(value ?? 0)));
  /** @type {((tokens: number[], positions: boolean) => number[][]) | null} */
  let block = null;
  let positions = POSITIONS[0] ?? "";
  let order = given;

  const top = before.map((token) => svg("text", { class: "shuffle-token", y: 14 }, token));
  const bottom = before.map(() => svg("text", { class: "shuffle-token" }));
  const lines = before.map(() => svg("path"));
  const crossing = svg("svg", { role: "img" }, svg("g", { class: "shuffle-lines" }, ...lines), ...top, ...bottom);
  const titles = ["shuffle first, then the block", "the block first, then shuffle", "difference"];
  const strips = titles.map((title, index) => pixels({ name: title, rows: n, columns: features, domain: index < 2 ? [-most, most] : [0, most] }));
  const sides = before.map(() => svg("text", { class: "shuffle-token" }));
  const side = svg("svg", { class: "shuffle-side", "aria-hidden": "true" }, ...sides);
  const grid = html("div", { class: "shuffle-strips" }, side, ...strips.map((strip, index) => html("div", { class: "shuffle-strip" }, html("span", { class: "shuffle-title" }, titles[index] ?? ""), strip.element)));
  const control = choices({ label: "position codes", values: POSITIONS, text: (value) => (value === "with" ? "with positions" : "without"), said: (value) => `${value} position codes`, changed: (value) => changed({ positions: value }) });
  const again = html("button", { type: "button", class: "choice shuffle-again" }, "Shuffle again");
  again.addEventListener("click", () => changed({ order: writeOrder(drawnOrder(n, Math.random)) }));
  const [number, power] = [html("span"), html("sup")];
  const result = html("p", { class: "shuffle-result", role: "status" }, "Largest difference: ", html("b", {}, number, power));
  root.replaceChildren(html("div", { class: "shuffle-controls" }, control.element, again), crossing, grid, result);
  again.hidden = !weightsUrl;

  /** Both outputs and how far apart they are at most; null while the engine is on its way. */
  function computed() {
    const kind = POSITIONS.indexOf(positions);
    if (order.every((from, place) => from === given[place])) {
      const [straight, first] = [rows(outputs, kind, 0), rows(outputs, kind, 1)];
      // the outputs are baked to six digits, their difference to all
      return { first, last: order.map((from) => straight[from] ?? []), largest: Math.max(...at(series(run, "shuffle_difference"), kind)) };
    }
    if (!block) return null;
    const tokens = before.map(Number);
    const straight = block(tokens, positions === "with");
    const both = { first: block(order.map((from) => tokens[from] ?? 0), positions === "with"), last: order.map((from) => straight[from] ?? []) };
    return { ...both, largest: Math.max(...differences(both).flat()) };
  }

  async function load() {
    const { fetchFirstBlock } = await import("../../js/engine/first-block.js");
    block = await fetchFirstBlock(weightsUrl ?? "", run);
    draw();
  }
  /** @type {Promise<void> | null} */
  let loading = null;

  let sizes = layout(600);
  let across = 600;

  function draw() {
    control.show(positions);
    const after = order.map((from) => before[from] ?? "");
    const xs = centres(n, 0, across);
    order.forEach((from, place) => {
      set(lines[place] ?? crossing, { d: arc(xs[from] ?? 0, 22, xs[place] ?? 0, sizes.lines - 20) });
    });
    bottom.forEach((text, place) => say(text, after[place] ?? ""));
    sides.forEach((text, place) => say(text, after[place] ?? ""));
    set(crossing, { "aria-label": `${before.join(" ")} becomes ${after.join(" ")}` });
    const found = computed();
    if (!found) {
      loading ??= load().catch(() => say(number, "the weights did not arrive"));
      return;
    }
    const apart = differences(found);
    [found.first, found.last, apart].forEach((part, index) => strips[index]?.show(part.flat()));
    const [mantissa, exponent] = scientific(found.largest);
    say(number, exponent ? `${mantissa} × 10` : mantissa);
    say(power, exponent ? `−${-exponent}` : "");
  }

  const unobserve = whenWidthChanges(root, (width) => {
    sizes = layout(width);
    across = width;
    set(crossing, { width: across, height: sizes.lines, viewBox: `0 0 ${across} ${sizes.lines}` });
    const xs = centres(n, 0, across);
    top.forEach((text, place) => set(text, { x: xs[place] }));
    bottom.forEach((text, place) => set(text, { x: xs[place], y: sizes.lines - 4 }));
    for (const strip of strips) strip.resize(sizes.strip, sizes.row * n);
    set(side, { width: sizes.side, height: sizes.row * n, viewBox: `0 0 ${sizes.side} ${sizes.row * n}` });
    sides.forEach((text, place) => set(text, { x: 7, y: (place + 0.5) * sizes.row + 5 }));
    grid.style.setProperty("grid-template-columns", `${sizes.side}px repeat(3, ${sizes.strip}px)`);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      positions = state.positions === "with" ? "with" : "without";
      order = readOrder(String(state.order ?? ""), n) ?? given;
      draw();
    },
    destroy() {
      unobserve();
      for (const strip of strips) strip.destroy();
    },
  };
}
