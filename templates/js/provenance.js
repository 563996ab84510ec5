/** Where a figure comes from, and what a reader can do about it: check it here, link to it, embed it. */

import { copied } from "./clipboard.js";

/** @param {(id: string) => string} query the state a figure has now, as "?t=128", or "" */
export function completeProvenance(query) {
  for (const details of /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll(".provenance")])) {
    const figure = details.closest("figure");
    if (!figure) continue;
    if (details.dataset.digest) details.querySelector("dl")?.after(checkControl(figure, details.dataset.digest));
    const refresh = () => shareAddresses(details, query(figure.id));
    for (const before of ["toggle", "pointerover", "focusin"]) details.addEventListener(before, refresh);
    refresh();
    for (const shared of /** @type {HTMLElement[]} */ ([...details.querySelectorAll(".share, .embed")])) {
      shared.after(" ", copyControl(shared, refresh));
    }
  }
}

/** @param {HTMLElement} figure @param {string} digest */
function checkControl(figure, digest) {
  const element = document.createElement("div");
  element.className = "check";
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Check it here" });
  const status = document.createElement("p");
  status.role = "status";
  status.textContent = "Recomputes what this run must give, in your browser, from its inputs and weights.";
  element.append(button, status);
  button.addEventListener("click", async () => {
    if (button.ariaDisabled === "true") return;
    // not disabled, which would take the focus away
    button.ariaDisabled = "true";
    status.className = "";
    status.textContent = "Recomputing …";
    const { run = "", weights } = figure.dataset;
    try {
      const { check } = await import("./check.js").catch(() => Promise.reject(new Error("the engine could not be loaded")));
      const absolute = (/** @type {string} */ url) => new URL(url, document.baseURI).href;
      const { agrees, told } = await check({ run: absolute(run), weights: weights && absolute(weights), digest });
      status.className = agrees ? "is-right" : "is-wrong";
      status.textContent = agrees ? `✓ ${told}.` : `✗ Not as baked: ${told}.`;
    } catch (error) {
      status.className = "is-unchecked";
      status.textContent = `Could not be checked: ${error instanceof Error ? error.message : error}.`;
    } finally {
      button.ariaDisabled = null;
    }
  });
  return element;
}

/** The figure's own page as it is now, whole addresses, since they are for elsewhere. @param {HTMLElement} details @param {string} query */
function shareAddresses(details, query) {
  const link = details.querySelector("a.share");
  const embed = details.querySelector(".embed");
  if (!(link instanceof HTMLAnchorElement) || !embed) return;
  const url = new URL(link.href);
  url.search = query;
  link.href = url.href;
  link.textContent = url.href;
  embed.textContent = (embed.textContent ?? "").replace(/src="[^"]*"/, () => `src="${url.href}"`);
}

/** @param {HTMLElement} shared @param {() => void} refresh */
function copyControl(shared, refresh) {
  const name = shared.classList.contains("share") ? "Copy the link" : "Copy the code";
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: name });
  const status = document.createElement("span");
  status.role = "status";
  button.addEventListener("click", async () => {
    refresh();
    const done = await copied(shared);
    status.textContent = done ? " Copied." : " Selected: copy it with your keyboard.";
  });
  const control = document.createElement("span");
  control.append(button, status);
  return control;
}
