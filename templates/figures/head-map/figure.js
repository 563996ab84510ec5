/** One real head: every token asks as a row and answers as a column; a row that is followed stands as arcs, too. */

import { fixed } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { within } from "../../js/scale.js";
import { labels, rows, series } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { tokenRows } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {import("../../js/heat-map.js").Place} Place */

/** @param {number} width */
export function layout(width) {
  const side = width >= 540;
  return { side, map: side ? 300 : width, arcs: side ? width - 300 - 44 : 0, height: side ? 250 : 72 };
}

/**
 * What a row says: the key it reads most, then the next.
 * @param {number[]} row
 * @param {string[]} keys
 * @param {number} query
 */
export function reading(row, keys, query) {
  const order = row.map((_, key) => key).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0));
  const [first = 0, second = 0] = order;
  const name = (/** @type {number} */ key) => (key === query ? "itself" : `the ${keys[key]}`);
  const weight = (/** @type {number} */ key) => fixed(row[key] ?? NaN, 2);
  return `The ${keys[query]} reads ${name(first)} most, ${weight(first)}, then ${name(second)}, ${weight(second)}.`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const maps = series(run, "maps");
  const { attention, head } = run.examples.one_head;
  const { query: queries, key: keys } = run.examples.tokens[attention];
  const weights = rows(maps, labels(maps, "attention").indexOf(attention), labels(maps, "head").indexOf(String(head)));

  /** @type {Place | null} */
  let lit = null;
  let followed = -1;
  const grid = heatMap({
    name: `Weights of one head, ${attention} ${head}: rows are the digits as queries, columns the same digits as keys`,
    title: `${attention}, head ${head}`,
    queries,
    keys,
    maxCell: 56,
    maxRow: 36,
    lit: (place) => {
      lit = place;
      light();
    },
  });
  const arcs = tokenRows({ name: "The same digits twice: above as keys, below as queries", queries: queries.length, keys });
  const readout = html("p", { class: "readout" });
  const parts = html("div", { class: "head-map-parts" }, grid.element, arcs.element);
  root.replaceChildren(parts, readout);

  const follow = (/** @type {number} */ query) => changed({ query: query === followed ? 0 : query + 1 });
  const pressed = (/** @type {Event} */ event) => {
    const place = event.target instanceof Element ? event.target.closest("[data-query]") : null;
    const query = Number(place?.getAttribute("data-query") ?? -1);
    if (query < 0) return false;
    follow(query);
    return true;
  };
  grid.element.addEventListener("click", pressed);
  grid.element.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && pressed(event)) event.preventDefault();
  });

  function light() {
    const place = lit ?? (followed >= 0 ? { query: followed, key: -1 } : null);
    grid.light(place);
    arcs.show(queries, weights, place && place.query >= 0 ? place.query : -1);
    say(readout, told(place));
  }

  /** @param {Place | null} place */
  function told(place) {
    if (!place) return "Every digit stands in a row, where it asks, and in a column, where it is asked. Choose one.";
    const { query, key } = place;
    const at = (/** @type {number} */ row, /** @type {number} */ column) => fixed(weights[row]?.[column] ?? NaN, 2);
    if (query < 0) return `Down: how much each digit reads the ${keys[key]}. A column need not sum to 1.`;
    if (key < 0) return reading(weights[query] ?? [], keys, query);
    if (query === key) return `The ${queries[query]} reads itself with ${at(query, key)}.`;
    return `The ${queries[query]} reads the ${keys[key]} with ${at(query, key)}; the ${keys[key]} reads the ${queries[query]} with ${at(key, query)}.`;
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    const { left, cell } = grid.resize(sizes.map);
    const across = cell * keys.length;
    arcs.resize(sizes.side ? { left: 0, width: Math.min(sizes.arcs, 330), height: sizes.height } : { left, width: across, height: sizes.height, keysRoom: 0 });
    parts.classList.toggle("is-side-by-side", sizes.side);
    grid.show(weights.flat());
    light();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      followed = within(state.query, 0, queries.length) - 1;
      light();
    },
    destroy: unobserve,
  };
}
