/** Mask it yourself: hide letters of a text, and the trained model fills them in, in the page. */

import { fixed } from "../../js/format.js";
import { html, say, set, style } from "../../js/svg.js";
import { model, weightsSize } from "./model.js";
import { cleaned, readPlaces, whatChanged, wordAround } from "./text.js";

const GUESSES = 5;
const SHARE = 0.15; // of the letters, as in training
const LASTS = 700; // milliseconds after which a listener is told, too, that an answer is being computed

/** @param {string} letter */
function name(letter) {
  return letter === " " ? "space" : letter;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/figures.js").Data} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run, weights: address }, changed) {
  if (!run?.weights || !address) throw new Error("a run without weights");
  const most = Number(run.parameters.window);
  const index = /** @type {import("./model.js").Index} */ (run.weights);
  const id = root.closest("figure")?.id ?? "lab-mask";
  const field = html("input", { type: "text", class: "mask-field", autocomplete: "off", autocapitalize: "none", spellcheck: "false", "aria-label": "A text of your own", "aria-describedby": `${id}-word` });
  const word = html("p", { class: "mask-word", id: `${id}-word`, role: "status" });
  const row = html("div", { class: "mask-letters", role: "group", "aria-label": "Letters: press one to hide it or to show it" });
  const [random, none] = [html("button", { type: "button", class: "lab-button" }, "Hide 15 %"), html("button", { type: "button", class: "lab-button" }, "Hide none")];
  const load = html("button", { type: "button", class: "lab-button mask-load" }, `Load the model, ${fixed(weightsSize(index) / 1e6, 1)} MB`);
  const bar = html("progress", { class: "mask-progress", max: 1, "aria-label": "Loading the model", hidden: true });
  const problem = html("p", { class: "mask-problem", role: "alert" });
  const told = html("span", { role: "status" });
  const computing = html("span", { "aria-hidden": "true" });
  const body = html("tbody");
  const head = html("tr", {}, html("th", { scope: "col" }, "gap"), ...["first", "second", "third", "fourth", "fifth"].map((text) => html("th", { scope: "col" }, text)));
  const table = html("div", { class: "mask-guesses", tabindex: 0, role: "region", "aria-label": "What the model would put there" }, html("table", {}, html("thead", {}, head), body));
  root.replaceChildren(field, word, row, html("div", { class: "mask-actions" }, random, none, load, bar), problem, html("p", { class: "mask-verdict" }, computing, told), table);

  let text = "";
  /** @type {number[]} */
  let hidden = [];
  let focused = 0;
  /** @type {HTMLButtonElement[]} */
  let letters = [];
  let asked = ""; // what the verdict and the table speak of, or will
  let lasting = 0;
  const reader = model(address, index, { checkpoint: Number(run.parameters.steps), numHeads: Number(run.parameters.num_heads) }, filled, (what) => {
    say(problem, what);
    verdict(`${hidden.length} hidden.`);
    load.hidden = reader.ready();
    if (!reader.ready()) asked = "";
  });

  /** @param {number[]} places */
  const hide = (places) => changed({ hidden: places.join(" ") });

  field.addEventListener("input", () => {
    const clean = cleaned(field.value, most);
    say(word, whatChanged(field.value, clean, most));
    if (/[a-z]/.test(clean)) changed({ text: clean, hidden: hidden.filter((place) => place < clean.length).join(" ") });
  });
  random.addEventListener("click", () => {
    const dice = crypto.getRandomValues(new Uint32Array(text.length));
    const places = [...text].flatMap((_, place) => ((dice[place] ?? 0) / 2 ** 32 < SHARE ? [place] : []));
    hide(places.length ? places : [(dice[0] ?? 0) % text.length]);
  });
  none.addEventListener("click", () => hide([]));
  load.addEventListener("click", async () => {
    if (!bar.hidden) return; // it loads; a button that is disabled would lose the focus
    say(problem, "");
    set(load, { "aria-disabled": "true" });
    bar.hidden = false;
    try {
      await reader.load((share) => { bar.value = share; });
      const held = document.activeElement === load;
      load.hidden = true;
      if (held) letters[focused]?.focus({ preventScroll: true });
      draw();
    } catch (error) {
      say(problem, error instanceof Error ? error.message : String(error));
      say(load, "Try again");
    } finally {
      set(load, { "aria-disabled": undefined });
      bar.hidden = true;
    }
  });
  row.addEventListener("click", ({ target }) => {
    const place = letters.indexOf(/** @type {HTMLButtonElement} */ (target));
    if (place < 0) return;
    focus(place);
    hide(hidden.includes(place) ? hidden.filter((one) => one !== place) : [...hidden, place].sort((a, b) => a - b));
  });
  row.addEventListener("keydown", (event) => {
    const steps = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow(), ArrowDown: perRow(), Home: -text.length, End: text.length });
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const from = letters.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    focus(Math.max(0, Math.min(text.length - 1, from + step)));
    letters[focused]?.focus();
  });

  /** How many letters stand in a row, as the page has laid them out. */
  function perRow() {
    const top = letters[0]?.offsetTop;
    return Math.max(1, letters.filter(({ offsetTop }) => offsetTop === top).length);
  }

  /** One letter can be reached by Tab; the arrows lead to the others. @param {number} place */
  function focus(place) {
    focused = place;
    letters.forEach((button, index) => set(button, { tabindex: index === focused ? 0 : -1 }));
  }

  /** What is so now; or, where the answer is still awaited, that it is. @param {string} so @param {boolean} [awaited] */
  function verdict(so, awaited = false) {
    clearTimeout(lasting);
    say(told, awaited ? "" : so);
    say(computing, awaited ? so : "");
    if (awaited) lasting = setTimeout(() => [computing, told].forEach((span) => say(span, span === told ? so : "")), LASTS);
  }

  function draw() {
    if (letters.length !== text.length) {
      const held = row.contains(document.activeElement);
      letters = [...text].map(() => html("button", { type: "button", class: "mask-letter" }));
      row.replaceChildren(...letters);
      if (held) letters[Math.min(focused, text.length - 1)]?.focus({ preventScroll: true });
    }
    letters.forEach((button, place) => {
      const away = hidden.includes(place);
      say(button, text[place] === " " ? "\u00a0" : text[place] ?? "");
      set(button, { "aria-pressed": String(away), "aria-label": `${name(text[place] ?? "")}, letter ${place + 1}${away ? ", hidden" : ""}` });
    });
    focus(Math.min(focused, text.length - 1));
    // a scrolled page shows the same state again, which needs no other answer
    const question = `${reader.ready()} ${text} ${hidden}`;
    if (question === asked) return;
    asked = question;
    table.hidden = true;
    if (!hidden.length) verdict("Nothing is hidden: press a letter.");
    else if (!reader.ready()) verdict(`${hidden.length} hidden. The model is not here yet.`);
    else verdict(`${hidden.length} hidden: computing…`, true);
    reader.ask(text, hidden);
  }

  /** @param {import("./model.js").Answer} answer */
  function filled({ guesses, milliseconds }) {
    table.hidden = false;
    const right = guesses.filter((row, index) => row[0]?.letter === text[hidden[index] ?? -1]).length;
    verdict(`${right} of ${guesses.length} right at the first guess, in ${fixed(Math.max(1, milliseconds), 0)} ms.`);
    body.replaceChildren(
      ...guesses.map((row, index) => {
        const place = hidden[index] ?? 0;
        const truth = text[place];
        return html("tr", {}, html("th", { scope: "row" }, wordAround(text, hidden, place)), ...row.slice(0, GUESSES).map(({ letter, probability }) => {
          const cell = html("td", { class: letter === truth ? "is-true" : undefined }, html("span", { class: "mask-guess" }, name(letter)), html("span", { class: "mask-share" }, fixed(probability, 2)), letter === truth ? html("span", { class: "visually-hidden" }, " true letter") : "");
          style(cell, "--share", probability.toFixed(3));
          return cell;
        }));
      }),
    );
  }

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const wanted = cleaned(String(state.text ?? ""), most);
      text = /[a-z]/.test(wanted) ? wanted : "the time traveller";
      hidden = readPlaces(String(state.hidden ?? ""), text.length);
      if (document.activeElement !== field && cleaned(field.value, most) !== text) field.value = text;
      draw();
    },
    destroy() {
      clearTimeout(lasting);
      reader.destroy();
    },
  };
}
