/**
 * What helps a reader and is not needed to read: definitions at the words, the rail, copies of code; and, when they are
 * asked for, the contents, the search and the keys. All of it comes when the reader first stirs.
 *
 * @typedef {import("./site.js").story} Story
 * @typedef {"search" | "help" | "contents" | "next" | "previous" | "theme" | "present"} Aid
 */

import { completeCode } from "./code.js";
import { openContents, showRail } from "./contents.js";
import { openHelp } from "./help.js";
import { openSearch } from "./search.js";
import { html } from "./svg.js";
import { defineTerms } from "./terms.js";

/** @type {Promise<void> | undefined} */
let sheet;

/** The sheet that comes with these scripts. */
export function styled() {
  sheet ??= new Promise((loaded) => {
    const link = html("link", { rel: "stylesheet", href: new URL("./aids.css", import.meta.url).href });
    link.addEventListener("load", () => loaded());
    link.addEventListener("error", () => loaded());
    document.head.append(link);
  });
  return sheet;
}

/** @param {Story} story */
export async function stir(story) {
  await styled();
  defineTerms();
  completeCode();
  showRail(story);
}

/** @param {Story} story @param {Aid} aid */
export async function answer(story, aid) {
  await styled();
  if (aid === "next") story.step(1);
  else if (aid === "previous") story.step(-1);
  else if (aid === "contents") openContents(story);
  else if (aid === "help") openHelp();
  else if (aid === "search") openSearch();
  else {
    const button = document.querySelector(aid === "theme" ? ".theme-switch" : ".present-link a");
    if (button instanceof HTMLElement) button.click();
  }
}
