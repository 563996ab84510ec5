/** The search: a dialog over the index of the whole site, which is fetched when it opens first. */

import { dialog } from "./dialog.js";
import { excerpt, find, prepare } from "./find.js";
import { html, say } from "./svg.js";

/** @typedef {import("./find.js").Entry} Entry */

const MOST = 24;
const NAMES = new Map([["term", "Glossary"], ["reference", "Reference"]]);

/** @type {Promise<import("./find.js").Prepared[]> | undefined} */
let index;
/** @type {ReturnType<typeof made> | undefined} */
let search;

/** The index as it is written: its fields once, then a row for each entry. @param {string} url */
function fetched(url) {
  index ??= fetch(url).then(async (answer) => {
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const { fields, rows } = await answer.json();
    return prepare(rows.map((/** @type {string[]} */ row) => Object.fromEntries(fields.map((/** @type {string} */ name, /** @type {number} */ at) => [name, row[at]]))));
  });
  index.catch(() => (index = undefined));
  return index;
}

export function openSearch() {
  const address = document.querySelector("[data-index]")?.getAttribute("data-index");
  if (!address) return;
  const url = new URL(address, document.baseURI).href;
  search ??= made(url);
  search.open();
}

/** @param {string} url */
function made(url) {
  const input = html("input", { type: "search", id: "search-words", autocomplete: "off", spellcheck: "false", enterkeyhint: "search", "aria-describedby": "search-told" });
  const label = html("label", { class: "visually-hidden", for: input.id }, "Search the site");
  const told = html("p", { class: "search-told", id: "search-told", role: "status" });
  const list = html("ol", { class: "search-found" });
  const element = dialog("aid-search", "Search", label, input, told, list);

  const show = async () => {
    const query = input.value;
    try {
      const prepared = await fetched(url);
      if (query !== input.value) return; // the reader typed on
      const found = find(prepared, query);
      list.replaceChildren(...found.slice(0, MOST).map(({ entry, words }) => row(entry, words, url)));
      const more = found.length > MOST ? `, the first ${MOST} are shown` : "";
      say(told, query.trim() ? (found.length ? `${found.length} found${more}` : `Nothing found for “${query.trim()}”`) : "Chapters, figures, terms and references");
    } catch {
      say(told, "The index could not be fetched. It needs the site’s server, or one visit with a network.");
    }
  };
  input.addEventListener("input", show);

  const links = () => [...list.querySelectorAll("a")];
  element.addEventListener("keydown", (event) => {
    const at = links().findIndex((link) => link === document.activeElement);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && (at >= 0 || (event.target === input && move > 0))) {
      event.preventDefault();
      const next = at + move;
      (next < 0 ? input : links()[Math.min(next, links().length - 1)])?.focus();
    } else if (event.key === "Enter" && event.target === input) {
      links()[0]?.click();
    } else if (at >= 0 && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== " ") {
      input.focus(); // who types on wants other words
    }
  });
  // closed first, so that the focus goes on to where the link leads
  list.addEventListener("click", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (plain && event.target instanceof Element && event.target.closest("a")) element.close();
  });

  return {
    open() {
      element.showModal();
      input.focus();
      input.select();
      void show();
    },
  };
}

/** @param {Entry} entry @param {string[]} words @param {string} url */
function row({ kind, title, place, url: address, text, names }, words, url) {
  const marked = (/** @type {string} */ shown, /** @type {number} */ most) => excerpt(shown, words, most).map(({ text: part, hit }) => (hit ? html("mark", {}, part) : part));
  const where = [NAMES.get(kind), place].filter(Boolean).join(" · ");
  const link = html("a", { href: new URL(address, url).href }, html("span", { class: "search-title" }, ...marked(title || names, 120)), html("span", { class: "search-place" }, where));
  return html("li", {}, link, html("p", {}, ...marked(text, 160)));
}
