/**
 * Keeps a page that is being written up to date: reads what the server tells, shows mistakes over the page, and loads it
 * anew when it is another one, where it was. The server puts this script into the pages it serves; no published page
 * has it.
 *
 * @typedef {{ place: string, message: string, hint: string }} Problem
 * @typedef {{ run: string, step: number, total: number }} Baking
 * @typedef {{ version: string, problems: Problem[], stale: string[], baking: Baking | null }} News
 *
 * What this script needs of the page's own, where the page has it:
 * @typedef {Record<string, string | number | boolean>} Changes
 * @typedef {object} Story
 * @property {Map<string, { element: Element, allowed: object }>} figures
 * @property {(id: string) => Changes} changes
 * @property {(id: string) => Changes} state
 * @property {(id: string, change: Changes) => void} change
 * @property {(query: string, known: Changes, allowed: object) => Changes} readState
 *
 * @typedef {object} Kept where a reader was
 * @property {string | null} anchor the id of the last element that began above the middle of the window
 * @property {number} offset from there to the top of the window, in pixels
 * @property {number} scroll from the top of the page, in pixels
 * @property {number} details how many there were
 * @property {number[]} open which of them were open
 * @property {[string, Changes][]} changes what the reader changed, by figure
 */

const MOST = 3; // runs that are called by their names
const SETTLING = 1500; // milliseconds in which figures come to life, and the page keeps its place
const own = new URL(import.meta.url);
const version = own.searchParams.get("version");
const kept = `sitegen ${location.pathname}`;
const presenting = new URLSearchParams(location.search).has("present");

// ------------------------------------------------------------------------------------------- where a reader was

/** The page's own account of what is read, if it has scripts that know it. @returns {Promise<Story | null>} */
async function storyOf() {
  const script = document.querySelector('script[type="module"][src$="/js/site.js"]');
  if (!(script instanceof HTMLScriptElement)) return null;
  const [{ story }, { readState }] = await Promise.all([import(script.src), import(new URL("address.js", script.src).href)]);
  return story?.changes && readState ? Object.assign(story, { readState }) : null;
}

const details = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("main details"));

/** @param {Story | null} story @returns {Kept} */
function place(story) {
  const begun = [...document.querySelectorAll("main [id]")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.height && !one.closest("figure, svg, math") && box.top <= innerHeight / 2;
  });
  const anchor = begun.at(-1);
  const all = [...details()];
  const changes = [...(story?.figures.keys() ?? [])].map((id) => /** @type {[string, Changes]} */ ([id, story?.changes(id) ?? {}]));
  // those of a step last while it is read: they come last, so that the step is the one that is read then
  const inSection = (/** @type {string} */ id) => (story?.figures.get(id)?.element.closest(".section") ? 0 : 1);
  return {
    anchor: anchor?.id ?? null,
    offset: anchor?.getBoundingClientRect().top ?? 0,
    scroll: scrollY,
    details: all.length,
    open: all.flatMap((one, index) => (one.open ? [index] : [])),
    changes: changes.filter(([, one]) => Object.keys(one).length).sort(([one], [other]) => inSection(one) - inSection(other)),
  };
}

/** @param {Kept} was */
function scrollBack({ anchor, offset, scroll }) {
  const element = anchor === null ? null : document.getElementById(anchor);
  const top = element ? scrollY + element.getBoundingClientRect().top - offset : scroll;
  if (Math.abs(top - scrollY) >= 1) scrollTo({ top, behavior: "instant" });
}

const frame = () => new Promise(requestAnimationFrame);

/** @type {Kept | null} what is not restored yet */
let wanted = null;

/** @param {Story | null} story @param {Kept} was */
async function restore(story, was) {
  wanted = was;
  const all = [...details()];
  if (all.length === was.details) for (const index of was.open) /** @type {HTMLDetailsElement} */ (all[index]).open = true;
  if (presenting) return void (wanted = null);
  let moved = false;
  const move = () => (moved = true);
  // the place is the reader's now, and no longer the address's
  dispatchEvent(new Event("touchstart"));
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(kind, move, { passive: true, once: true });
  scrollBack(was);
  await frame();
  await frame();
  for (const [id, changes] of was.changes) {
    const figure = story?.figures.get(id);
    if (!story || !figure) continue;
    // held to what the figure, which may be another one now, knows and allows
    const query = new URLSearchParams(Object.entries(changes).map(([name, value]) => [name, String(value)]));
    story.change(id, story.readState(query.toString(), story.state(id), figure.allowed));
  }
  for (const end = performance.now() + SETTLING; performance.now() < end && !moved; await frame()) scrollBack(was);
  wanted = null;
}

let leaving = false;

/** @param {Story | null} story */
function reload(story) {
  if (leaving) return;
  leaving = true;
  try {
    sessionStorage.setItem(kept, JSON.stringify(wanted ?? place(story)));
  } catch {
    // storage may be forbidden: then the browser finds the place
  }
  location.reload();
}

/** @returns {Kept | null} */
function taken() {
  try {
    const text = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

// ---------------------------------------------------------------------------------------------- over the page

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { all: initial; }
  @media print { :host { display: none; } }
  section {
    position: fixed; z-index: 2147483647; inset: auto 0 0; max-height: 75vh; overflow: auto; box-sizing: border-box;
    padding: 1rem 1.5rem; background: var(--paper, Canvas); color: var(--ink, CanvasText);
    border-top: 3px solid var(--warning, currentColor); box-shadow: 0 -0.5rem 2rem rgb(0 0 0 / 0.25);
    font: 0.875rem/1.5 var(--font-ui, system-ui), sans-serif;
  }
  section.note { inset: auto auto 1rem 1rem; max-width: min(36rem, 100vw - 2rem); padding: 0.5rem 1rem; border: 1px solid var(--line-strong, currentColor); border-radius: 0.375rem; box-shadow: none; }
  section[hidden] { display: none; }
  h2 { margin: 0 0 0.75rem; font-size: 1rem; }
  ol { margin: 0; padding: 0; list-style: none; }
  li { margin: 0 0 0.75rem; max-width: 60rem; }
  code, pre { font: 0.8125rem/1.5 var(--font-code, ui-monospace), monospace; }
  code { color: var(--warning, inherit); font-weight: 600; overflow-wrap: anywhere; }
  p, pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
  .hint { color: var(--soft, inherit); }
  p.hint { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; } /* the terminal has it all */
  button { font: inherit; min-height: 2rem; margin-inline-start: 0.5rem; padding: 0 0.75rem; color: inherit; background: var(--wash, ButtonFace); border: 1px solid var(--line-strong, currentColor); border-radius: 0.375rem; cursor: pointer; }
  button:focus-visible { outline: 2px solid var(--focus, Highlight); outline-offset: 2px; }
`);

/** @param {string} name @param {string} text @param {string} [kind] */
function element(name, text, kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = kind;
  return made;
}

class Overlay {
  host = document.createElement("sitegen-live");
  problems = element("section", "");
  note = element("section", "", "note");
  #rebake;
  #shown = "";
  /** @type {News | null} */
  #news = null;
  /** @type {Map<string, Problem>} what is wrong with figures of this page, by their ids, until it is loaded anew */
  #failed = new Map();

  /** @param {() => void} rebake */
  constructor(rebake) {
    this.#rebake = rebake;
    const root = this.host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.problems.setAttribute("role", "alert");
    this.note.setAttribute("role", "status");
    for (const one of [this.problems, this.note]) one.hidden = true;
    root.append(this.problems, this.note);
  }

  /** @param {News} news */
  show(news) {
    this.#news = news;
    const problems = [...news.problems, ...this.#failed.values()];
    this.#showProblems(problems);
    this.#showNote({ ...news, problems });
    if (!this.host.isConnected) document.documentElement.append(this.host);
  }

  /** @param {string} figure @param {Problem} problem */
  tellFigure(figure, problem) {
    this.#failed.set(figure, problem);
    if (this.#news) this.show(this.#news);
  }

  hideProblems() {
    this.problems.hidden = true;
  }

  /** What was hidden stays hidden until it is something else. @param {Problem[]} problems */
  #showProblems(problems) {
    const shown = JSON.stringify(problems);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.problems.hidden = !problems.length;
    const list = document.createElement("ol");
    for (const { place, message, hint } of problems) {
      const item = document.createElement("li");
      if (place) item.append(element("code", place));
      item.append(element("p", message));
      if (hint) item.append(element(hint.includes("\n") ? "pre" : "p", hint, "hint"));
      list.append(item);
    }
    const heading = element("h2", problems.length === 1 ? "One thing to mend" : `${problems.length} things to mend`);
    heading.append(this.#button("Hide", () => this.hideProblems()));
    this.problems.replaceChildren(heading, list);
  }

  /** @param {News} news */
  #showNote({ stale, baking, problems }) {
    this.note.hidden = !baking && !stale.length;
    // above the mistakes, where both are there, nothing would be left of the page
    const into = problems.length && !this.problems.hidden ? this.problems : this.note;
    this.problems.querySelector(".baking")?.remove();
    const said = document.createElement("p");
    said.className = "baking";
    if (baking) {
      const steps = baking.total ? `, step ${baking.step} of ${baking.total}` : "";
      said.textContent = `baking ${baking.run}${steps}`;
    } else if (stale.length) {
      const names = stale.length > MOST ? `${stale.length} runs` : stale.join(", ");
      said.textContent = `${names}: stale, press r to rebake`;
      said.title = stale.join(", ");
      said.append(this.#button("Rebake", this.#rebake));
    }
    if (into === this.note) return this.note.replaceChildren(said);
    this.note.hidden = true;
    if (said.textContent) this.problems.append(said);
  }

  /** @param {string} label @param {() => void} pressed */
  #button(label, pressed) {
    const button = /** @type {HTMLButtonElement} */ (element("button", label));
    button.type = "button";
    button.addEventListener("click", pressed);
    return button;
  }
}

// ---------------------------------------------------------------------------------------------- what is told

const rebake = () => void fetch(new URL("rebake", own), { method: "POST" }).catch(() => undefined);
const overlay = new Overlay(rebake);
/** @type {News | null} */
let last = null;

/**
 * Where in the templates an error of a figure arose. The lines that a browser counts are those of what is published,
 * which has no comments, so they are not told.
 * @param {string} figure
 * @param {unknown} error
 * @returns {Problem}
 */
function problemOf(figure, error) {
  const [, file] = (error instanceof Error ? error.stack : "")?.match(/\/assets\/\w+\/([^\s?:)]+\.js)/) ?? [];
  const hint = "the browser's console has all of it";
  return { place: file ? `templates/${file}` : "", message: `figure ${figure} could not start: ${error}`, hint };
}

// a page says in its console alone, in these words, why a figure shows its picture instead
const warn = console.warn;
console.warn = (...said) => {
  warn.apply(console, said);
  const [, figure] = /^figure (.+):$/.exec(String(said[0])) ?? [];
  if (figure && said.length === 2) overlay.tellFigure(figure, problemOf(figure, said[1]));
};

/** @param {Story | null} story @returns {() => void} what ends it */
function listen(story) {
  const source = new EventSource(new URL(`events?page=${encodeURIComponent(location.pathname)}`, own));
  source.addEventListener("message", ({ data }) => {
    last = JSON.parse(data);
    if (last?.version !== version) reload(story);
    else overlay.show(last);
  });
  return () => source.close();
}

addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
  if (target instanceof Element && target.closest("input:not([type=range], [type=checkbox]), select, textarea, [contenteditable]")) return;
  if (key === "Escape") overlay.hideProblems();
  if (key === "r" && document.documentElement.dataset.keys !== "off" && last?.stale.length && !last.baking) rebake();
});

// a frame is kept up to date by the page around it
if (window === window.top) {
  const story = await storyOf().catch(() => null);
  // a browser lets few streams to one host be open: a page that nobody sees gives its own back, and asks when it is seen
  let end = document.hidden ? null : listen(story);
  addEventListener("pagehide", () => (end?.(), (end = null)));
  for (const [target, kind] of /** @type {const} */ ([[document, "visibilitychange"], [window, "pageshow"]])) {
    target.addEventListener(kind, () => {
      if (document.hidden) end?.();
      end = document.hidden ? null : (end ?? listen(story));
    });
  }
  const was = taken();
  if (was) await restore(story, was);
}
