/**
 * Predict first: the list of an exercise becomes alternatives to choose from. Choosing opens the answer, which says what
 * was chosen; another choice can follow. Without JavaScript the list is a list and the answer opens by itself.
 */

import { html, say, set } from "./svg.js";

/** @param {ParentNode} page */
export function predictFirst(page) {
  for (const exercise of page.querySelectorAll(".exercise")) {
    const list = exercise.querySelector(":scope > ul");
    const answer = exercise.querySelector(":scope > details.answer");
    if (list instanceof HTMLElement && answer instanceof HTMLDetailsElement) offer(list, answer);
  }
}

/** @param {HTMLElement} list @param {HTMLDetailsElement} answer */
function offer(list, answer) {
  const chosen = html("p", { class: "prediction", role: "status" });
  const buttons = [...list.children].map((item) => {
    const button = html("button", { type: "button", class: "alternative", "aria-pressed": "false" });
    button.append(...item.childNodes);
    button.addEventListener("click", () => {
      for (const other of buttons) set(other, { "aria-pressed": String(other === button) });
      answer.open = true;
      say(chosen, `You predicted: ${button.textContent?.trim()}.`);
    });
    item.replaceChildren(button);
    return button;
  });
  list.classList.add("alternatives");
  answer.querySelector("summary")?.after(chosen);
}
