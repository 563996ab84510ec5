/** Decoding replayed: the digits written so far, what the last of them read, and what else it might have been. */

import { bars } from "../../js/bars.js";
import { count, percent } from "../../js/format.js";
import { heatMap } from "../../js/heat-map.js";
import { scrubber } from "../../js/scrub.js";
import { at, labels, rows, series } from "../../js/series.js";
import { html, say } from "../../js/svg.js";
import { tokenRows } from "../../js/token-row.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * The `most` likeliest entries, likeliest first; equals keep their order.
 * @param {number[]} probabilities
 * @param {string[]} names
 * @param {number} most
 */
export function likeliest(probabilities, names, most) {
  return probabilities
    .map((value, index) => ({ name: names[index] ?? "", value }))
    .sort((a, b) => b.value - a.value)
    .slice(0, most);
}

/**
 * The mean of the heads' rows.
 * @param {number[][]} heads (head, key)
 * @returns {number[]}
 */
export function averaged(heads) {
  return (heads[0] ?? []).map((_, key) => heads.reduce((sum, row) => sum + (row[key] ?? NaN), 0) / heads.length);
}

const CANDIDATES = 204;

/** @param {number} width */
export function layout(width) {
  const narrow = width < 460;
  // where there is room the candidates stand right of the map
  const side = width >= 540;
  return { side, arcs: narrow ? 102 : 190, map: side ? Math.min(420, width - CANDIDATES - 28) : width, candidates: side ? CANDIDATES : width };
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const [probabilities, attention] = [series(run, "decode_probabilities"), series(run, "decode_attention")];
  const read = labels(attention, "key");
  const digits = labels(probabilities, "digit");
  const length = probabilities.shape[0] ?? 0;
  const heads = Array.from({ length: attention.shape[0] ?? 0 }, (_, head) => rows(attention, head));
  const mean = Array.from({ length }, (_, query) => averaged(heads.map((head) => head[query] ?? [])));
  const candidates = Array.from({ length }, (_, position) => likeliest(at(probabilities, position), digits, 3));
  const output = candidates.map((best) => best[0]?.name ?? "");
  const rowNames = [...heads.map((_, head) => `head ${head + 1}`), "mean"];

  const strip = heatMap({ name: "Cross-attention of the digit being written: one row a head, one column a digit read", corner: "read", queries: rowNames, keys: read, maxCell: 50, maxRow: 30, lit: (place) => strip.light(place) });
  const arcs = tokenRows({ name: "Source above, output below", side: "written", queries: length, keys: read });
  const chances = bars({ name: "Likeliest digits", count: 3, text: (value) => percent(value, 2), names: 24, row: 22, values: 72 });
  const heading = html("p", { class: "decode-heading" });
  const scrub = scrubber({
    label: "Digits written",
    playing: "the decoding",
    length: length + 1,
    framesPerSecond: 2,
    describe: (index) => (index === 0 ? "nothing written yet" : `${index} of ${length} digits written: ${output.slice(0, index).join(" ")}`),
    read: (index) => `${index} of ${length} written`,
    changed: (index) => changed({ position: index }),
  });
  const parts = html(
    "div",
    { class: "decode-parts" },
    html("div", {}, strip.element, arcs.element),
    html("div", {}, heading, chances.element, html("p", { class: "decode-shares" }, overall(run))),
  );
  root.replaceChildren(scrub.element, parts);

  let position = length;

  function draw() {
    const current = position - 1;
    const none = read.map(() => NaN);
    strip.show([...heads.map((head) => head[current] ?? none), mean[current] ?? none].flat());
    arcs.show(output.slice(0, position), mean.slice(0, position), current, (query) => query < position && output[query] !== read[length - 1 - query]);
    const best = candidates[current] ?? [];
    chances.show(best.map((entry, rank) => ({ ...entry, mark: rank === 0 ? "is-chosen" : "" })));
    say(heading, current < 0 ? "Before the first digit: only the start token stands there." : `Place ${position}: the likeliest digits`);
    scrub.show(position);
  }

  const unobserve = whenWidthChanges(root, (width) => {
    const sizes = layout(width);
    const { left, cell } = strip.resize(sizes.map);
    arcs.resize({ left, width: cell * read.length, height: sizes.arcs, keysRoom: 0 });
    chances.resize(sizes.side ? sizes.candidates : left + cell * read.length);
    parts.classList.toggle("is-side-by-side", sizes.side);
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      position = Math.min(length, Math.max(0, Number(state.position ?? length)));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}

/**
 * How often each head's rows peak on the mirror position, over all fresh strings, and which strings came out wrong.
 * @param {import("../../js/series.js").Run} run
 */
function overall(run) {
  const shares = at(series(run, "mirror_share_by_head"));
  const heads = shares.map((share, head) => `head\u00a0${head + 1} ${percent(share, 1)}`).join(", ");
  const strings = run.metrics.fresh_strings?.value;
  /** @type {{ source: string, written: string }[]} */
  const failures = run.examples.failures ?? [];
  const wrong = failures.map(({ source, written }) => `${source} became ${written}`).join(", ");
  return `Rows that peak on the mirror position${strings ? `, over ${count(strings)} fresh strings` : ""}: ${heads}.${wrong ? ` Written wrongly: ${wrong}.` : ""}`;
}
