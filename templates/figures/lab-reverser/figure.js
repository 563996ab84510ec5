/** Reverse it yourself: six digits, decoded in the page by the shipped weights, place by place. */

import { bars } from "../../js/bars.js";
import { at, readWeights } from "../../js/engine/tensor.js";
import { greedyDecode } from "../../js/engine/transformer.js";
import { percent } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { scrubber } from "../../js/scrub.js";
import { html, say, set } from "../../js/svg.js";
import { tokenRows } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";
import { averaged, likeliest } from "../decode/figure.js";
import { readDigits } from "./digits.js";
import { hunter } from "./hunter.js";

const GAP = 20;

/** Digits that no line break comes between. @param {number[]} digits */
function apart(digits) {
  return digits.join("\u00a0");
}

/** @param {number} width @param {number} maps */
export function layout(width, maps) {
  const narrow = width < 460;
  const abreast = narrow ? 2 : maps; // three would leave no room for the digits at their rims
  return { arcs: narrow ? 118 : 176, map: Math.floor((width - (narrow ? 8 : GAP) * (abreast - 1)) / abreast) };
}

/**
 * @param {import("../../js/engine/attention.js").Weights} weights
 * @param {number[]} digits
 * @param {number} numHeads
 */
export function decoded(weights, digits, numHeads) {
  const { tokens, probabilities, cross } = greedyDecode(weights, digits, digits.length, numHeads);
  const rowsOf = (/** @type {number} */ head) => digits.map((_, place) => [...at(at(cross, place), head).data]);
  const heads = Array.from({ length: numHeads }, (_, head) => rowsOf(head));
  const mean = digits.map((_, place) => averaged(heads.map((head) => head[place] ?? [])));
  const target = [...digits].reverse();
  return { tokens, target, heads, mean, chances: digits.map((_, place) => [...at(probabilities, place).data]), wrong: target.map((digit, place) => digit !== tokens[place]) };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/figures.js").Data} data
 * @param {import("../../js/series.js").Changed} changed
 */
export async function mount(root, { run, weights: address }, changed) {
  if (!run?.weights || !address) throw new Error("a run without weights");
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const checkpoint = run.parameters.steps;
  const weights = readWeights(await response.arrayBuffer(), run.weights, checkpoint);
  const numHeads = run.parameters.num_heads;
  /** @type {number[]} */
  const example = run.examples.tokens.source;
  const length = example.length;
  const names = Array.from({ length: 10 }, (_, digit) => String(digit));
  let shown = { digits: example, ...decoded(weights, example, numHeads) };
  let place = length;

  const wordId = `${root.closest("figure")?.id ?? "reverser"}-word`;
  const field = html("input", { type: "text", class: "lab-field", inputmode: "numeric", autocomplete: "off", spellcheck: "false", "aria-label": "Six digits to reverse", "aria-describedby": wordId });
  const word = html("p", { class: "lab-word", id: wordId, role: "status" });
  const dice = html("button", { type: "button", class: "lab-button" }, "Another six");
  const [bold, rest] = [html("strong"), html("span")];
  const outcome = html("p", { class: "lab-verdict", role: "status" }, bold, " ", rest);
  const source = example.map(String);
  const written = example.map(String);
  const arcs = tokenRows({ name: "The digits read above, the digits written below", side: "", queries: length, keys: source });
  const scrub = scrubber({
    label: "Digits written",
    playing: "the decoding",
    length: length + 1,
    framesPerSecond: 2,
    describe: (index) => (index === 0 ? "nothing written yet" : `${index} of ${length} digits written: ${shown.tokens.slice(0, index).join(" ")}`),
    read: (index) => `${index} of ${length} written`,
    changed: (index) => changed({ place: index }),
  });
  const heading = html("p", { class: "readout" });
  const chances = bars({ name: "Likeliest digits", count: 3, text: (value) => percent(value, 2), names: 24, row: 22, values: 72 });
  const grids = [...Array.from({ length: numHeads }, (_, head) => `head ${head + 1}`), "mean"].map((title) =>
    heatMap({ name: `Cross-attention, ${title}: rows are the digits written, columns the digits read`, title, queries: written, keys: source, maxCell: 34, lit: (to) => grids.forEach((grid) => grid.light(to)) }),
  );
  const hunt = hunter({ weights: address, index: run.weights, checkpoint, seed: run.seed, numHeads, length }, ({ digits, place: where }) => changed({ q: digits.join(""), place: where + 1 }));
  const left = html("div", {}, arcs.element, scrub.element);
  const right = html("div", { class: "lab-side" }, html("div", {}, heading, chances.element), hunt.element);
  const maps = html("div", { class: "figure-maps" }, ...grids.map(({ element }) => element));
  left.append(maps);
  root.replaceChildren(html("div", { class: "lab-ask" }, field, dice, word, outcome), html("div", { class: "lab-split" }, left, right));

  /** @param {string} text */
  function typed(text) {
    const read = readDigits(text, length);
    set(field, { "aria-invalid": "problem" in read && /\S/.test(text) ? "true" : undefined });
    say(word, "problem" in read ? `${read.problem} Below still stands ${shown.digits.join("")}.` : "");
    outcome.toggleAttribute("hidden", "problem" in read);
    return "digits" in read ? read.digits : null;
  }
  field.addEventListener("input", () => {
    const digits = typed(field.value);
    if (digits) changed({ q: digits.join("") });
  });
  field.addEventListener("change", () => {
    const digits = typed(field.value);
    if (digits) field.value = digits.join("");
  });
  dice.addEventListener("click", () => {
    field.value = Array.from(crypto.getRandomValues(new Uint32Array(length)), (word32) => word32 % 10).join("");
    typed(field.value);
    changed({ q: field.value });
  });

  function draw() {
    const { digits, tokens, target, heads, mean, wrong } = shown;
    const current = place - 1;
    digits.forEach((digit, k) => {
      source[k] = String(digit);
      written[k] = String(tokens[k]);
    });
    arcs.rename(source);
    grids.forEach((grid) => grid.rename(written, source));
    arcs.show(tokens.slice(0, place).map(String), mean.slice(0, place), current, (query) => query < place && (wrong[query] ?? false));
    const none = digits.map(() => NaN);
    grids.forEach((grid, index) => {
      const rows = heads[index] ?? mean;
      grid.show(rows.flatMap((row, query) => (query < place ? row : none)));
      grid.light(current < 0 ? null : { query: current, key: -1 });
    });
    const best = current < 0 ? [] : likeliest(shown.chances[current] ?? [], names, 3);
    chances.show(best.map((entry, rank) => ({ ...entry, mark: rank === 0 ? "is-chosen" : "" })));
    say(heading, current < 0 ? "Before the first digit only the start token stands there." : `The likeliest digits at place ${place}`);
    const faults = wrong.flatMap((fault, k) => (fault ? [k + 1] : []));
    say(bold, faults.length ? "Not reversed." : "Reversed.");
    say(rest, `Target ${apart(target)}, output ${apart(tokens)}${faults.length ? `: wrong at place ${faults.join(" and ")}` : ""}.`);
    scrub.show(place);
  }

  const unobserve = [
    whenWidthChanges(left, (width) => {
      arcs.resize({ left: 0, width, height: layout(width, grids.length).arcs });
      draw();
    }),
    whenWidthChanges(maps, (width) => {
      grids.forEach((grid) => grid.resize(layout(width, grids.length).map));
      draw();
    }),
    whenWidthChanges(right, (width) => chances.resize(Math.min(width, 320))),
  ];

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const given = String(state.q ?? "");
      const read = readDigits(given, length);
      const digits = "digits" in read ? read.digits : example;
      if (digits.join("") !== shown.digits.join("")) shown = { digits, ...decoded(weights, digits, numHeads) };
      place = Math.min(length, Math.max(0, Math.round(Number(state.place ?? length)) || 0));
      const here = readDigits(field.value, length);
      const same = "digits" in here && here.digits.join("") === digits.join("");
      if (!same && (document.activeElement !== field || "digits" in here)) {
        field.value = "digits" in read ? digits.join("") : given;
        typed(field.value);
      }
      draw();
    },
    destroy() {
      scrub.destroy();
      hunt.destroy();
      unobserve.forEach((stop) => stop());
    },
  };
}
