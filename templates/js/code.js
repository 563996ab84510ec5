/** Quoted code can be copied. What is folded away becomes elements when it is opened, and gets its button then. */

import { copied } from "./clipboard.js";
import { html, say } from "./svg.js";

export function completeCode() {
  const complete = (/** @type {ParentNode} */ part) => {
    for (const quote of part.querySelectorAll(".quote:not(:has(.copy))")) offer(quote);
  };
  complete(document);
  document.addEventListener("toggle", ({ target }) => target instanceof Element && complete(target), true);
}

/** @param {Element} quote */
function offer(quote) {
  const button = html("button", { type: "button", class: "copy" }, "Copy");
  const status = html("span", { role: "status" });
  const code = quote.querySelector("code");
  button.addEventListener("click", async () => say(status, (await copied(code)) ? "Copied." : "Selected: copy it with your keyboard."));
  quote.querySelector(".quote-place")?.append(" ", button, status);
}
