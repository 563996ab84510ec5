/** A decoder's block with its three sublayers; beside the two attentions stands what they weigh on one string. */

import { column, leaving, memoryWay, note } from "../../js/block.js";
import { choices } from "../../js/choices.js";
import { at, labels, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { mean, tokenMap } from "../../js/token-map.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {"all" | "self" | "cross" | "network"} Part */
/** @type {Part[]} */
const PARTS = ["all", "self", "cross", "network"];
/** @type {Record<Part, string>} */
const NAMES = { all: "all", self: "self-attention", cross: "cross-attention", network: "feed-forward" };
/** @type {Record<Part, string>} */
const SENTENCES = {
  all: "From top to bottom: what is written so far, what was read, then a network for each place. Around each runs a residual path.",
  self: "Self-attention: each place reads itself and what is written before it. What comes later is masked.",
  cross: "Cross-attention: queries from the decoder, keys and values from the memory. No cell is masked.",
  network: "The gated feed-forward network works on each place alone: nothing is read.",
};
const [SIDE, TOP, BLOCK] = [20, 36, 330]; // BLOCK: how tall a block is

/** @param {number} width @param {number} n */
export function layout(width, n) {
  const narrow = width < 460;
  if (width < 330) {
    // the maps stand below the block
    const cell = Math.floor((width - 2 * SIDE - 12) / 2 / n);
    return { cell, memory: 56, block: Math.min(width, 230), maps: [[SIDE, BLOCK], [2 * SIDE + cell * n + 12, BLOCK]] };
  }
  const block = narrow ? 182 : Math.min(290, width - 12 * 17 - 40);
  const cell = Math.min(narrow ? 14 : 17, Math.floor((width - block - SIDE - (narrow ? 12 : 30)) / n));
  const x = width - cell * n - 2;
  return { cell, memory: narrow ? 56 : 78, block, maps: [[x, 0], [x, TOP + cell * n + 14]] };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  /** @type {Part} */
  let shown = "all";
  const last = (/** @type {import("../../js/series.js").Series} */ one) => (one.shape[0] ?? 1) - 1;
  const attentions = [
    { part: "self", title: "self-attention", of: series(run, "decoder_attention"), masked: true },
    { part: "cross", title: "cross-attention", of: series(run, "cross_attention"), masked: false },
  ].map(({ part, title, of, masked }) => {
    const signs = (/** @type {string} */ axis) => labels(of, axis).map((token) => (token === "start" ? "▶" : token));
    const [queries, keys] = [signs("query"), signs("key")];
    const heads = Array.from({ length: of.shape[1] ?? 0 }, (_, head) => at(of, last(of), head));
    const weights = mean(heads);
    const map = tokenMap({
      name: `${title}, heads averaged: rows are what the decoder writes, columns what it reads`,
      queries,
      keys,
      lit: (place) => {
        map.light(place);
        if (!place) say(readout, SENTENCES[shown]);
        else say(readout, told(place));
      },
      chosen: () => changed({ part: shown === part ? "all" : part }),
    });
    const told = (/** @type {import("../../js/heat-map.js").Place} */ { query, key }) => {
      const who = masked ? `Given ${queries[query]}` : `Writing ${queries[query]}`;
      if (key < 0) return `${who}, place ${query + 1}: one row of ${title}.`;
      if (masked && key > query) return `${who}, ${keys[key]} comes later: masked.`;
      return `${who}, reading ${keys[key]}: ${(weights[query * keys.length + key] ?? NaN).toFixed(2)}.`;
    };
    map.mask((query, key) => masked && key > query);
    map.show(weights);
    map.tell((query) => told({ query, key: -1 }));
    return { part, map, n: keys.length, title: svg("text", { class: "map-title" }, title) };
  });
  const control = choices({ label: "", values: PARTS, text: (part) => part, said: (part) => NAMES[part], changed: (part) => changed({ part }) });
  const block = svg("g", { role: "img", "aria-label": "A decoder’s block and its three sublayers" });
  const picture = svg("svg", { class: "diagram token-maps" }, block, ...attentions.flatMap(({ title, map }) => [title, map.element]));
  const readout = html("p", { class: "readout", role: "status" });
  root.replaceChildren(control.element, picture, readout);

  function draw() {
    control.show(shown);
    for (const { part, map, title } of attentions) {
      title.classList.toggle("is-lit", shown === part);
      map.light(null);
    }
    [...block.querySelectorAll(".box")].forEach((box, index) => box.classList.toggle("is-part", PARTS[index + 1] === shown));
    say(readout, SENTENCES[shown]);
  }

  /** @param {ReturnType<typeof layout>} sizes */
  function drawBlock({ memory, block: across, cell, maps }) {
    const causal = (/** @type {number} */ row, /** @type {number} */ key) => key > row;
    const each = across - memory - 12;
    const sublayers = [
      { name: ["self-attention"], masked: causal },
      { name: ["cross-attention"], masked: () => false },
      { name: ["feed-forward"] },
    ];
    const { layout: placed, parts } = column(sublayers, { x: memory, width: each, top: 22, side: each > 128 }, 1);
    const cross = placed.boxes[1];
    const level = (cross?.y ?? 0) + (cross?.height ?? 0) / 2;
    block.replaceChildren(
      ...parts,
      note(placed.middle, 12, "written so far"),
      ...memoryWay([[0, level], [cross?.x ?? 0, level]]),
      note(0, level - 8, "memory", "note-memory", "start"),
      note(0, level + 18, "keys,", "", "start"),
      note(0, level + 32, "values", "", "start"),
      ...leaving(placed, "next letter, at each place"),
    );
    return Math.max(placed.bottom + 30, (maps[1]?.[1] ?? 0) + TOP + cell * (attentions[0]?.n ?? 0) + 2);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width, attentions[0]?.n ?? 0);
    const height = drawBlock(sizes);
    attentions.forEach(({ map, title }, index) => {
      const [x = 0, y = 0] = sizes.maps[index] ?? [];
      map.resize(x, y + TOP, sizes.cell);
      set(title, { x, y: y + 13 });
    });
    set(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      shown = PARTS.find((part) => part === state.part) ?? "all";
      draw();
    },
    destroy: unobserve,
  };
}
