/**
 * The page comes together: the place that is read, the state of each figure, and the address of both.
 *
 * A figure's state is its defaults, then its step's, then what the reader changed. The step of a figure is the one that
 * is read if it belongs to the figure; otherwise the last before it, or the figure's first. So a state never depends
 * on the way by which one came.
 *
 * @typedef {import("./address.js").State} State
 */

import { addressWriter, readState, writeState } from "./address.js";
import { Figure, keepRooms, mountWhenNear, stateAt } from "./figures.js";
import { followScroll, scrollToPlace, stepper } from "./steps.js";

/** @template {HTMLElement} T @param {string} selector @returns {T[]} */
const all = (selector) => /** @type {T[]} */ ([...document.querySelectorAll(selector)]);

/** Everything that can be read, linked to and changed on this page. */
class Story {
  places = all(".step[id], .section[id]");
  steps = this.places.filter((place) => place.matches(".step"));
  /** @type {Map<string, Figure>} */
  figures = new Map();
  /** The index in `places` that is read; -1 before the first. */
  active = -1;
  /** @type {Map<string, State>} what the reader changed, by figure */
  #changes = new Map();
  /** The place where the changes were made; those of a step last as long as it is read, those of a section with the page. */
  #changedAt = "";
  #settled = false;
  /** The way of reading that the address names before the state: "present" for slides, or "". */
  #way = slidesAsked() ? "present" : "";
  /** The fragment that is written instead of the place's own, while a place is held. @type {string | null} */
  #held = slidesAsked() ? fragment() : null;
  /** @type {{ place: HTMLElement, smooth: boolean } | null} where an address or a button led, until the reader moves */
  #arrived = null;
  #write = addressWriter();
  // the focus stays on the buttons, so that one can go on
  #stepper = stepper(this.places, (place) => this.go(place, { smooth: true, focus: false }));
  /** @type {Set<(place: HTMLElement | null) => void>} */
  #listeners = new Set();

  constructor() {
    keepRooms(); // before anything changes, so that the page need not be laid out for it
    for (const element of all("figure[data-kind]")) {
      const { id } = element;
      const reader = { changed: (/** @type {State} */ change) => this.change(id, change), reset: () => this.reset(id) };
      this.figures.set(id, new Figure(element, reader));
    }
  }

  start() {
    addEventListener("resize", keepRooms);
    document.addEventListener("toggle", keepRooms, true); // what was folded had no width
    this.#restore();
    if (this.places.length) document.body.append(this.#stepper.element);
    if (this.#held === null) this.#follow();
    else this.#read(this.places.findIndex(({ id }) => id === this.#changedAt)); // slides will not ask where the page is scrolled to
    this.#settled = true;
    if (this.#changedAt || location.search) this.#address(); // without what it could not read
    mountWhenNear([...this.figures.values()], () => this.stay());
    for (const moved of ["wheel", "touchstart", "pointerdown", "keydown"]) {
      addEventListener(moved, () => (this.#arrived = null), { passive: true });
    }
    addEventListener("hashchange", () => this.#restore());
    addEventListener("resize", () => this.#held === null && this.stay());
    // on paper stand the stills, which may have had no reason to load
    addEventListener("beforeprint", () => {
      for (const picture of /** @type {HTMLImageElement[]} */ (all("img[loading=lazy]"))) picture.loading = "eager";
    });
    // the browser's own way to the fragment takes the focus away again when the page has loaded
    if (document.readyState !== "complete") addEventListener("load", () => this.#focusAgain(), { once: true });
  }

  #follow() {
    this.follow = followScroll(this.places, (index) => this.#read(index));
  }

  /** @returns {HTMLElement | null} the step or section that is read */
  get place() {
    return this.places[this.active] ?? null;
  }

  /**
   * Calls `listener` with the place that is read whenever it becomes another one; returns what ends that.
   * @param {(place: HTMLElement | null) => void} listener
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param {HTMLElement} place @param {{ smooth?: boolean, focus?: boolean }} [how] */
  go(place, how) {
    scrollToPlace(place, how);
    this.#arrived = { place, smooth: how?.smooth ?? false };
  }

  /**
   * Reads a place, or none, wherever the page is scrolled to, until it is released; the address names `fragment`.
   * @param {HTMLElement | null} place
   * @param {string} fragment
   */
  hold(place, fragment) {
    this.follow?.stop();
    this.#way = "present";
    this.#held = fragment;
    this.#read(place ? this.places.indexOf(place) : -1);
  }

  /** Reads again what the page is scrolled to, which is `place` if there is one. @param {HTMLElement | null} place */
  release(place) {
    this.#way = "";
    this.#held = null;
    if (place) this.go(place);
    this.#follow();
    this.#address();
  }

  /** On by a step or section, or back. @param {number} by */
  step(by) {
    const place = this.places[Math.max(0, this.active + by)];
    if (place) this.go(place, { smooth: true });
  }

  /** The state a figure has now. @param {string} id @returns {State} */
  state(id) {
    return { ...this.#given(id), ...this.#changes.get(id) };
  }

  /** What of it the reader changed. @param {string} id @returns {State} */
  changes(id) {
    return { ...this.#changes.get(id) };
  }

  /** What differs from a figure's defaults now, as "?t=128", or "". @param {string} id */
  query(id) {
    const defaults = this.figures.get(id)?.defaults ?? {};
    const other = Object.entries(this.state(id)).filter(([name, value]) => value !== defaults[name]);
    return writeState(Object.fromEntries(other), "");
  }

  /** The reader changes a figure. @param {string} id @param {State} change */
  change(id, change) {
    const given = this.#given(id);
    const changes = { ...this.#changes.get(id), ...change };
    for (const name of Object.keys(changes)) if (changes[name] === given[name]) delete changes[name];
    this.#changedAt = this.#placeOf(id)?.id ?? "";
    this.#changes.set(id, changes);
    this.#show(id);
    this.#address();
  }

  /** @param {string} id */
  reset(id) {
    this.#changes.delete(id);
    this.#show(id);
    this.#address();
  }

  /** The step or section that a figure belongs to now. @param {string} id @returns {HTMLElement | null} */
  #placeOf(id) {
    const own = this.places.filter((place) => place.dataset.figure === id);
    const passed = own.filter((place) => this.places.indexOf(place) <= this.active);
    return passed.at(-1) ?? own[0] ?? this.figures.get(id)?.element.closest(".section") ?? null;
  }

  /** Without the reader: the defaults, then the step's. @param {string} id @returns {State} */
  #given(id) {
    return { ...this.figures.get(id)?.defaults, ...stateAt(this.#placeOf(id)) };
  }

  /** @param {string} id */
  #show(id) {
    this.figures.get(id)?.show(this.state(id), this.#isChanged(id));
  }

  /** @param {string} id */
  #isChanged(id) {
    return Object.keys(this.#changes.get(id) ?? {}).length > 0;
  }

  /** @param {number} index */
  #read(index) {
    this.active = index;
    const place = this.place;
    if (this.#settled && this.#changedAt !== place?.id) this.#forget();
    for (const step of this.steps) {
      if (step === place) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
    }
    for (const [id, figure] of this.figures) figure.keep(this.state(id), this.#isChanged(id));
    this.#stepper.show(place);
    if (this.#settled) this.#address();
    for (const listener of this.#listeners) listener(place);
  }

  #focusAgain() {
    if (this.#arrived && document.activeElement === document.body) scrollToPlace(this.#arrived.place);
  }

  /** What came to life above, or a turned phone, may give all another height than before. */
  stay() {
    if (this.#arrived) scrollToPlace(this.#arrived.place, { smooth: this.#arrived.smooth, focus: false });
  }

  /** Whether a figure keeps what was changed in it: an instrument of a section works on while one reads elsewhere. @param {string} id */
  #keeps(id) {
    return this.figures.get(id)?.element.closest(".section") != null;
  }

  #forget() {
    for (const id of this.#changes.keys()) if (!this.#keeps(id)) this.#changes.delete(id);
    this.#changedAt = "";
  }

  /** What was changed in the figures of a place. @param {string} at its id, or "" where there are no places */
  #changed(at) {
    const here = [...this.#changes].filter(([id]) => (this.#placeOf(id)?.id ?? "") === at);
    /** @type {State} */
    const state = Object.assign({}, ...here.map(([, changes]) => changes));
    return state;
  }

  #address() {
    const read = this.place?.id ?? "";
    const at = Object.keys(this.#changed(this.#changedAt)).length ? this.#changedAt : read;
    this.#write(writeState(this.#changed(at), this.#held ?? at, this.#way));
  }

  /** The place and the state that the address names; where there are no places, on a figure's own page, the state. */
  #restore() {
    const named = document.getElementById(fragment());
    const place = this.places.find((one) => one === named || (this.#way && named && one.contains(named)));
    if (place) this.#arrive(place);
    else if (named && this.#settled) this.#arrived = { place: named, smooth: false }; // the browser went there itself
    if (!place && this.places.length) return;
    this.#forget();
    this.#changedAt = place?.id ?? "";
    for (const [id, figure] of this.figures) {
      if (place && place.dataset.figure !== id && figure.element.closest(".section") !== place) continue;
      const given = { ...figure.defaults, ...stateAt(place) };
      const changes = readState(location.search, given, figure.allowed);
      for (const name of Object.keys(changes)) if (changes[name] === given[name]) delete changes[name];
      if (Object.keys(changes).length) this.#changes.set(id, changes);
    }
  }

  /** A reload finds its place by itself. @param {HTMLElement} place */
  #arrive(place) {
    const navigation = performance.getEntriesByType("navigation")[0];
    const kind = navigation instanceof PerformanceNavigationTiming && !this.#settled ? navigation.type : "navigate";
    if (kind === "navigate" || scrollY === 0) {
      this.go(place);
    }
  }
}

function slidesAsked() {
  return new URLSearchParams(location.search).has("present") && document.querySelector(".chapter") !== null;
}

/** The chapter as slides; their scripts and sheet come only now. */
async function present() {
  try {
    await (await import("./present.js")).present(story);
  } catch (problem) {
    console.warn("no slides:", problem);
    story.release(story.place);
  }
}

function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // a broken % sequence names no place
  }
}

export const story = new Story();
story.start();

document.querySelector(".present-link a")?.addEventListener("click", (event) => {
  event.preventDefault();
  void present();
});
if (slidesAsked()) void present().finally(() => document.documentElement.classList.remove("to-present"));
else document.documentElement.classList.remove("to-present");

// what tells more of numbers and figures waits until the reader stirs: a page asks for little at first
/** @type {Set<() => Promise<() => unknown>>} each fetches something, and gives what is then to be done */
const more = new Set([
  async () => (await import("./origins.js")).showOrigins,
  () => import("./aids.js").then(({ stir }) => () => stir(story)),
  () => import("./exercises.js").then(({ predictFirst }) => () => predictFirst(document)),
  () => import("./provenance.js").then(({ completeProvenance }) => () => completeProvenance((id) => story.query(id))),
]);
// without a network the page is read without them, and they are asked for again, not at once, when the reader stirs
const AGAIN = 1000; // milliseconds
function stirred() {
  for (const fetched of more) {
    more.delete(fetched);
    void fetched().then(
      (begin) => begin(),
      () => setTimeout(() => more.add(fetched), AGAIN),
    );
  }
}
for (const kind of ["scroll", "pointerover", "keydown"]) addEventListener(kind, stirred, { passive: true });

// what a reader may ask for comes when it is asked for; until then further keys are not taken for wishes
let coming = false;
document.addEventListener("ask", async (event) => {
  if (coming || !(event instanceof CustomEvent)) return;
  coming = true;
  try {
    const aids = await import("./aids.js").catch(() => null); // without a network, perhaps
    await aids?.answer(story, event.detail);
  } finally {
    coming = false;
  }
});

// the site is kept for reading without a network when there is nothing else to do and somebody stays; where it cannot be,
// it is read as ever
const STAYS = 5000; // milliseconds
const whenIdle = window.requestIdleCallback ?? ((/** @type {() => void} */ work) => setTimeout(work, 2000));
const keep = async () => (await import("./offline.js")).keepForOffline(document.querySelector(".offline-note"));
addEventListener("load", () => setTimeout(() => whenIdle(() => void keep().catch(() => undefined)), STAYS));
