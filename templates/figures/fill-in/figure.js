/** A sentence with one letter hidden, and what two models would put there: one that reads both sides, one the left alone. */

import { bars } from "../../js/bars.js";
import { fixed } from "../../js/format.js";
import { letterWindow, spoken } from "../../js/letter-window.js";
import { scrubber } from "../../js/scrub.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {{ letter: string, probability: number }} Guess */
/** @typedef {{ shown: string, place: number, truth: string, origin: string, probability: number, rank: number, top: Guess[], left_probability: number, left_rank: number, left_top: Guess[] }} Sentence */

const PLACES = ["first", "second", "third", "fourth", "fifth"];

/** @param {number} rank */
export function placed(rank) {
  return PLACES[rank - 1] ?? `in place ${rank}`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  /** @type {Sentence[]} */
  const sentences = run.examples.sentences;
  const longest = Math.max(...sentences.map(({ shown }) => shown.length));
  const window = letterWindow({ name: "A sentence with one letter hidden", count: longest });
  const scrub = scrubber({
    label: "Sentence",
    playing: "all sentences",
    length: sentences.length,
    framesPerSecond: 0.8,
    read: (index) => `sentence ${index + 1} of ${sentences.length}`,
    describe: told,
    changed: (index) => changed({ sentence: index }),
  });
  const sides = [
    { title: "Both sides read", guesses: (/** @type {Sentence} */ one) => one.top },
    { title: "The left side read", guesses: (/** @type {Sentence} */ one) => one.left_top },
  ].map(({ title, guesses }) => {
    const chart = bars({ name: title, count: 5, text: (value) => fixed(value, 2), names: 52 });
    return { chart, guesses, element: html("div", { class: "guesses" }, html("p", { class: "guesses-title" }, title), chart.element) };
  });
  const both = html("div", { class: "guesses-both" }, ...sides.map(({ element }) => element));
  const readout = html("p", { class: "readout" });
  root.replaceChildren(window.element, scrub.element, both, readout);
  let index = 0;

  /** @param {number} number */
  function told(number) {
    const one = sentences[number];
    if (!one) return "";
    const origin = one.origin[0]?.toUpperCase() + one.origin.slice(1);
    return `${origin}. The letter is ${spoken(one.truth)}: from both sides ${fixed(one.probability, 2)}, ${placed(one.rank)}; from the left ${fixed(one.left_probability, 2)}, ${placed(one.left_rank)}.`;
  }

  function draw() {
    const one = sentences[index];
    if (!one) return;
    scrub.show(index);
    window.show({
      letters: [...one.shown],
      marks: [...one.shown].map((_, place) => (place === one.place ? "is-hidden" : undefined)),
      chosen: one.place,
      said: `${one.shown}. ${told(index)}`,
    });
    for (const { chart, guesses } of sides) {
      chart.show(guesses(one).map(({ letter, probability }) => ({
        name: letter === " " ? "space" : letter,
        value: probability,
        mark: letter === one.truth ? "is-chosen" : "",
      })));
    }
    say(readout, told(index));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    window.resize(width);
    const side = width < 420 ? width : (width - 28) / 2;
    for (const { chart } of sides) chart.resize(side);
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = Math.max(0, Math.min(sentences.length - 1, Number(state.sentence ?? 0)));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
