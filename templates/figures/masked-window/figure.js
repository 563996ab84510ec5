/** A window with some letters hidden: above each hidden one its term of the loss, −log of the probability it was given. */

import { fixed } from "../../js/format.js";
import { letterWindow, spoken } from "../../js/letter-window.js";
import { scrubber } from "../../js/scrub.js";
import { html, say } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/** @typedef {{ place: number, letter: string, probability: number, loss: number }} Term */

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  /** @type {{ text: string, shown: string, terms: Term[], mean: number }} */
  const { text, shown, terms, mean } = run.examples.terms;
  const letters = [...shown];
  const truth = [...text];
  const most = Math.max(4, ...terms.map(({ loss }) => loss));
  const over = letters.map((_, place) => (terms.find((term) => term.place === place)?.loss ?? 0) / most);
  const window = letterWindow({
    name: "A window with hidden letters and the loss of each",
    count: letters.length,
    above: 56,
    picked: (place) => {
      const near = terms.map((term) => Math.abs(term.place - place));
      scrub.stop();
      changed({ term: near.indexOf(Math.min(...near)) });
    },
  });
  const scrub = scrubber({
    label: "Hidden letter",
    playing: "all hidden letters",
    length: terms.length,
    framesPerSecond: 1.5,
    read: (index) => `${index + 1} of ${terms.length} hidden`,
    describe: told,
    changed: (index) => changed({ term: index }),
  });
  const sum = html("p", { class: "terms-sum" });
  const readout = html("p", { class: "readout" });
  root.replaceChildren(window.element, scrub.element, readout, sum);
  say(sum, `Loss of this window: the mean of ${terms.length} terms, ${fixed(mean, 2)} nats.`);
  let index = 0;

  /** @param {number} place */
  function told(place) {
    const term = terms[place];
    if (!term) return "";
    return `Hidden: ${spoken(term.letter)}. The model gives it ${fixed(term.probability, 3)}, so its term is −log ${fixed(term.probability, 3)} = ${fixed(term.loss, 2)}.`;
  }

  function draw() {
    scrub.show(index);
    const chosen = terms[index]?.place ?? -1;
    window.show({
      letters: letters.map((letter, place) => (place === chosen ? truth[place] ?? "" : letter)),
      marks: letters.map((letter) => (letter === "_" ? "is-hidden" : undefined)),
      over,
      chosen,
      said: told(index),
    });
    say(readout, told(index));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    window.resize(width);
    draw();
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      index = Math.max(0, Math.min(terms.length - 1, Number(state.term ?? 0)));
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
    },
  };
}
