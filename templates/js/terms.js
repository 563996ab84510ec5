/**
 * A word or letter of the glossary says what it means where it stands: under the mouse, at the focus, at a tap, until Esc
 * or something else takes it away. The words come from the page of the glossary, so a link that cannot fetch them is still
 * a link. What has a role lights what has the same role in its scene, formulas and figure alike, and they light it.
 */

import { html, set, style } from "./svg.js";

const DELAY = 120; // milliseconds until a mouse that rests means it
const GRACE = 240; // and until one that left does not come back
const TERM = "a.term";
/** What has a role: terms and letters, and the marks of figures, as js/aids.css has them too. */
const ROLES = /** @type {const} */ ([
  ["query", ".query, .figure-body :is([class*='-query'], .is-query)"],
  ["key", ".key, .figure-body :is([class*='-key'], .is-key)"],
  ["value", ".value, .figure-body :is(.token-value, .box-value, .symbol-value, .lookup-value, .piece-value, .is-value)"],
]);

/** @type {Map<string, Promise<Document>>} */
const pages = new Map();

/** The glossary as a document, fetched once. @param {string} url */
function glossary(url) {
  let page = pages.get(url);
  if (!page) {
    page = fetch(url).then(async (answer) => {
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
      return new DOMParser().parseFromString(await answer.text(), "text/html");
    });
    page.catch(() => pages.delete(url));
    pages.set(url, page);
  }
  return page;
}

/** The role of what is under the mouse, if it has one. @param {Element} element */
export function roleOf(element) {
  return ROLES.find(([, selector]) => element.closest(selector))?.[0] ?? null;
}

/** @type {HTMLElement | null} */
let lit = null;

/** Lights a role in the scene or section around an element; without one, nothing. @param {Element | null} element @param {string | null} role */
function light(element, role) {
  const scene = role ? element?.closest(".scene, .section") : null;
  if (lit && lit !== scene) delete lit.dataset.lit;
  lit = scene instanceof HTMLElement ? scene : null;
  if (lit && role && lit.dataset.lit !== role) lit.dataset.lit = role;
}

export function defineTerms() {
  const links = [...document.querySelectorAll(TERM)].filter((one) => !(one.getAttribute("href") ?? "").startsWith("#"));
  if (!links.length) return;
  for (const link of links) {
    set(link, { role: "button", "aria-expanded": "false" });
    // the note says more than a title, and a letter needs a name
    const title = link.getAttribute("title");
    if (title) set(link, { title: undefined, "aria-label": `${link.textContent}, ${title}` });
  }
  const note = html("span", { class: "term-note", id: "term-note", popover: "manual", role: "note" });
  /** @type {HTMLAnchorElement | null} */
  let open = null;
  let pinned = false;
  let timer = 0;

  const close = () => {
    clearTimeout(timer);
    if (!open) return;
    set(open, { "aria-expanded": "false", "aria-describedby": undefined });
    open = null;
    pinned = false;
    if (note.matches(":popover-open")) note.hidePopover();
    note.remove();
    light(null, null);
  };

  /** @param {HTMLAnchorElement} link @param {boolean} pin */
  const show = async (link, pin) => {
    clearTimeout(timer);
    if (open === link) {
      pinned ||= pin;
      return;
    }
    close();
    open = link;
    pinned = pin;
    light(link, roleOf(link));
    const [url = "", key = ""] = link.href.split("#");
    try {
      const entry = (await glossary(url)).getElementById(key);
      if (!entry) throw new Error(`the glossary has no ${key}`);
      if (open !== link) return; // the reader went on
      note.replaceChildren(...told(entry, link.href));
    } catch {
      if (open === link) open = null;
      if (pin) location.assign(link.href);
      return;
    }
    link.after(note); // right behind it, so that Tab leads into it
    set(link, { "aria-expanded": "true", "aria-describedby": note.id });
    note.showPopover();
    place(note, link);
  };

  /** @param {EventTarget | null} target */
  const linkOf = (target) => {
    const link = target instanceof Element ? target.closest(TERM) : null;
    return link instanceof HTMLAnchorElement && link.role === "button" ? link : null;
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || !(event.target instanceof Element)) return;
    const link = linkOf(event.target);
    clearTimeout(timer);
    if (link) timer = window.setTimeout(() => void show(link, false), open ? 0 : DELAY);
    else if (open && !pinned && !note.contains(event.target)) timer = window.setTimeout(close, GRACE);
    if (!open) light(event.target, roleOf(event.target));
  });
  document.addEventListener("focusin", ({ target }) => {
    const link = linkOf(target);
    if (link?.matches(":focus-visible")) void show(link, false);
    else if (open && target instanceof Node && !note.contains(target) && target !== open) close();
  });
  document.addEventListener("click", (event) => {
    const link = linkOf(event.target);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (open === link && pinned) close();
    else void show(link, true);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (open && target instanceof Node && !open.contains(target) && !note.contains(target)) close();
  });
  document.addEventListener("keydown", (event) => {
    const link = linkOf(event.target);
    if (event.key === " " && link) {
      event.preventDefault();
      link.click();
    }
    if (event.key !== "Escape" || !open) return;
    const home = open;
    if (note.contains(document.activeElement)) home.focus();
    close();
  });
}

/** What a note says of an entry: its name and letter, its definition, and the way to the rest. @param {Element} entry @param {string} href */
function told(entry, href) {
  const copy = (/** @type {string} */ selector) => [...(document.importNode(entry.querySelector(selector) ?? html("p"), true).childNodes)];
  const name = html("strong", {}, ...copy("dt"));
  name.querySelector(".initial")?.remove();
  const words = html("span", { class: "term-words" }, ...copy(".definition"));
  // a link in a definition leads to another entry of the same page
  for (const link of words.querySelectorAll("a")) link.setAttribute("href", new URL(link.getAttribute("href") ?? "", href).href);
  return [name, words, html("a", { class: "term-more", href }, "Glossary")];
}

/** Below the word, or above it where the window ends, and never outside of it. @param {HTMLElement} note @param {Element} link */
function place(note, link) {
  const box = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(16, Math.min(box.left - 12, clientWidth - note.offsetWidth - 16));
  const below = box.bottom + 8;
  const top = below + note.offsetHeight > clientHeight && box.top > note.offsetHeight + 8 ? box.top - note.offsetHeight - 8 : below;
  style(note, "left", `${left + scrollX}px`);
  style(note, "top", `${top + scrollY}px`);
}
