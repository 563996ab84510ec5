/** A ragged batch: every row is a query's weights over the keys, and behind it stands what it spends on padding. */

import { choices } from "../../js/choices.js";
import { fixed, percent } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { at, series } from "../../js/series.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {"none" | "zero" | "infinity"} Mask */
const NAMES = { none: "nothing", zero: "0", infinity: "−∞" };
const SAID = { none: "nothing: padding votes like any key", zero: "a score of 0, the classic bug", infinity: "a score of minus infinity" };

/** @param {number[]} scores @returns {number[]} */
export function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * What a row spends on keys that are padding.
 * @param {number[]} row
 * @param {number} valid  how many keys are real
 */
export function leak(row, valid) {
  const sum = row.slice(valid).reduce((all, weight) => all + weight, 0);
  return Math.min(1, Number(sum.toFixed(12))); // six sixths are one
}

/**
 * Diagonal strokes inside the cell whose corner is (x, y).
 * @param {number} x @param {number} y @param {number} width @param {number} height
 */
export function strokes(x, y, width, height) {
  const gap = Math.max(5, height / 5);
  let d = "";
  for (let offset = gap; offset < width + height; offset += gap) {
    const [from, to] = [Math.max(0, offset - height), Math.min(width, offset)];
    d += `M${(x + from).toFixed(1)} ${(y + offset - from).toFixed(1)}L${(x + to).toFixed(1)} ${(y + offset - to).toFixed(1)}`;
  }
  return d;
}

/** @param {number} width */
export function layout(width) {
  const bars = width < 460 ? 46 : 190;
  return { map: width - bars - 8, bars, maxRow: 30 };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const scores = series(run, "masked_scores");
  const [sequences = 0, queries = 0, keys = 0] = scores.shape;
  /** @type {number[]} */
  const valid = run.parameters.valid_lens;
  const places = Array.from({ length: sequences * queries }, (_, row) => ({ sequence: Math.floor(row / queries), query: row % queries }));
  const letter = (/** @type {number} */ sequence) => String.fromCharCode(65 + sequence);
  const real = (/** @type {number} */ row) => valid[places[row]?.sequence ?? 0] ?? keys;
  const rowNames = places.map(({ sequence, query }) => `${letter(sequence)} q${query + 1}`);
  const keyNames = Array.from({ length: keys }, (_, key) => `k${key + 1}`);
  /** @type {Record<Mask, number[][]>} */
  const weights = {
    none: places.map(({ sequence, query }) => softmax(at(scores, sequence, query))),
    zero: places.map(({ sequence, query }) => at(series(run, "zero_masked_weights"), sequence, query)),
    infinity: places.map(({ sequence, query }) => at(series(run, "masked_weights"), sequence, query)),
  };

  const control = choices({ label: "padding scores", values: /** @type {Mask[]} */ (["none", "zero", "infinity"]), text: (mask) => (mask === "none" ? "as it comes" : NAMES[mask]), said: (mask) => SAID[mask], changed: (mask) => changed({ mask }) });
  const name = "Attention weights of four sequences, two queries each: rows are queries, columns keys";
  const map = heatMap({ name, queries: rowNames, keys: keyNames, maxCell: 56, maxRow: 30, lit });
  const spent = spentOnPadding(rowNames.length);
  const readout = html("p", { class: "readout", role: "status" });
  const maps = html("div", { class: "masking-maps" }, map.element, spent.element);
  const padding = [...map.element.querySelectorAll(".map-cell")].filter((cell) => Number(cell.getAttribute("data-key")) >= real(Number(cell.getAttribute("data-query"))));
  const hatches = svg("path", { class: "map-hatch masking-hatch" });
  const rules = svg("path", { class: "masking-rule" });
  map.element.append(hatches, rules);
  root.replaceChildren(control.element, maps, readout);

  /** @type {Mask} */
  let mask = "infinity";
  /** @type {import("../../js/heat-map.js").Place | null} */
  let place = null;

  /** @param {import("../../js/heat-map.js").Place | null} at */
  function lit(at) {
    place = at;
    tell();
  }

  function tell() {
    map.light(place);
    say(readout, place && place.query >= 0 ? told(place) : overall());
  }

  function overall() {
    if (mask === "infinity") return "Padding weighs exactly 0. D has nothing left to read, so its rows are defined as all 0: it reads the zero vector.";
    const some = places.flatMap(({ sequence }, row) => ((valid[sequence] ?? 0) > 0 && (valid[sequence] ?? 0) < keys ? [leak(weights[mask][row] ?? [], real(row))] : []));
    const mean = some.reduce((sum, one) => sum + one, 0) / some.length;
    return `B and C spend ${percent(mean)} of their weight on padding, D all of it.${mask === "zero" ? " A score of 0 is a score like any other: e⁰ = 1." : ""}`;
  }

  /** @param {import("../../js/heat-map.js").Place} at */
  function told({ query, key }) {
    const { sequence } = /** @type {{ sequence: number }} */ (places[query]);
    const of = `${letter(sequence)} has ${real(query)} of ${keys} keys.`;
    if (mask === "infinity" && key >= real(query)) return `${keyNames[key]} is padding for ${rowNames[query]}, and masked. ${of}`;
    if (key < 0) return `${of} Its row spends ${percent(leak(weights[mask][query] ?? [], real(query)))} on padding.`;
    return `${rowNames[query]} reads ${keyNames[key]} with weight ${fixed(weights[mask][query]?.[key] ?? NaN, 2)}${key >= real(query) ? ", and that is padding" : ""}. ${of}`;
  }

  function draw() {
    control.show(mask);
    const masked = mask === "infinity";
    map.show(weights[mask].flat());
    set(hatches, { visibility: masked ? "visible" : "hidden" });
    for (const cell of padding) {
      cell.classList.toggle("is-masked", masked);
      cell.classList.toggle("is-padding", !masked);
      if (masked) set(cell, { "aria-label": (cell.getAttribute("aria-label") ?? "").replace(/: .*/, ": masked") });
    }
    spent.show((weights[mask] ?? []).map((row, index) => leak(row, real(index))));
    tell();
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    const { left, top, cell, row } = map.resize(sizes.map);
    const levels = Array.from({ length: sequences - 1 }, (_, sequence) => top + (sequence + 1) * queries * row);
    set(rules, { d: levels.map((y) => `M${left - 44} ${y}H${left + cell * keys}`).join("") });
    set(hatches, { d: places.map((_, query) => Array.from({ length: keys - real(query) }, (_, k) => strokes(left + (real(query) + k) * cell, top + query * row, cell, row)).join("")).join("") });
    spent.resize(sizes.bars, top, row);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      mask = state.mask === "none" || state.mask === "zero" ? state.mask : "infinity";
      place = null;
      draw();
    },
    destroy: unobserve,
  };
}

/**
 * What each row spends on padding: a bar where there is room, and the share.
 * @param {number} count
 */
function spentOnPadding(count) {
  const title = svg("text", { class: "spent-title" });
  const rows = Array.from({ length: count }, () => ({ bar: svg("rect", { class: "spent-bar" }), value: svg("text", { class: "spent-value" }) }));
  const element = svg("svg", { class: "spent", role: "img", "aria-label": "Weight on padding" }, title, ...rows.flatMap(({ bar, value }) => [bar, value]));
  let [room, height, above] = [0, 30, 24];
  return {
    element,
    /** @param {number} width @param {number} top @param {number} row */
    resize(width, top, row) {
      [room, height, above] = [width > 100 ? width - 58 : 0, row, top];
      set(element, { width, height: top + count * row, viewBox: `0 0 ${width} ${top + count * row}` });
      say(title, width > 100 ? "weight on padding" : "leaks");
      set(title, { x: 0, y: top - 8 });
    },
    /** @param {number[]} shares */
    show(shares) {
      rows.forEach(({ bar, value }, row) => {
        const share = shares[row] ?? 0;
        const y = above + (row + 0.5) * height;
        set(bar, { x: 0, y: y - 5, height: 10, width: share * room });
        say(value, percent(share));
        set(value, { x: share * room + (room && share ? 7 : 0), y, class: `spent-value ${share > 0 ? "is-leak" : ""}` });
      });
      set(element, { "aria-label": `Weight on padding, row by row: ${shares.map((share) => percent(share)).join(", ")}` });
    },
  };
}
