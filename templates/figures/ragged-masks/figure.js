/** A ragged batch: the masks of its pairs, three each, and which cells padding hides and which the causal order. */

import { choices } from "../../js/choices.js";
import { room, tokenMap } from "../../js/token-map.js";
import { rows, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {"both" | "padding" | "causal"} Reason */
/** @typedef {import("../../js/heat-map.js").Place} Place */

const KINDS = [
  { mask: "source_masks", name: "encoder", short: "encoder", made: "source padding", asks: "source", answers: "source", valid: "source_valid", causal: false },
  { mask: "target_masks", name: "decoder", short: "decoder", made: "causal, target padding", asks: "inputs", answers: "inputs", valid: "target_valid", causal: true },
  { mask: "cross_masks", name: "cross-attention", short: "cross", made: "source padding", asks: "inputs", answers: "source", valid: "source_valid", causal: false },
];
/** @type {Record<Reason, string>} */
const SENTENCES = {
  both: "Six masks, two reasons. Point at a cell to learn why it is masked.",
  padding: "Padding alone: whole columns, in every row. The longer pair has none.",
  causal: "The causal order alone: what is right of the diagonal, in the decoder only.",
};
/** @type {Record<string, string>} */
const BECAUSE = { padding: "that is padding", causal: "it comes later", both: "it comes later, and is padding" };

/**
 * Why a cell is masked: what it reads is padding, or comes later, or both; "" where it is open.
 * @param {number} query
 * @param {number} key
 * @param {number} valid  how many keys are no padding
 * @param {boolean} causal
 */
export function reason(query, key, valid, causal) {
  const [padding, later] = [key >= valid, causal && key > query];
  return padding && later ? "both" : padding ? "padding" : later ? "causal" : "";
}

/**
 * Where the maps stand: a column a mask, a row a pair; rows of one column have their tokens' room in common.
 * @param {number} width
 * @param {{ side: number, keys: number }[]} columns
 */
export function layout(width, columns) {
  const gap = width < 460 ? 5 : 22;
  const [sides, keys] = [columns.reduce((sum, { side }) => sum + side, 0), columns.reduce((sum, one) => sum + one.keys, 0)];
  const cell = Math.min(30, Math.floor((width - sides - 2 * gap - 2) / keys));
  let x = 0;
  const lefts = columns.map((one) => {
    const left = x + one.side;
    x = left + one.keys * cell + gap;
    return left;
  });
  return { cell, lefts, narrow: width < 460 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  /** @type {Record<string, any>[]} */
  const pairs = run.examples.tokens;
  const signs = (/** @type {string[]} */ words) => words.map((word) => ({ "<start>": "▶", "<pad>": "pad" })[word] ?? word);
  /** @type {Reason} */
  let hidden = "both";
  const maps = pairs.flatMap((pair, row) =>
    KINDS.map((kind, column) => {
      const grid = rows(series(run, kind.mask), row);
      const [queries, keys] = [signs(pair[kind.asks]), signs(pair[kind.answers])];
      const why = (/** @type {number} */ query, /** @type {number} */ key) => (grid[query]?.[key] ? "" : reason(query, key, pair[kind.valid], kind.causal));
      const shown = (/** @type {number} */ query, /** @type {number} */ key) => {
        const because = why(query, key);
        return because !== "" && (hidden === "both" || because === "both" || because === hidden);
      };
      const told = (/** @type {Place} */ { query, key }) => {
        const read = keys.filter((_, index) => !shown(query, index));
        const asker = `Pair ${row + 1}, ${kind.name}: “${queries[query]}”`;
        if (key < 0) return `${asker} reads ${read.join(", ")}.`;
        const because = BECAUSE[why(query, key)];
        return because && shown(query, key) ? `${asker} may not read “${keys[key]}”: ${because}.` : `${asker} may read “${keys[key]}”.`;
      };
      const map = tokenMap({
        name: `Pair ${row + 1}, ${kind.name}`,
        queries,
        keys,
        lit: (place) => {
          for (const one of maps) one.map.light(one.map === map ? place : null);
          say(readout, place ? told(place) : SENTENCES[hidden]);
        },
      });
      return { map, row, column, queries, keys, shown, told, title: svg("text", { class: "map-title" }, kind.name), made: svg("text", { class: "note" }, kind.made) };
    }),
  );
  const control = choices({ label: "masked", values: /** @type {Reason[]} */ (["both", "padding", "causal"]), text: (one) => ({ both: "both", padding: "padding", causal: "later" })[one], changed: (one) => changed({ hidden: one }) });
  const readout = html("p", { class: "readout", role: "status" });
  const picture = svg("svg", { class: "diagram token-maps" }, ...maps.filter(({ row }) => row === 0).flatMap(({ title, made }) => [title, made]), ...maps.map(({ map }) => map.element));
  root.replaceChildren(control.element, picture, readout);

  function draw() {
    control.show(hidden);
    for (const { map, shown, told } of maps) {
      map.mask(shown);
      map.tell((query) => told({ query, key: -1 }));
    }
    say(readout, SENTENCES[hidden]);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const columns = KINDS.map((_, column) => {
      const all = maps.filter((one) => one.column === column);
      return { side: room(all.flatMap(({ queries }) => queries)), keys: Math.max(...all.map(({ keys }) => keys.length)) };
    });
    const { cell, lefts, narrow } = layout(width, columns);
    let y = narrow ? 16 : 34;
    for (let row = 0; row < pairs.length; row += 1) {
      const all = maps.filter((one) => one.row === row);
      y += Math.max(...all.map(({ keys }) => room(keys)));
      for (const { map, column, title, made } of all) {
        const left = lefts[column] ?? 0;
        map.resize(left, y, cell);
        say(title, KINDS[column]?.[width < 330 ? "short" : "name"] ?? "");
        set(title, { x: narrow ? left - (column === 2 ? 24 : 0) : left, y: 12 });
        set(made, { x: left, y: 29, visibility: narrow ? "hidden" : "visible" });
      }
      y += Math.max(...all.map(({ queries }) => queries.length)) * cell + (narrow ? 10 : 18);
    }
    const height = y - (narrow ? 9 : 17);
    set(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      hidden = state.hidden === "padding" || state.hidden === "causal" ? state.hidden : "both";
      draw();
    },
    destroy: unobserve,
  };
}
