/** Sort the task: a stack of cards and three wirings. Sorting a card shows what fits it best, and why. */

import { html, say, set, style, svg } from "../../js/svg.js";
import { within } from "../../js/scale.js";

/** The three wirings: the letter that stands for each in an address. @type {Record<string, string>} */
export const WIRINGS = { e: "encoder", b: "encoder–decoder", d: "decoder-only" };
const UNSORTED = "-";
/** @type {Record<string, string>} */
const SAID = { "": "not sorted yet", fit: "fits best", also: "also done", off: "fits elsewhere" };

/** @typedef {{ task: string, name: string, answer: string[], why: string }} Task */

/**
 * The letter of each task's wiring, whatever an address may say.
 * @param {unknown} text
 * @param {number} count
 */
export function letters(text, count) {
  const given = String(text ?? "");
  return Array.from({ length: count }, (_, index) => (given.charAt(index) in WIRINGS ? given.charAt(index) : UNSORTED));
}

/** For an address: without what stands unsorted at its end. @param {string[]} all */
export function written(all) {
  return all.join("").replace(/-+$/, "");
}

/** How a wiring suits a task: "fit", "also", "off", or "" if there is none yet. @param {Task} task @param {string} letter */
export function verdict({ answer }, letter) {
  if (letter === UNSORTED) return "";
  const place = answer.indexOf(WIRINGS[letter] ?? "");
  return place === 0 ? "fit" : place > 0 ? "also" : "off";
}

/** What is said of a choice, before the reason. @param {Task} task @param {string} letter */
function opinion(task, letter) {
  const best = task.answer[0] ?? "";
  /** @type {Record<string, string>} */
  const opinions = { fit: `✓ ${best}.`, also: `Also done. Best fit: ${best}.`, off: `Rather: ${best}.` };
  return opinions[verdict(task, letter)] ?? "";
}

/** Who may read whom, in a square of five by five: two of the source and three of the target for both. @param {string} letter */
export function openCells(letter) {
  /** @type {[number, number][]} */
  const open = [];
  for (let row = 0; row < 5; row += 1) {
    for (let column = 0; column < 5; column += 1) {
      const causal = column <= row;
      const readable = letter === "e" || (letter === "d" ? causal : column < 2 || (row >= 2 && causal));
      if (readable) open.push([row, column]);
    }
  }
  return open;
}

/** @param {string} letter */
function mask(letter) {
  const lines = [0, 5, 10, 15, 20, 25].map((at) => `M${at} 0v25M0 ${at}h25`).join("");
  const cells = openCells(letter).map(([row, column]) => `M${column * 5} ${row * 5}h5v5h-5z`).join("");
  return svg("svg", { class: "sort-mask", viewBox: "-0.5 -0.5 26 26", "aria-hidden": "true" }, svg("path", { class: "sort-open", d: cells }), svg("path", { class: "sort-grid", d: lines }));
}

/**
 * @param {HTMLElement} root
 * @param {{ options: { tasks: Task[] } }} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { options: { tasks } }, changed) {
  const count = tasks.length;
  let card = 1;
  let all = letters("", count);
  /** @param {number} next */
  const turn = (next) => {
    if (next >= 1 && next <= count) changed({ card: next });
  };

  const place = html("p", { class: "sort-place" });
  const task = html("p", { class: "sort-task" });
  const said = html("b", { class: "sort-verdict" });
  const why = html("span");
  const answer = html("p", { class: "sort-answer", role: "status" }, said, " ", why);
  const paper = html("div", { class: "sort-card" }, place, task, answer);
  const bins = Object.entries(WIRINGS).map(([letter, name]) => {
    const button = html("button", { type: "button", class: "sort-bin", "aria-pressed": "false" }, mask(letter), html("span", {}, name));
    button.addEventListener("click", () => changed({ sorted: written(all.with(card - 1, letter)) }));
    return { letter, name, button };
  });
  const marks = tasks.map(() => html("span", { class: "sort-mark" }));
  /** @param {string} text @param {number} by */
  const way = (text, by) => {
    const button = html("button", { type: "button" }, text);
    button.addEventListener("click", () => turn(card + by));
    return button;
  };
  const [before, after] = [way("‹ Back", -1), way("Next ›", 1)];
  const tally = html("p", { class: "readout" });
  // a sorted card lies where it fits best, not where it was put: in the end the piles are right
  const slips = tasks.map((one, index) => {
    const mark = html("span", { class: "sort-mark" });
    const button = html("button", { type: "button" }, mark, one.name);
    button.addEventListener("click", () => turn(index + 1));
    return { mark, button, item: html("li", { hidden: true }, button) };
  });
  const piles = bins.map(({ name }) => {
    const own = slips.filter((_, index) => tasks[index]?.answer[0] === name);
    const pile = html("ul", { class: "sort-pile", "aria-label": `${name}, sorted` }, ...own.map(({ item }) => item));
    style(pile, "min-height", `${own.length * 2.75}rem`);
    return pile;
  });
  const element = html(
    "div",
    { class: "sort" },
    paper,
    html("div", { class: "sort-bins", role: "group", "aria-label": "Which wiring?" }, ...bins.map(({ button }) => button)),
    html("div", { class: "sort-way" }, before, html("span", { class: "sort-marks", "aria-hidden": "true" }, ...marks), after),
    html("div", { class: "sort-piles" }, ...piles),
    tally,
  );
  root.replaceChildren(element);

  /** @param {HTMLElement} mark @param {string} how @param {boolean} here */
  const judge = (mark, how, here) => set(mark, { class: `sort-mark${how && ` is-${how}`}${here ? " is-here" : ""}` });

  return {
    /** @param {{ card?: number, sorted?: string }} state */
    show(state) {
      const next = within(state.card, 1, count);
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (next !== card && !calm) paper.animate({ translate: ["0 8px", "none"], opacity: [0, 1] }, { duration: 300, easing: "ease-out" });
      card = next;
      all = letters(state.sorted, count);
      const [top, letter] = [tasks[card - 1], all[card - 1] ?? UNSORTED];
      if (!top) return;
      const answered = letter !== UNSORTED;
      say(place, `${card} of ${count}`);
      say(task, top.task);
      say(said, opinion(top, letter));
      say(why, answered ? top.why : "");
      for (const one of bins) {
        set(one.button, { "aria-pressed": String(one.letter === letter) });
        one.button.classList.toggle("is-fit", answered && (one.name === top.answer[0] || (one.letter === letter && top.answer.includes(one.name))));
      }
      set(before, { "aria-disabled": String(card === 1) });
      set(after, { "aria-disabled": String(card === count) });
      /** @type {Record<string, number>} */
      const found = { fit: 0, also: 0, off: 0 };
      tasks.forEach((one, index) => {
        const how = verdict(one, all[index] ?? UNSORTED);
        const [mark, slip] = [marks[index], slips[index]];
        if (!mark || !slip) return;
        judge(mark, how, index === card - 1);
        judge(slip.mark, how, false);
        slip.item.hidden = how === "";
        set(slip.button, { "aria-label": `${one.name}, ${SAID[how]}`, "aria-current": index === card - 1 ? "true" : undefined });
        if (how) found[how] = (found[how] ?? 0) + 1;
      });
      const sorted = count - all.filter((one) => one === UNSORTED).length;
      set(element, { "data-left": String(Math.min(2, count - card)) });
      say(tally, sorted ? `${sorted} of ${count} sorted: ${found.fit} fit best, ${found.also} also done, ${found.off} fit elsewhere.` : "Choose a wiring for the task on the card.");
    },
  };
}
