/**
 * Where one is in a chapter: a rail of its parts at the edge of a wide window, filled as far as one has read, and a sheet
 * with all parts and the steps of the one that is read. Both are made from the contents that the page begins with.
 *
 * @typedef {import("./site.js").story} Story
 * @typedef {{ id: string, number: string, title: string, places: HTMLElement[] }} Part
 */

import { dialog } from "./dialog.js";
import { html, set, style } from "./svg.js";

const LIST = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 7h14M5 12h14M5 17h9"/></svg>';

/** @param {HTMLElement[]} places @returns {Part[]} */
export function partsOf(places) {
  return [...document.querySelectorAll(".contents a")].map((link) => {
    const id = (link.getAttribute("href") ?? "#").slice(1);
    const [number = "", title = ""] = [".contents-number", ".contents-title"].map((one) => link.querySelector(one)?.textContent ?? "");
    return { id, number, title, places: places.filter((place) => place.id === id || place.parentElement?.closest(`#${CSS.escape(id)}`)) };
  });
}

/**
 * How much of a part lies behind a reader of `place`: 0, 1, or as many of its steps as were reached.
 * @param {Part} part
 * @param {HTMLElement[]} places all, in reading order
 * @param {HTMLElement | null} place
 */
export function shareRead({ places: own }, places, place) {
  const at = place ? places.indexOf(place) : -1;
  const reached = own.filter((one) => places.indexOf(one) <= at).length;
  return own.length ? reached / own.length : 0;
}

/** @param {Story} story */
export function showRail(story) {
  const parts = partsOf(story.places);
  if (!parts.length) return;
  const links = parts.map(({ id, number, title }) =>
    html("a", { href: `#${id}` }, html("span", { class: "rail-number" }, number || "·"), html("span", { class: "rail-title" }, title)),
  );
  const rail = html("nav", { class: "rail", "aria-label": "Where you are", "data-idle": true }, ...links);
  document.body.append(rail);
  offerSheet(story);
  const show = (/** @type {HTMLElement | null} */ place) => {
    rail.toggleAttribute("data-idle", !place);
    parts.forEach((part, index) => {
      const link = /** @type {HTMLElement} */ (links[index]);
      style(link, "--read", shareRead(part, story.places, place));
      set(link, { "aria-current": place && part.places.includes(place) ? "location" : undefined });
    });
  };
  story.subscribe(show);
  show(story.place);
}

/** A button beside those for the steps, where a thumb finds it. @param {Story} story */
function offerSheet(story) {
  const button = html("button", { type: "button", class: "stepper-contents", title: "Contents" });
  button.innerHTML = `${LIST}<span class="visually-hidden">Contents</span>`;
  button.addEventListener("click", () => openContents(story));
  document.querySelector(".stepper")?.prepend(button);
}

/** @type {HTMLDialogElement | undefined} */
let sheet;

/** @param {Story} story */
export function openContents(story) {
  const parts = partsOf(story.places);
  if (!parts.length) return;
  const list = html("ol", { class: "sheet-parts" }, ...parts.map((part) => entry(part, story)));
  sheet ??= dialog("aid-contents", "Contents");
  sheet.querySelector("ol")?.remove();
  sheet.append(list);
  // closed first, so that the focus goes on to where the link leads
  list.addEventListener("click", ({ target }) => target instanceof Element && target.closest("a") && sheet?.close());
  sheet.showModal();
  const here = list.querySelector("[aria-current]");
  if (here instanceof HTMLElement) here.focus();
  here?.scrollIntoView({ block: "center" });
}

/** @param {Part} part @param {Story} story */
function entry({ id, number, title, places }, { place }) {
  const within = place !== null && places.includes(place);
  const link = html("a", { href: `#${id}`, "aria-current": within && places.length < 2 ? "location" : undefined }, html("span", { class: "contents-number" }, number), html("span", {}, title));
  const item = html("li", {}, link);
  if (!within || places.length < 2) return item;
  const steps = places.map((step) =>
    html("li", {}, html("a", { href: `#${step.id}`, "aria-current": step === place ? "location" : undefined }, titleOf(step))),
  );
  item.append(html("ol", { class: "sheet-steps" }, ...steps));
  return item;
}

/** A title may hold a formula, which stays one. @param {HTMLElement} step */
function titleOf(step) {
  const title = html("span");
  const heading = step.querySelector("h3")?.cloneNode(true);
  if (heading) title.append(...heading.childNodes);
  return title;
}
