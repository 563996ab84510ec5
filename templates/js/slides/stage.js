/**
 * The sizes of a slide. Its type takes the largest of a few steps at which the text fits. A figure keeps its own layout and
 * is shown larger as a whole, so that its labels can be read from the last row.
 *
 * @typedef {{ width: number, height: number }} Size
 */

import { set, style } from "../svg.js";

const TYPE = [1, 0.92, 0.84, 0.77, 0.7, 0.64, 0.58, 0.52, 0.46];
const CODE = [0.8, 0.74, 0.68, 0.62, 0.56, 0.5, 0.45, 0.4, 0.36];
const WHOLE = 0.56; // code with whole lines is not shown smaller, code with broken ones not much larger
/** Widths, in its own pixels, that a figure is tried at; a narrow one is shown larger. */
const WIDTHS = [380, 420, 480, 540, 600, 660, 760, 880, 1000];
/** How high a figure's letters should be, as a share of the slide; what goes beyond it goes into room. */
const LEGIBLE = 0.0265;
const LETTER = 13; // pixels, in css/figures.css
const NEARLY = 0.92; // of the largest scale, for the sake of room
const LARGEST = 4;
const SMALLEST = 0.8; // what does not fit at this scale scrolls

const frame = () => new Promise((done) => requestAnimationFrame(done));

/**
 * @param {HTMLElement} main the slide
 * @param {HTMLElement[]} parts its text
 * @param {HTMLDetailsElement | null} hidden what may be shown later, and must fit too
 */
export function fitText(main, parts, hidden) {
  const { height } = inside(main);
  const shown = hidden?.open;
  if (hidden) hidden.open = true;
  for (const part of parts) style(part, "--room", "0px");
  for (const size of TYPE) {
    style(main, "--type", size);
    const ends = parts.map((part) => part.getBoundingClientRect().bottom + parseFloat(getComputedStyle(part).marginBottom));
    const tall = Math.max(...ends) - Math.min(...parts.map((part) => part.getBoundingClientRect().top));
    if (tall <= height && parts.every(wordsFit)) break;
  }
  if (hidden) {
    // nothing moves when it appears
    for (const part of parts) style(part, "--room", `${part.offsetHeight}px`);
    hidden.open = shown ?? false;
  }
  for (const part of parts) for (const equation of part.querySelectorAll(".equation")) fitEquation(/** @type {HTMLElement} */ (equation));
}

/** @param {HTMLElement} main @returns {Size} */
function inside(main) {
  const { paddingTop, paddingBottom, paddingLeft, paddingRight } = getComputedStyle(main);
  return { width: main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), height: main.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) };
}

/** No word is wider than its line. @param {HTMLElement} part */
function wordsFit(part) {
  return [part, ...part.querySelectorAll("h1, h2, h3, h4, p, li")].every((element) => element.scrollWidth <= element.clientWidth + 1);
}

/** A formula shrinks until it is whole; its number beside it keeps its size. @param {HTMLElement} equation */
function fitEquation(equation) {
  for (let size = 1; size > 0.4; ) {
    style(equation, "--equation", size);
    const share = equation.clientWidth / equation.scrollWidth;
    if (share >= 1) return;
    size = Math.min(size - 0.02, Math.floor(size * share * 100) / 100);
  }
}

/** Quoted code at the largest type at which it fits, with its lines whole if that need not be small. @param {HTMLElement} main @param {HTMLElement} quote */
export function fitCode(main, quote) {
  const { height } = inside(main);
  const box = /** @type {HTMLElement} */ (quote.querySelector(".scrolls"));
  for (const broken of [false, true]) {
    set(quote, { "data-broken": broken });
    for (const size of CODE) {
      if (broken ? size > WHOLE + 0.06 : size < WHOLE) continue;
      style(quote, "--code", size);
      const fits = quote.scrollHeight <= height && box.scrollHeight <= box.clientHeight + 1;
      if (fits && box.scrollWidth <= box.clientWidth + 1) return;
    }
  }
}

/**
 * The layout at which a figure's letters come out legible, or else nearly as large as they can, with the most room.
 * @param {Size[]} layouts in its own pixels, from narrow to wide
 * @param {Size} room
 * @param {number} wanted the scale that is enough
 */
export function bestLayout(layouts, room, wanted) {
  const scaled = layouts.map((one) => ({ ...one, scale: Math.min(room.width / one.width, room.height / one.height, LARGEST) }));
  const enough = scaled.filter(({ scale }) => scale >= wanted).at(-1);
  const largest = Math.max(...scaled.map(({ scale }) => scale));
  return enough ?? /** @type {typeof scaled[0]} */ (scaled.filter(({ scale }) => scale >= NEARLY * largest).at(-1));
}

/** The layouts of each figure, as a picture and alive. @type {WeakMap<HTMLElement, Map<string, Promise<Size[] | null>>>} */
const known = new WeakMap();

/**
 * Shows a figure as large as it fits; returns its scale as a share of what is wanted, or null if it went away meanwhile.
 * @param {HTMLElement} figure
 * @param {number} slide the height of the slide
 */
export async function fitFigure(figure, slide) {
  const body = /** @type {HTMLElement} */ (figure.querySelector(".figure-body"));
  const tables = known.get(figure) ?? new Map();
  known.set(figure, tables);
  const life = lifeOf(figure);
  if (!tables.has(life)) {
    const before = [...tables.values()].at(-1); // only one at a time may try widths
    tables.set(life, Promise.resolve(before).then(() => layoutsOf(figure, body, life)));
  }
  const layouts = await tables.get(life);
  if (!layouts) tables.delete(life);
  const room = { width: figure.clientWidth, height: figure.clientHeight };
  if (!layouts || !room.width || lifeOf(figure) !== life) return null;
  const wanted = (LEGIBLE * slide) / LETTER;
  const { width, scale } = bestLayout(layouts, room, wanted);
  style(body, "--stage-width", `${width}px`);
  style(body, "--stage-scale", Math.max(scale, SMALLEST));
  style(body, "--stage-height", scale < SMALLEST ? `${Math.floor(room.height / SMALLEST)}px` : "none");
  set(body, { "data-scrolls": scale < SMALLEST });
  return scale / wanted;
}

/** The figure as the text has it. @param {HTMLElement} figure */
export function unfit(figure) {
  const body = figure.querySelector(".figure-body");
  if (!(body instanceof HTMLElement)) return;
  for (const name of ["width", "scale", "height"]) body.style.removeProperty(`--stage-${name}`);
  set(body, { "data-scrolls": false });
}

/** A picture is measured otherwise than what lives. @param {HTMLElement} figure */
function lifeOf(figure) {
  return figure.dataset.live === "yes" ? "yes" : "still";
}

/**
 * The height of a figure at each width, or null if it went out of sight or came to life meanwhile.
 * @param {HTMLElement} figure
 * @param {HTMLElement} body
 * @param {string} life
 * @returns {Promise<Size[] | null>}
 */
async function layoutsOf(figure, body, life) {
  /** @type {Size[]} */
  const layouts = [];
  style(body, "--stage-height", "none");
  set(body, { "data-measured": true, "data-scrolls": false }); // not seen meanwhile
  await frame();
  for (const width of WIDTHS) {
    style(body, "--stage-width", `${width}px`);
    await frame(); // in which it lays itself out anew
    if (!body.clientWidth || lifeOf(figure) !== life) break;
    layouts.push({ width: Math.max(width, body.scrollWidth), height: body.scrollHeight });
  }
  set(body, { "data-measured": false });
  return layouts.length === WIDTHS.length ? layouts : null;
}
