/** The keys, and the switch that turns them off. */

import { dialog } from "./dialog.js";
import { html } from "./svg.js";

/** @type {[string, string, string?][]} key, what it does, and what must be there for it */
const TOLD = [
  ["j", "next step", ".step"],
  ["k", "previous step", ".step"],
  ["f", "into the figure, and back to its text", "figure[data-script]"],
  ["c", "contents", ".contents"],
  ["/", "search"],
  ["t", "light or dark"],
  ["p", "present as slides", ".present-link"],
  ["?", "these keys"],
  ["Esc", "close what is open"],
];
const ALWAYS = [
  ["Tab", "to the next control, word or map"],
  ["← ↑ → ↓", "within a map, a slider or a choice that has the focus"],
  ["Enter", "open a definition, or where a number comes from"],
];

/** What js/boot.js heeds, here and on the next page. @param {boolean} on */
function turnKeys(on) {
  if (on) delete document.documentElement.dataset.keys;
  else document.documentElement.dataset.keys = "off";
  try {
    if (on) localStorage.removeItem("keys");
    else localStorage.setItem("keys", "off");
  } catch {
    // then it holds for this page only
  }
}

/** @type {HTMLDialogElement | undefined} */
let element;

export function openHelp() {
  element ??= made();
  element.showModal();
}

function made() {
  const list = (/** @type {string[][]} */ rows) =>
    html("dl", { class: "keys" }, ...rows.map(([key = "", does = ""]) => html("div", {}, html("dt", {}, ...key.split(" ").map((one) => html("kbd", {}, one))), html("dd", {}, does))));
  const here = TOLD.filter(([, , needed]) => !needed || document.querySelector(needed));
  const box = html("input", { type: "checkbox", checked: document.documentElement.dataset.keys !== "off" });
  box.addEventListener("change", () => turnKeys(box.checked));
  const choice = html("label", { class: "keys-switch" }, box, html("span", {}, "Keys of one letter are on"));
  return dialog("aid-keys", "Keys", list(/** @type {string[][]} */ (here)), choice, html("h3", {}, "Wherever the focus is"), list(ALWAYS));
}
