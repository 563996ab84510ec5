/** All heads at once: the mean of many strings, the cells a formula asks about, and the share of the weight on them. */

import { choices } from "../../js/choices.js";
import { fixed } from "../../js/format.js";
import { hatch } from "../../js/heat-map.js";
import { at, labels, rows, series } from "../../js/series.js";
import { html, say, set, style, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

export const TAG = "tag";
/**
 * For each formula the key that a query at place t is asked about, of n places; it may lie outside.
 * @type {Record<string, (t: number, n: number) => number>}
 */
export const FORMULAS = {
  mirror: (t, n) => n - 1 - t,
  self: (t) => t,
  previous: (t) => t - 1,
  next: (t) => t + 1,
  first: () => 0,
};
const CAUSAL = "decoder";

/** Whether a query may look at a key. @param {string} attention @param {number} query @param {number} key */
export function visible(attention, query, key) {
  return attention !== CAUSAL || key <= query;
}

/**
 * The cells a formula asks about: of each query that may look at more than one key, the key, if it may look at it.
 * @param {string} formula
 * @param {string} attention
 * @param {number} n
 * @returns {{ query: number, key: number }[]}
 */
export function asked(formula, attention, n) {
  const cells = [];
  for (let query = attention === CAUSAL ? 1 : 0; query < n; query += 1) {
    const key = FORMULAS[formula]?.(query, n) ?? -1;
    if (key >= 0 && key < n && visible(attention, query, key)) cells.push({ query, key });
  }
  return cells;
}

/**
 * @param {number} width
 * @param {number} n places of a map
 */
export function layout(width, n) {
  const gap = width < 460 ? 14 : 40;
  const cell = Math.min(26, Math.floor((width - 2 * gap) / 3 / n));
  const side = cell * n + 1;
  return { cell, side, wide: side >= 150, top: 22, bar: 22 + side + 6, tag: 22 + side + 26, more: 22 + side + 43, height: 22 + side + 48 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [maps, share, chance, spread] = ["mean_maps", "share", "chance", "normalised_entropy"].map((name) => series(run, name));
  if (!maps || !share || !chance || !spread) throw new Error("series() throws first");
  const [attentions, formulas] = [labels(share, "attention"), labels(share, "formula")];
  const n = maps.shape[2] ?? 0;
  let formula = TAG;
  let chosen = 0;

  const cards = Array.from({ length: share.shape[1] ?? 0 }, (_, head) => head).flatMap((head) =>
    attentions.map((attention, place) => card(attention, place, head)),
  );

  /** @param {string} attention @param {number} place @param {number} head */
  function card(attention, place, head) {
    const weights = rows(maps, place, head);
    const name = svg("text", { class: "head-name", x: 0, y: 13 }, `${attention} ${head + 1}`);
    const cells = weights.flatMap((row, query) => row.map((weight, key) => {
      const none = !visible(attention, query, key);
      const square = svg("rect", { class: none ? "map-square map-masked" : "map-square" });
      const strokes = svg("path", { class: "map-hatch" });
      style(square, "--w", weight.toFixed(4));
      return { query, key, square, strokes, element: none ? svg("g", {}, square, strokes) : square };
    }));
    const marks = {
      halo: svg("path", { class: "head-halo" }),
      asked: svg("path", { class: "head-asked" }),
      track: svg("rect", { class: "head-track", height: 5 }),
      bar: svg("rect", { class: "head-bar", height: 5 }),
      even: svg("line", { class: "head-even" }),
      tag: svg("text", { class: "head-tag", x: 0 }),
      chance: svg("text", { class: "head-chance" }),
      more: svg("text", { class: "head-more", x: 0 }, `entropy ${fixed(at(spread, place, head)[0] ?? NaN, 2)} of 1`),
      frame: svg("rect", { class: "head-frame", visibility: "hidden" }),
    };
    const picture = svg("svg", { "aria-hidden": "true" }, name, ...cells.map(({ element }) => element), ...Object.values(marks));
    const button = html("button", { type: "button", class: "head-card" }, picture);
    const tag = String(run.examples.tags[attention][head]);
    return { attention, place, head, tag, cells, marks, picture, button, shares: at(share, place, head), even: at(chance, place) };
  }

  cards.forEach(({ button }, index) => button.addEventListener("click", () => changed({ head: chosen === index + 1 ? 0 : index + 1 })));
  const control = choices({
    label: "formula",
    values: [TAG, ...formulas],
    text: (value) => (value === TAG ? "best" : value),
    said: (value) => (value === TAG ? "for each head the formula that fits it best" : value),
    changed: (value) => changed({ formula: value }),
  });
  const grid = html("div", { class: "heads" }, ...cards.map(({ button }) => button));
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(control.element, grid, readout);
  let sizes = layout(600, n);

  function draw() {
    const { cell, side, wide, top, bar, tag, more } = sizes;
    control.show(formula);
    cards.forEach((one, index) => {
      const shown = formula === TAG ? one.tag : formula;
      const place = formulas.indexOf(shown);
      const [had, even] = [one.shares[place] ?? NaN, one.even[place] ?? NaN];
      const possible = even > 0;
      const { marks } = one;
      const frames = asked(shown, one.attention, n).map(({ query, key }) => `M${key * cell + 2} ${top + query * cell + 2}h${cell - 3}v${cell - 3}h${3 - cell}z`).join("");
      set(marks.halo, { d: frames });
      set(marks.asked, { d: frames });
      set(marks.track, { y: bar, width: side });
      set(marks.bar, { y: bar, width: possible ? had * side : 0 });
      set(marks.even, { x1: even * side, x2: even * side, y1: bar - 3, y2: bar + 8, visibility: possible ? "visible" : "hidden" });
      say(marks.tag, possible ? `${shown} ${fixed(had, 2)}` : `${shown}: masked`);
      set(marks.tag, { y: tag, class: shown === one.tag ? "head-tag" : "head-tag is-other" });
      say(marks.chance, possible ? `chance ${fixed(even, 2)}` : "");
      // where there is no room for both, the entropy is left to the readout
      set(marks.chance, wide ? { x: side, y: tag, "text-anchor": "end" } : { x: 0, y: more, "text-anchor": "start" });
      set(marks.more, { y: more, visibility: wide ? "visible" : "hidden" });
      set(marks.frame, { x: -2, y: top - 2, width: side + 4, height: side + 4, visibility: chosen === index + 1 ? "visible" : "hidden" });
      set(one.button, {
        "aria-pressed": String(chosen === index + 1),
        "aria-label": `${one.attention}, head ${one.head + 1}: ${shown} ${possible ? `${fixed(had, 2)}, chance ${fixed(even, 2)}` : "is masked"}`,
      });
    });
    say(readout, told());
  }

  function told() {
    const one = cards[chosen - 1];
    if (!one) return "Dashed: the cells a formula asks about. Bar: the share of the weight on them; tick: chance.";
    const list = formulas.map((name, place) => (one.even[place] ? `${name} ${fixed(one.shares[place] ?? NaN, 2)}` : "")).filter(Boolean);
    const entropy = fixed(at(spread, one.place, one.head)[0] ?? NaN, 2);
    return `${one.attention}, head ${one.head + 1}: ${list.join(", ")}. Entropy ${entropy} of 1.`;
  }

  const unobserve = whenWidthChanges(root, (width) => {
    sizes = layout(width, n);
    const { cell, side, top, height } = sizes;
    for (const { picture, cells } of cards) {
      set(picture, { width: side, height, viewBox: `0 0 ${side} ${height}` });
      for (const { query, key, square, strokes } of cells) {
        const [x, y] = [key * cell, top + query * cell];
        set(square, { x: x + 0.5, y: y + 0.5, width: cell, height: cell });
        set(strokes, { transform: `translate(${x} ${y})`, d: hatch(cell, cell) });
      }
    }
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      formula = formulas.includes(String(state.formula)) ? String(state.formula) : TAG;
      chosen = Math.min(Math.max(Math.trunc(Number(state.head) || 0), 0), cards.length);
      draw();
    },
    destroy: unobserve,
  };
}
