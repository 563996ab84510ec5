/**
 * The chapter as slides, made of the page's own elements: what a slide shows is marked, everything else steps aside, and
 * leaving takes the marks away. The step that a slide shows is read as if one had scrolled to it, so its figure lives.
 *
 * @typedef {import("./slides/parts.js").Slide} Slide
 * @typedef {import("./site.js").story} Story
 */

import { styled } from "./aids.js";
import { bar } from "./slides/bar.js";
import { followSwipes, wish } from "./slides/keys.js";
import { marks } from "./slides/marks.js";
import { keysDialog, overview } from "./slides/overview.js";
import { paper } from "./slides/paper.js";
import { partsOf } from "./slides/parts.js";
import { fitCode, fitFigure, fitText, unfit } from "./slides/stage.js";
import { html } from "./svg.js";

const SHEET = new URL("./present.css", import.meta.url).href;
/** What Esc closes first. */
const NOTES = ".origin:not([hidden]), .term-note, dialog[open]";
/** A figure of a section is an instrument, with little to say beside it: if it comes out smaller than this share of what is legible, it gets more of the width. */
const SMALL = 0.8;

/** @type {Deck | null} */
let deck = null;

/** @param {Story} story */
export async function present(story) {
  const chapter = document.querySelector(".chapter");
  if (!(chapter instanceof HTMLElement)) return;
  deck ??= new Deck(chapter, story);
  await deck.open();
}

class Deck {
  #root = document.documentElement;
  #main = /** @type {HTMLElement} */ (document.getElementById("main"));
  #marks = marks(this.#main);
  #black = html("div", { class: "deck-black", hidden: true });
  #index = -1;
  /** @type {Set<Slide>} slides whose figure needs more of the width */
  #wide = new Set();
  #room = new ResizeObserver(() => this.#fit());
  #lives = new MutationObserver(() => this.#fit());
  /** @type {AbortController | null} */
  #opened = null;
  /** @type {HTMLLinkElement | null} */
  #sheet = null;
  /** @type {HTMLElement | null} all slides, while they are printed */
  #paper = null;

  /** @param {HTMLElement} chapter @param {Story} story */
  constructor(chapter, story) {
    this.story = story;
    const parts = partsOf(chapter);
    this.slides = parts.flatMap(({ slides }) => slides);
    this.bar = bar(parts, (does) => (does === "leave" ? this.close() : this.#does[does]()));
    this.overview = overview(parts, (index) => this.show(index));
    this.keys = keysDialog();
    this.#black.addEventListener("click", () => this.#does.black());
  }

  get slide() {
    return /** @type {Slide} */ (this.slides[this.#index]);
  }

  async open() {
    if (this.#opened) return;
    this.#opened = new AbortController();
    const { signal } = this.#opened;
    await Promise.all([styled(), this.#style()]);
    document.body.append(this.bar.element, this.#black);
    this.#root.classList.add("presenting");
    this.#root.classList.remove("to-present"); // what is hidden takes no focus
    document.addEventListener("keydown", (event) => this.#escape(event), { signal, capture: true });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#main.addEventListener("click", (event) => this.#click(event), { signal });
    followSwipes(this.#main, (asked) => this.#does[asked](), signal);
    addEventListener("beforeprint", () => this.#print(true), { signal });
    addEventListener("afterprint", () => this.#print(false), { signal });
    addEventListener("hashchange", () => this.show(this.#named(fragment())), { signal });
    this.show(this.#named(fragment() || (this.story.place?.id ?? "")));
    this.#room.observe(this.#main);
    void document.fonts.ready.then(() => this.#fit());
  }

  /** Back to the text, at what the slide showed. */
  close() {
    if (!this.#opened) return;
    this.#opened.abort();
    this.#opened = null;
    this.#room.disconnect();
    this.#lives.disconnect();
    if (document.fullscreenElement) void document.exitFullscreen();
    this.#marks.set([]);
    for (const { parts } of this.slides) for (const part of parts) part.style.removeProperty("--room");
    this.#root.classList.remove("presenting", "is-brief");
    if (this.#sheet) this.#sheet.media = "not all";
    this.#print(false);
    for (const element of [this.bar.element, this.#black]) element.remove();
    for (const { element } of this.story.figures.values()) unfit(element);
    const { kind, place, parts, heading } = this.slide;
    if (kind === "step" || kind === "section") return this.story.release(place);
    parts[0]?.scrollIntoView({ block: kind === "title" ? "end" : "start", behavior: "instant" });
    this.story.release(null);
    focus(heading);
  }

  /** @param {number} index */
  show(index) {
    const before = this.#index;
    this.#index = Math.max(0, Math.min(this.slides.length - 1, index));
    const { slide } = this;
    const answer = this.#answer();
    if (answer && this.#index > before) answer.open = false;
    this.#main.dataset.slide = slide.kind;
    this.#main.toggleAttribute("data-figure", slide.figure !== null || slide.kind === "code");
    this.#main.toggleAttribute("data-wide", this.#wide.has(slide));
    this.#marks.set(slide.parts);
    this.story.hold(slide.place, slide.id);
    this.bar.show(this.#index);
    this.#lives.disconnect();
    if (slide.figure) {
      this.#lives.observe(slide.figure, { attributes: true, attributeFilter: ["data-live"] });
      void this.story.figures.get(slide.figure.id)?.mount();
    }
    focus(slide.heading);
    this.#fit();
  }

  #answer() {
    const answer = this.slide.kind === "exercise" ? this.slide.parts[0]?.querySelector("details.answer") : null;
    return answer instanceof HTMLDetailsElement ? answer : null;
  }

  #fit() {
    if (!this.#opened) return;
    const { slide } = this;
    fitText(this.#main, slide.parts.filter((part) => !part.matches(".figure, .quote")), this.#answer());
    for (const part of slide.parts) if (part.matches(".quote")) fitCode(this.#main, part);
    if (!slide.figure) return;
    void fitFigure(slide.figure, innerHeight).then((share) => {
      if (share === null || share > SMALL || slide.kind !== "figure" || slide !== this.slide || this.#wide.has(slide)) return;
      this.#wide.add(slide);
      this.#main.setAttribute("data-wide", "");
      this.#fit();
    });
  }

  /** @type {Record<import("./slides/keys.js").Wish, () => void>} */
  #does = {
    next: () => {
      const answer = this.#answer();
      if (answer && !answer.open) answer.open = true;
      else if (this.#index + 1 < this.slides.length) this.show(this.#index + 1);
    },
    previous: () => this.#index > 0 && this.show(this.#index - 1),
    first: () => this.show(0),
    last: () => this.show(this.slides.length - 1),
    all: () => this.overview(this.#index),
    answer: () => {
      const answer = this.#answer();
      if (answer) answer.open = !answer.open;
    },
    words: () => {
      this.#root.classList.toggle("is-brief");
      this.#fit();
    },
    theme: () => {
      const button = document.querySelector(".theme-switch");
      if (button instanceof HTMLElement) button.click();
    },
    black: () => {
      this.#black.hidden = !this.#black.hidden;
    },
    full: () => {
      if (document.fullscreenElement) void document.exitFullscreen();
      else void this.#root.requestFullscreen().catch(() => undefined);
    },
    keys: () => this.keys(),
    print: () => {
      this.#print(true);
      // a picture that is not there yet would be missing on paper
      const pictures = [...(this.#paper?.querySelectorAll("img") ?? [])];
      void Promise.allSettled(pictures.map((picture) => picture.decode())).then(() => print());
    },
  };

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (document.querySelector("dialog[open]")) return;
    const asked = this.#black.hidden ? wish(event) : "black";
    if (!asked) return;
    event.preventDefault();
    this.#does[asked]();
  }

  /** Before anybody else: a note that is open is closed by who opened it. @param {KeyboardEvent} event */
  #escape(event) {
    if (event.key !== "Escape" || document.querySelector(NOTES) || !this.#black.hidden) return;
    event.preventDefault();
    this.close();
  }

  /** A link to what stands on a slide leads to the slide, any other one within the page to the text. @param {MouseEvent} event */
  #click(event) {
    const at = event.target instanceof Element ? event.target : null;
    if (at?.closest("summary.on-slide")) return event.preventDefault();
    const link = at?.closest("a[href^='#']");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    const id = decodeURIComponent((link.getAttribute("href") ?? "").slice(1));
    const index = this.#named(id);
    if (index > 0) return this.show(index);
    this.close();
    document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
  }

  /** The slide of a fragment: its own, or the one that shows the element it names; else the first. @param {string} id */
  #named(id) {
    const own = this.slides.findIndex((slide) => slide.id === id);
    const element = document.getElementById(id);
    const found = own >= 0 || !element ? own : this.slides.findIndex(({ parts }) => parts.some((part) => part.contains(element)));
    return Math.max(0, found);
  }

  /** @param {boolean} on or else away with it */
  #print(on) {
    if (on && this.#paper) return;
    this.#paper?.remove();
    this.#paper = on ? paper(this.slides) : null;
    if (this.#paper) document.body.append(this.#paper);
  }

  /** The sheet of the slides, which the page does without. */
  async #style() {
    if (this.#sheet) {
      this.#sheet.media = "all";
      return;
    }
    const sheet = html("link", { rel: "stylesheet", href: SHEET });
    this.#sheet = sheet;
    await new Promise((loaded, failed) => {
      sheet.addEventListener("load", loaded);
      sheet.addEventListener("error", () => failed(new Error(`${SHEET} could not be loaded`)));
      document.head.append(sheet);
    });
  }
}

/** @param {HTMLElement} heading */
function focus(heading) {
  if (!heading.hasAttribute("tabindex") && !heading.matches("summary")) heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // a broken % sequence names no slide
  }
}
