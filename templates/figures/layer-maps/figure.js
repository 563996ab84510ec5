/** A deep model's layers side by side: where its rows are largest, and where the truth lies. */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { within } from "../../js/scale.js";
import { at, labels, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { tokenMap } from "../../js/token-map.js";
import { whenWidthChanges } from "../../js/width.js";

const [SIDE, TOP, BELOW] = [16, 42, 30];

/** Two maps in a row. @param {number} width @param {number} n */
export function layout(width, n) {
  const gap = width < 460 ? 12 : 40;
  const cell = Math.min(19, Math.floor(((width - gap) / 2 - SIDE - 2) / n));
  return { cell, across: SIDE + cell * n + gap, down: TOP + cell * n + BELOW, left: Math.max(0, Math.floor((width - 2 * (SIDE + cell * n) - gap) / 2)) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [maps, share, weight, byHead] = ["cross_attention", "argmax_share_by_layer", "mean_weight_by_layer", "argmax_share_by_head"].map((name) => series(run, name));
  if (!maps || !share || !weight || !byHead) throw new Error("series() throws first");
  const [read, written] = [labels(maps, "key"), labels(maps, "query")];
  const n = read.length;
  const truth = (/** @type {number} */ query) => n - 1 - query;
  const [layers = 0, heads = 0] = maps.shape;
  let [head, letter] = [0, -1];
  /** @type {import("../../js/heat-map.js").Place | null} */
  let pointed = null;

  /** Flat; the mean of the heads, or one. @param {number} layer */
  const weights = (layer) => {
    if (head) return at(maps, layer, head - 1);
    const each = Array.from({ length: heads }, (_, one) => at(maps, layer, one));
    return (each[0] ?? []).map((_, cell) => each.reduce((sum, map) => sum + (map[cell] ?? NaN), 0) / heads);
  };
  /** @type {number[][]} */
  let shown = [];
  const all = Array.from({ length: layers }, (_, layer) => ({
    layer,
    title: svg("text", { class: "map-title" }, `layer ${layer + 1}`),
    told: svg("text", { class: "note" }),
    map: tokenMap({
      name: `Cross-attention of layer ${layer + 1}: rows are the letters written, columns the letters read; dashed, the true source`,
      queries: written,
      keys: read,
      truth,
      lit: (place) => {
        pointed = place;
        light();
      },
      chosen: ({ query }) => changed({ letter: query === letter ? 0 : query + 1 }),
    }),
  }));
  const control = choices({ label: "head", values: [0, ...Array.from({ length: heads }, (_, one) => one + 1)], text: (one) => (one ? String(one) : "mean"), said: (one) => (one ? `head ${one}` : "mean of the heads"), changed: (one) => changed({ head: one }) });
  const picture = svg("svg", { class: "diagram layers" }, ...all.flatMap(({ title, told, map }) => [title, told, map.element]));
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(control.element, picture, readout);

  /** @param {number} query */
  function reading(query) {
    const most = shown.map((map, layer) => {
      const row = map.slice(query * n, (query + 1) * n);
      const key = row.indexOf(Math.max(...row));
      return `${layer + 1}: place ${key + 1}, ${fixed(row[key] ?? NaN, 2)}`;
    });
    return `Letter ${query + 1}, ${written[query]}; its source is place ${truth(query) + 1}. Read most in layer ${most.join("; ")}.`;
  }

  function light() {
    const place = pointed ?? (letter >= 0 ? { query: letter, key: -1 } : null);
    for (const { map } of all) map.light(place);
    if (!place) say(readout, "Dashed: the true source of each letter. Each row sums to one; choose one.");
    else if (place.query < 0) say(readout, `Down: how much each letter written reads place ${place.key + 1}, ${read[place.key]}.`);
    else if (place.key < 0) say(readout, reading(place.query));
    else say(readout, `Writing ${written[place.query]}, reading place ${place.key + 1}, ${read[place.key]}: ${shown.map((map, layer) => `layer ${layer + 1} ${fixed(map[place.query * n + place.key] ?? NaN, 2)}`).join(", ")}.`);
  }

  function draw() {
    control.show(head);
    shown = all.map(({ layer }) => weights(layer));
    for (const { layer, map, told } of all) {
      map.show(shown[layer] ?? []);
      map.tell(reading);
      const right = head ? at(byHead, layer, head - 1)[0] : at(share, layer)[0];
      say(told, `${percent(right ?? NaN, 1)} on the source${head ? "" : `, weight ${fixed(at(weight, layer)[0] ?? NaN, 2)}`}`);
    }
    light();
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const { cell, across, down, left } = layout(width, n);
    for (const { layer, map, title, told } of all) {
      const [x, y] = [left + SIDE + (layer % 2) * across, Math.floor(layer / 2) * down];
      map.resize(x, y + TOP, cell);
      set(title, { x, y: y + 14 });
      set(told, { x, y: y + TOP + cell * n + 16 });
    }
    const height = Math.ceil(layers / 2) * down - 10;
    set(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      head = within(state.head, 0, heads);
      letter = within(state.letter, 0, n) - 1;
      draw();
    },
    destroy: unobserve,
  };
}
