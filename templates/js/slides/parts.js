/**
 * A chapter as slides, in the order of the text: its title, each act, each step, exercise and bridge, and of the sections
 * what can be shown: figures, quoted code, and short statements. A slide is made of elements of the page itself.
 *
 * @typedef {{
 *   id: string, kind: "title" | "act" | "step" | "exercise" | "bridge" | "section" | "figure" | "statement" | "code",
 *   heading: HTMLElement, parts: HTMLElement[], place: HTMLElement | null, figure: HTMLElement | null,
 * }} Slide id: the fragment of its address; place: the step or section that is read while it is shown
 * @typedef {{ number: string, title: string, slides: Slide[] }} Part
 */

/** What a slide may say beside a figure or by itself, in words. */
const BESIDE = 75;
const ALONE = 100;

/** @param {ParentNode} root @param {string} selector @returns {HTMLElement[]} */
const all = (root, selector) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
/** @param {ParentNode} root @param {string} selector @returns {HTMLElement | null} */
const one = (root, selector) => root.querySelector(selector);
/** @param {HTMLElement[]} elements */
const words = (elements) => elements.reduce((sum, element) => sum + (element.textContent ?? "").split(/\s+/).filter(Boolean).length, 0);

/** @param {HTMLElement} chapter @returns {Part[]} */
export function partsOf(chapter) {
  /** @type {Part[]} */
  const parts = [];
  /** @type {HTMLElement | null} the last step or section */
  let place = null;
  for (const element of /** @type {HTMLElement[]} */ ([...chapter.children])) {
    const heading = one(element, "h1, h2");
    if (!heading) continue;
    const number = one(element, ".act-number")?.textContent ?? "";
    const title = [...heading.childNodes].filter((node) => !(node instanceof Element && node.matches(".visually-hidden"))).map((node) => node.textContent).join("");
    const slides = element.matches(".act") ? actSlides(element, heading, place) : element.matches(".section") ? sectionSlides(element, heading) : [titleSlide(element, heading)];
    if (slides.length) parts.push({ number, title, slides });
    place = all(element, ".step").at(-1) ?? (element.matches(".section") ? element : place);
  }
  return parts;
}

/** @param {HTMLElement} opening @param {HTMLElement} heading @returns {Slide} */
function titleSlide(opening, heading) {
  const figure = one(opening, ".figure");
  const parts = [...all(opening, ".kicker"), heading, ...all(opening, ".lead"), ...all(opening, ".attribution").slice(0, 1), ...(figure ? [figure] : [])];
  return { id: "", kind: "title", heading, parts, place: null, figure };
}

/** @param {HTMLElement} act @param {HTMLElement} heading @param {HTMLElement | null} before @returns {Slide[]} */
function actSlides(act, heading, before) {
  /** @type {Slide[]} */
  const slides = [{ id: act.id, kind: "act", heading, parts: all(act, ".act-head, .act-lead"), place: before, figure: null }];
  for (const step of all(act, ".step")) {
    const figure = document.getElementById(step.dataset.figure ?? "");
    slides.push({ id: step.id, kind: "step", heading: one(step, "h3") ?? step, parts: figure ? [step, figure] : [step], place: step, figure });
  }
  const place = slides[slides.length - 1]?.place ?? before;
  all(act, ".act-after > .exercise").forEach((exercise, index) => {
    slides.push({ id: `${act.id}-e${index + 1}`, kind: "exercise", heading: one(exercise, "h3, h4") ?? exercise, parts: [exercise], place, figure: null });
  });
  for (const bridge of all(act, ".act-after > .bridge")) {
    slides.push({ id: `${act.id}-bridge`, kind: "bridge", heading: bridge, parts: [bridge], place, figure: null });
  }
  return slides;
}

/** @param {HTMLElement} section @param {HTMLElement} title @returns {Slide[]} */
function sectionSlides(section, title) {
  const prose = one(section, ":scope > .prose");
  if (!prose) return [];
  const short = !one(prose, ".figure, details, table, ol, pre");
  /** @type {Slide[]} */
  const slides = [];
  let heading = title;
  /** @type {HTMLElement[]} what was said since the heading or the last figure */
  let said = [];
  /** @type {HTMLElement[] | null} */
  let first = null;
  /** @param {string} id @param {Slide["kind"]} kind @param {HTMLElement} head @param {HTMLElement[]} text @param {HTMLElement | null} shown */
  const push = (id, kind, head, text, shown) => {
    slides.push({ id, kind, heading: head, parts: [head, ...text, ...(shown ? [shown] : [])], place: section, figure: kind === "figure" ? shown : null });
  };
  const statement = () => {
    if (short && heading !== title && words(said) <= ALONE) push(heading.id, "statement", heading, said, null);
  };
  for (const element of /** @type {HTMLElement[]} */ ([...prose.children])) {
    if (element.matches("h3")) {
      statement();
      first ??= said;
      [heading, said] = [element, []];
    } else if (element.matches(".figure")) {
      first ??= said;
      push(element.id, "figure", heading, lastOf(said), element);
      said = [];
    } else if (element.matches("details")) {
      first ??= said;
      const shown = one(element, ":scope > .figure") ?? one(element, ":scope > .quote");
      const summary = one(element, "summary");
      if (!shown || !summary) continue;
      const inside = /** @type {HTMLElement[]} */ ([...element.children]);
      const text = lastOf(inside.slice(1, inside.indexOf(shown)));
      if (shown.matches(".figure")) push(shown.id, "figure", summary, text, shown);
      else push(`${section.id}-${slides.length + 1}`, "code", summary, text, shown);
    } else said.push(element);
  }
  statement();
  if (slides.length < 2) return slides;
  const intro = firstOf(first ?? []).filter((element) => !slides.some(({ parts }) => parts.includes(element)));
  return [{ id: section.id, kind: "section", heading: title, parts: [title, ...intro], place: section, figure: null }, ...slides];
}

/** As much from the end as there is room for. @param {HTMLElement[]} elements */
function lastOf(elements) {
  let from = elements.length;
  while (from > 0 && words(elements.slice(from - 1)) <= BESIDE) from -= 1;
  return elements.slice(Math.min(from, elements.length - 1));
}

/** As much from the beginning as there is room for. @param {HTMLElement[]} elements */
function firstOf(elements) {
  let to = 0;
  while (to < elements.length && words(elements.slice(0, to + 1)) <= ALONE) to += 1;
  return elements.slice(0, to);
}
