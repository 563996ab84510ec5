/** All heads at once: the mean of many strings, the cells a formula asks about, and the share of the weight on them. */

import { choices } from "../../js/choices.js";
import { fixed } from "../../js/format.js";
import { asked, visible } from "../../js/formulas.js";
import { within } from "../../js/scale.js";
import { at, labels, series } from "../../js/series.js";
import { smallMap } from "../../js/small-map.js";
import { html, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

export const TAG = "tag";

/**
 * @param {number} width
 * @param {number} n places of a map
 */
export function layout(width, n) {
  const gap = width < 460 ? 14 : 40;
  const cell = Math.min(26, Math.floor((width - 2 * gap) / 3 / n));
  return { cell, side: cell * n, wide: cell * n >= 150 };
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
    const map = smallMap({ n, masked: (query, key) => !visible(attention, query, key) });
    map.show(at(maps, place, head));
    const marks = {
      halo: svg("path", { class: "head-halo" }),
      asked: svg("path", { class: "head-asked" }),
      track: svg("rect", { class: "head-track", y: 3, height: 5 }),
      bar: svg("rect", { class: "head-bar", y: 3, height: 5 }),
      even: svg("line", { class: "head-even", y1: 0, y2: 11 }),
      tag: svg("text", { class: "head-tag", y: 24 }),
      chance: svg("text", { class: "head-chance" }),
      more: svg("text", { class: "head-more", y: 41 }, `entropy ${fixed(at(spread, place, head)[0] ?? NaN, 2)} of 1`),
    };
    const { halo, asked: frames, ...below } = marks;
    map.layer.append(halo, frames);
    const picture = svg("svg", { height: 46, "aria-hidden": "true" }, ...Object.values(below));
    const button = html("button", { type: "button", class: "head-card" }, html("span", { class: "head-name" }, `${attention} ${head + 1}`), map.element, picture);
    const tag = String(run.examples.tags[attention][head]);
    return { attention, place, head, tag, map, marks, picture, button, shares: at(share, place, head), even: at(chance, place) };
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
    const { side, wide } = sizes;
    control.show(formula);
    cards.forEach((one, index) => {
      const shown = formula === TAG ? one.tag : formula;
      const place = formulas.indexOf(shown);
      const [had, even] = [one.shares[place] ?? NaN, one.even[place] ?? NaN];
      const possible = even > 0;
      const { marks } = one;
      const frames = asked(shown, one.attention, n).map(({ query, key }) => `M${key + 0.09} ${query + 0.09}h.82v.82h-.82z`).join("");
      set(marks.halo, { d: frames });
      set(marks.asked, { d: frames });
      set(marks.track, { width: side });
      set(marks.bar, { width: possible ? had * side : 0 });
      set(marks.even, { x1: even * side, x2: even * side, visibility: possible ? "visible" : "hidden" });
      say(marks.tag, possible ? `${shown} ${fixed(had, 2)}` : `${shown}: masked`);
      set(marks.tag, { class: shown === one.tag ? "head-tag" : "head-tag is-other" });
      say(marks.chance, possible ? `chance ${fixed(even, 2)}` : "");
      // where there is no room for both, the entropy is left to the readout
      set(marks.chance, wide ? { x: side, y: 24, "text-anchor": "end" } : { x: 0, y: 41, "text-anchor": "start" });
      set(marks.more, { visibility: wide ? "visible" : "hidden" });
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
    for (const { picture, map } of cards) {
      map.resize(sizes.cell);
      set(picture, { width: sizes.side });
    }
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      formula = formulas.includes(String(state.formula)) ? String(state.formula) : TAG;
      chosen = within(state.head, 0, cards.length);
      draw();
    },
    destroy() {
      unobserve();
      for (const { map } of cards) map.destroy();
    },
  };
}
