/**
 * A deep model's layers side by side: where its rows are largest, and where the truth lies. And, as the reason, which
 * letter of the source each place of the memory tells of.
 */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { within } from "../../js/scale.js";
import { at, labels, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { mean, most, tokenMap } from "../../js/token-map.js";
import { whenWidthChanges } from "../../js/width.js";

const [SIDE, TOP, BELOW] = [20, 42, 30];
/** @type {Record<string, string>} */
const NAMES = { shallow: "one block", deep: "four blocks" };
const MEMORY = "Which letter of the source each place of the memory tells of. On the diagonal, letters stay where they are.";

/** Two maps in a row, small enough that all stand in a window of 800 pixels. @param {number} width @param {number} n */
export function layout(width, n) {
  const gap = width < 460 ? 12 : 40;
  const cell = Math.min(15, Math.floor(((width - gap) / 2 - SIDE - 2) / n));
  return { cell, across: SIDE + cell * n + gap, down: TOP + cell * n + BELOW, left: Math.max(0, Math.floor((width - 2 * (SIDE + cell * n) - gap) / 2)) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const of = (/** @type {string} */ name) => series(run, name);
  const [maps, memory] = [of("cross_attention"), of("told_of")];
  const [share, weight, byHead] = [of("argmax_share_by_layer"), of("mean_weight_by_layer"), of("argmax_share_by_head")];
  const [read, written] = [labels(maps, "key"), labels(maps, "query")];
  const n = read.length;
  const truth = (/** @type {number} */ query) => n - 1 - query;
  const [layers = 0, heads = 0] = maps.shape;
  const places = labels(memory, "place");
  let [head, letter] = [0, -1];
  /** @type {"layers" | "memory"} */
  let view = "layers";
  /** @type {import("../../js/heat-map.js").Place | null} */
  let pointed = null;

  /** Flat; the mean of the heads, or one. @param {number} layer */
  const weights = (layer) => (head ? at(maps, layer, head - 1) : mean(Array.from({ length: heads }, (_, one) => at(maps, layer, one))));
  /** @type {number[][]} */
  let shown = [];
  const all = Array.from({ length: layers }, (_, layer) => ({
    layer,
    title: svg("text", { class: "map-title" }, `layer ${layer + 1}`),
    told: svg("text", { class: "note" }),
    map: tokenMap({
      name: `Cross-attention of layer ${layer + 1}: rows are the letters written, columns the letters read`,
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
  // the mean change of each place when one letter becomes another, as a share: on the diagonal, letters stay where they are
  const models = labels(memory, "model").map((model, index) => {
    const shares = at(memory, index);
    const told = (/** @type {import("../../js/heat-map.js").Place} */ { query, key }) => {
      if (query < 0) return `Down: how much each place of the memory tells of letter ${key + 1}.`;
      const { key: told, weight: share } = key >= 0 ? { key, weight: shares[query * n + key] ?? NaN } : most(shares, query, n);
      return `Place ${query + 1} of the memory tells ${key >= 0 ? "" : "most "}of letter ${told + 1}, with a share of ${fixed(share, 2)}.`;
    };
    const map = tokenMap({
      name: `${NAMES[model] ?? model}: rows are places of the memory, columns letters of the source`,
      queries: places,
      keys: labels(memory, "letter"),
      lit: (place) => {
        models.forEach((one) => one.map.light(place));
        say(readout, place ? told(place) : MEMORY);
      },
    });
    map.show(shares);
    map.tell((query) => told({ query, key: -1 }));
    const own = run.metrics[`own_letter_${model}`]?.value ?? NaN;
    const other = run.metrics[`other_half_${model}`]?.value ?? NaN;
    return { map, title: svg("text", { class: "map-title" }, NAMES[model] ?? model), told: svg("text", { class: "note" }), own, other };
  });
  const views = choices({ label: "", values: /** @type {("layers" | "memory")[]} */ (["layers", "memory"]), text: (one) => ({ layers: "what the decoder reads", memory: "what the encoder left" })[one], changed: (one) => changed({ view: one }) });
  const control = choices({ label: "head", values: [0, ...Array.from({ length: heads }, (_, one) => one + 1)], text: (one) => (one ? String(one) : "mean"), said: (one) => (one ? `head ${one}` : "mean of the heads"), changed: (one) => changed({ head: one }) });
  const layersDrawn = svg("g", {}, ...all.flatMap(({ title, told, map }) => [title, told, map.element]));
  const memoryDrawn = svg("g", {}, ...models.flatMap(({ title, told, map }) => [title, told, map.element]));
  const picture = svg("svg", { class: "diagram token-maps" }, layersDrawn, memoryDrawn);
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(views.element, control.element, picture, readout);

  /** @param {number} query */
  function reading(query) {
    const read = shown.map((map, layer) => {
      const { key, weight: value } = most(map, query, n);
      return `${layer + 1}: place ${key + 1}, ${fixed(value, 2)}`;
    });
    return `Letter ${query + 1}, ${written[query]}; its source is place ${truth(query) + 1}. Read most in layer ${read.join("; ")}.`;
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
    views.show(view);
    control.show(head);
    const read = view === "layers";
    control.element.toggleAttribute("hidden", !read);
    layersDrawn.toggleAttribute("hidden", !read);
    memoryDrawn.toggleAttribute("hidden", read);
    set(picture, { height: heights[view], viewBox: `0 0 ${across} ${heights[view]}` });
    shown = all.map(({ layer }) => weights(layer));
    for (const { layer, map, told } of all) {
      map.show(shown[layer] ?? []);
      map.tell(reading);
      const right = head ? at(byHead, layer, head - 1)[0] : at(share, layer)[0];
      say(told, `${percent(right ?? NaN, 1)} on the source${head || across < 460 ? "" : `, weight ${fixed(at(weight, layer)[0] ?? NaN, 2)}`}`);
    }
    for (const { told, own, other } of models) say(told, `${across < 460 ? "" : `own letter ${fixed(own, 2)}, `}other half ${fixed(other, 2)}`);
    if (read) light();
    else {
      models.forEach(({ map }) => map.light(null));
      say(readout, MEMORY);
    }
  }

  /** @type {Record<string, number>} */
  const heights = { layers: 0, memory: 0 };
  let across = 0;
  const unobserve = whenWidthChanges(root, (width) => {
    const { cell, across: step, down, left } = layout(width, n);
    for (const [index, { map, title, told }] of [...all.entries(), ...models.entries()]) {
      const [x, y] = [left + SIDE + (index % 2) * step, Math.floor(index / 2) * down];
      map.resize(x, y + TOP, cell);
      set(title, { x, y: y + 14 });
      set(told, { x, y: y + TOP + cell * n + 16 });
    }
    across = width;
    heights.layers = Math.ceil(layers / 2) * down - 10;
    heights.memory = down - 10; // one row: two models
    set(picture, { width });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      view = state.view === "memory" ? "memory" : "layers";
      head = within(state.head, 0, heads);
      letter = within(state.letter, 0, n) - 1;
      draw();
    },
    destroy: unobserve,
  };
}
