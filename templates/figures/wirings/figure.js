/** One block in three wirings: the block and its masks at the left, who may read whom at the right. */

import { choices } from "../../js/choices.js";
import { tokenMap, room } from "../../js/token-map.js";
import { within } from "../../js/scale.js";
import { rows, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { stageHeight, whenWidthChanges } from "../../js/width.js";
import { column, leaving, memoryWay, note } from "../../js/block.js";

/** @typedef {"encoder" | "decoder" | "both"} Wiring */
/** @type {Wiring[]} */
const WIRINGS = ["encoder", "decoder", "both"];
const NAMES = { encoder: "encoder-only", decoder: "decoder-only", both: "encoder–decoder" };
const AROUND = 116; // what the buttons above the drawing and the two lines of words below it need
const BESIDE = 102; // the same on a phone, where the words may take three lines
const GAP = 8; // between what the source's rows are and the target's

/**
 * Where the maps stand. Those of both stacks are one: the target's rows below the source's, its columns behind them.
 * @param {number} width
 * @param {number} height  that the maps may have
 * @param {number} source  how many tokens
 * @param {number} target  0 where there is one stack
 * @param {number} side  room for the rows' tokens
 * @param {number} top  room for the columns' tokens
 */
export function layout(width, height, source, target, side, top) {
  const between = width < 440 ? 8 : 24;
  const [count, gap] = [source + target, target ? GAP : 0];
  // the least for the block; where two cannot stand beside the maps, the maps stand alone
  const block = width < 330 && target ? 0 : target ? (width < 440 ? 154 : 236) : width < 440 ? 124 : 190;
  const room = Math.min(width - block - between - side, height - top) - gap;
  const cell = Math.max(12, Math.min(target ? 26 : 40, Math.floor(room / count)));
  const map = side + count * cell + gap;
  return { cell, map, block: block && Math.min(width - map - between, target ? 320 : 200), second: source * cell + GAP };
}

/**
 * What a token reads, in a sentence.
 * @param {Wiring} wiring
 * @param {string[]} source
 * @param {string[]} target  what the decoder is given
 * @param {number} token  from 1, the source's first; 0 is none
 * @param {string[]} next  what follows each word of the target
 */
export function sentence(wiring, source, target, token, next) {
  if (!token) return "Rows read columns; hatched cells are masked. Choose a word.";
  const at = token - 1;
  if (wiring === "decoder") {
    const [before, later] = [source.slice(0, at), source.slice(token)];
    const read = before.length ? `“${source[at]}” reads itself and what stands before it: ${before.join(", ")}.` : `“${source[at]}” reads itself alone.`;
    return later.length ? `${read} Masked, as they come later: ${later.join(", ")}.` : read;
  }
  if (at < source.length) {
    const all = `“${source[at]}” reads all ${source.length} words, before it and after it`;
    return wiring === "encoder" ? `${all}, and all of them read it.` : `${all}. They all read it, and so does every place of the decoder.`;
  }
  const place = at - source.length;
  const seen = place ? `“${target.slice(1, place + 1).join(" ")}”` : "the start sign";
  return `To write “${next[place]}” the decoder reads ${seen} and the whole source.`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const { sentence: source, inputs, start, translation } = run.examples.tokens;
  const target = /** @type {string[]} */ (inputs.map((/** @type {string} */ token) => (token === start ? "▶" : token)));
  const control = choices({ label: "", values: WIRINGS, text: (one) => NAMES[one], changed: (one) => changed({ wiring: one, token: 0 }) });
  const block = svg("svg", { class: "diagram", role: "img" });
  const maps = svg("svg", { class: "diagram" });
  const readout = html("p", { class: "readout", role: "status" });
  const drawing = html("div", { class: "wirings" }, block, maps);
  root.replaceChildren(control.element, drawing, readout);

  /** @type {Wiring} */
  let wiring = "encoder";
  let [token, pointed, width] = [0, 0, 0];
  /** @type {{ map: ReturnType<typeof tokenMap>, row: number, column: number, rows: number, columns: number }[]} */
  let shown = [];

  /**
   * One of the maps on the stage: its rows and its columns are tokens from `row` and `column` on.
   * @param {string} name @param {string} mask @param {number} row @param {number} column @param {"both" | "queries" | "keys" | "none"} sides
   */
  function map(name, mask, row, column, sides) {
    const grid = rows(series(run, mask));
    const all = [...source, ...target];
    const [queries, keys] = [all.slice(row, row + grid.length), all.slice(column, column + (grid[0]?.length ?? 0))];
    const of = (/** @type {import("../../js/heat-map.js").Place | null} */ place) => (!place ? 0 : place.query >= 0 ? row + place.query + 1 : column + place.key + 1);
    const one = tokenMap({
      name,
      queries,
      keys,
      sides,
      lit: (place) => {
        pointed = of(place);
        light();
      },
      chosen: (place) => changed({ token: of(place) === token ? 0 : of(place) }),
    });
    one.mask((query, key) => !grid[query]?.[key]);
    one.tell((query) => sentence(wiring, source, target, row + query + 1, translation));
    return { map: one, row, column, rows: queries.length, columns: keys.length };
  }

  function light() {
    const lit = (pointed || token) - 1;
    for (const { map: one, row, column: first, rows: count, columns } of shown) {
      const [query, key] = [lit - row, lit - first];
      one.light({ query: query < count ? Math.max(query, -1) : -1, key: key < columns ? Math.max(key, -1) : -1 });
    }
    say(readout, sentence(wiring, source, target, lit + 1, translation));
  }

  /** The maps of a wiring: made anew where the wiring changed, else only placed. @param {boolean} renewed */
  function place(renewed) {
    if (!width) return;
    const both = wiring === "both";
    if (renewed) {
      shown = both
        ? [
            map("Encoder: the source’s words read each other", "encoder_mask", 0, 0, "both"),
            map("Cross-attention: the decoder’s places read the source", "cross_mask", source.length, 0, "queries"),
            map("Decoder: its places read what is written so far", "target_mask", source.length, source.length, "keys"),
          ]
        : [map(`${NAMES[wiring]}: rows read columns`, `${wiring}_mask`, 0, 0, "both")];
      maps.replaceChildren(...shown.map((one) => one.map.element));
    }
    const [side, top] = [room(both ? [...source, ...target] : source), room(source)];
    const stage = stageHeight(root);
    drawing.style.minHeight = Number.isFinite(stage) ? `${stage - BESIDE}px` : ""; // so that the words stand still
    const sizes = layout(width, stage - AROUND, source.length, both ? target.length : 0, side, top);
    const { cell, second } = sizes;
    const ends = both ? second + target.length * cell : source.length * cell;
    const corners = both ? [[side, top], [side, top + second], [side + second, top + second]] : [[side, top]];
    shown.forEach(({ map: one }, index) => one.resize(corners[index]?.[0] ?? 0, corners[index]?.[1] ?? 0, cell));
    set(maps, { width: sizes.map, height: top + ends + 1, viewBox: `0 0 ${sizes.map} ${top + ends + 1}` });
    draw(sizes, both);
  }

  /** @param {ReturnType<typeof layout>} sizes @param {boolean} both */
  function draw({ block: across }, both) {
    block.toggleAttribute("hidden", !across);
    if (!across) return;
    const between = both ? 22 : 0;
    const each = (across - between - 24) / (both ? 2 : 1);
    const [short, beside] = [each < 86, each >= 126];
    // where there is no room for a sign of the mask, a word says it, and the maps beside it must do
    const signed = beside || !(short || (both && Number.isFinite(stageHeight(root))));
    const causal = (/** @type {number} */ row, /** @type {number} */ key) => key > row;
    const none = () => false;
    const attention = (/** @type {string} */ kind, /** @type {typeof causal} */ masked) =>
      signed ? { name: [`${kind}-attention`], masked } : { name: [...(masked === causal ? ["causal"] : []), short ? `${kind}-att.` : `${kind}-attention`] };
    const forward = { name: [short ? "FFN" : "feed-forward"] };
    const encoder = [attention("self", none), forward];
    const decoder = [attention("self", causal), ...(both ? [attention("cross", none)] : []), forward];
    const top = 19;
    const left = column(wiring === "decoder" ? decoder : encoder, { x: 12, width: each, top, side: beside }, -1);
    const parts = [...left.parts, note(left.layout.middle, 12, both ? "source" : "words")];
    let bottom = left.layout.bottom;
    if (both) {
      const right = column(decoder, { x: 12 + each + between, width: each, top, side: beside }, 1);
      const cross = right.layout.boxes[1];
      const { norm } = left.layout;
      const [channel, level] = [12 + each + between / 2, (cross?.y ?? 0) + (cross?.height ?? 0) / 2];
      parts.push(...memoryWay([[12 + each, norm.y + 10], [channel, norm.y + 10], [channel, level], [cross?.x ?? 0, level]]));
      parts.push(...right.parts, note(right.layout.middle, 12, short ? "written" : "written so far"), note(left.layout.middle, norm.y + 36, "memory", "note-memory"));
      bottom = right.layout.bottom;
      parts.push(...leaving(right.layout, short ? "next" : "next word"));
    } else {
      parts.push(...leaving(left.layout, wiring === "decoder" ? "next word, at each" : "a vector for each"));
    }
    const tall = bottom + 28;
    const said = both ? "An encoder block and a decoder block; the decoder’s cross-attention reads the encoder’s memory." : `A block, ${wiring === "decoder" ? "its self-attention causal" : "its self-attention without a mask"}.`;
    set(block, { width: across, height: tall, viewBox: `0 0 ${across} ${tall}`, "aria-label": said, class: short ? "diagram is-short" : "diagram" });
    block.replaceChildren(...parts);
  }

  const unobserve = whenWidthChanges(root, (to) => {
    width = to;
    place(shown.length === 0);
    light();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const before = wiring;
      wiring = WIRINGS.find((one) => one === state.wiring) ?? "encoder";
      token = within(state.token, 0, wiring === "both" ? source.length + target.length : source.length);
      if (before !== wiring) [pointed, shown] = [0, []];
      control.show(wiring);
      if (!shown.length) place(true);
      light();
    },
    destroy: unobserve,
  };
}
