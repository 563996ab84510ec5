/** The hunt as the reader sees it: a button that starts and ends it, how far it is, and what it found. */

import { count, percent } from "../../js/format.js";
import { html, say, set } from "../../js/svg.js";

const INPUTS = 10_000;

/** @typedef {import("./hunt.js").Found} Found */

/** @param {Found[]} wrong @param {Found | null} closest @param {number} tried @returns {{ text: string, shown: Found | null }} */
export function outcome(wrong, closest, tried) {
  const [first] = wrong;
  if (first) {
    const many = wrong.length > 1 ? `${count(wrong.length)} of ${count(tried)} come out wrong. One of them:` : `One of ${count(tried)} comes out wrong:`;
    return { text: `${many} ${first.digits.join("")} becomes ${first.written.join("")}.`, shown: first };
  }
  if (!closest) return { text: "", shown: null };
  const right = closest.digits[closest.digits.length - 1 - closest.place];
  return {
    text: `None of ${count(tried)} comes out wrong. The closest call: in ${closest.digits.join("")}, digit ${closest.place + 1} of the output, the right ${right} gets ${percent(closest.chance, 1)}.`,
    shown: closest,
  };
}

/**
 * @param {Record<string, any>} task what the worker is told: weights, index, checkpoint, seed, numHeads, length
 * @param {(found: Found) => void} show
 */
export function hunter(task, show) {
  const button = html("button", { type: "button", class: "lab-button" }, `Hunt through ${count(INPUTS)}`);
  const bar = html("progress", { class: "lab-progress", max: INPUTS, value: 0, "aria-label": "Inputs tried", hidden: true });
  const status = html("p", { class: "readout", role: "status" });
  const look = html("button", { type: "button", class: "lab-button", hidden: true }, "Look at it");
  /** @type {Worker | null} */
  let worker = null;
  /** @type {Found | null} */
  let shown = null;
  let first = 0;
  /** @type {Found[]} */
  let wrong = [];
  /** @type {Found | null} */
  let closest = null;

  function stop() {
    worker?.terminate();
    worker = null;
    set(bar, { hidden: true });
    say(button, first ? `Hunt through ${count(INPUTS)} more` : `Hunt through ${count(INPUTS)}`);
  }

  function start() {
    worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => heard(data));
    worker.addEventListener("error", () => heard({ problem: "the worker did not start" }));
    worker.postMessage({ ...task, first, count: INPUTS });
    set(bar, { hidden: false });
    set(look, { hidden: true });
    bar.value = 0;
    say(button, "Stop");
    say(status, "Hunting …");
  }

  /** @param {Record<string, any>} told */
  function heard(told) {
    if (told.problem) {
      stop();
      say(status, `The hunt broke off: ${told.problem}.`);
      return;
    }
    bar.value = told.tried;
    if (!told.done) return;
    first += told.tried;
    wrong = [...wrong, ...told.wrong];
    if (told.closest && (!closest || told.closest.chance < closest.chance)) closest = told.closest;
    stop();
    const { text, shown: found } = outcome(wrong, closest, first);
    shown = found;
    say(status, text);
    set(look, { hidden: !shown });
  }

  button.addEventListener("click", () => {
    if (!worker) return start();
    const tried = bar.value;
    stop();
    say(status, `Stopped after ${count(tried)}. What was found so far counts for nothing: a hunt reports when it is through.`);
  });
  look.addEventListener("click", () => shown && show(shown));
  return { element: html("div", { class: "lab-hunt" }, html("div", { class: "lab-buttons" }, button, bar, look), status), destroy: stop };
}
