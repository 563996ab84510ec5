/**
 * What helps a reader and is not needed to read: definitions at the words, the rail, copies of code; and, when they are
 * asked for, the contents, the search and the keys. All of it comes when the reader first stirs.
 *
 * @typedef {import("./site.js").story} Story
 * @typedef {"search" | "help" | "contents" | "next" | "previous" | "figure" | "theme" | "present"} Aid
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
  else if (aid === "figure") crossOver(story);
  else if (aid === "contents") openContents(story);
  else if (aid === "help") openHelp();
  else if (aid === "search") openSearch();
  else {
    const button = document.querySelector(aid === "theme" ? ".theme-switch" : ".present-link a");
    if (button instanceof HTMLElement) button.click();
  }
}

/**
 * Into the figure of the place that is read, or from there back to its heading. By tabs the way there leads through the
 * words of all the steps that share the figure, and each of them would be read on the way.
 * @param {Story} story
 */
function crossOver({ place, figures }) {
  const figure = figures.get(place?.dataset.figure ?? place?.querySelector("figure")?.id ?? "");
  if (!place || !figure) return;
  const inside = figure.element.contains(document.activeElement);
  const controls = [...figure.live.querySelectorAll("input, button, select, [tabindex='0']")];
  const to = inside ? place.querySelector("h2, h3") : controls.find((one) => one.checkVisibility());
  if (!(to instanceof HTMLElement || to instanceof SVGElement)) return;
  if (inside) to.setAttribute("tabindex", "-1");
  to.focus();
}
