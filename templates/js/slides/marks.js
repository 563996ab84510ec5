/** What stands on a slide is marked, and everything around it; css shows what is marked and nothing else. */

const MARKS = ["on-slide", "around-slide", "beside-slide"];

/** @param {HTMLElement} main */
export function marks(main) {
  /** @type {HTMLElement[]} */
  let marked = [];
  const opening = main.querySelector(".opening");

  return {
    /**
     * Marks these elements and what is around them, up to the whole; the headings above them are only heard. What was
     * marked before and is no more keeps nothing of it, what stays marked is not touched.
     * @param {HTMLElement[]} parts
     */
    set(parts) {
      /** @type {Map<HTMLElement, string>} */
      const now = new Map();
      for (const part of parts) {
        for (let around = part.parentElement; around && around !== main; around = around.parentElement) now.set(around, "around-slide");
      }
      for (const part of parts) now.set(part, "on-slide");
      const above = [...now.keys()].map((around) => around.matches(".act, .section") && around.querySelector(":scope > h2, :scope > .act-head"));
      for (const heading of [...above, parts.length > 0 && opening]) {
        if (heading instanceof HTMLElement && !now.has(heading)) now.set(heading, "beside-slide");
      }
      for (const element of marked) if (now.get(element) !== MARKS.find((mark) => element.classList.contains(mark))) unmark(element);
      for (const [element, mark] of now) {
        element.classList.add(mark);
        if (mark === "around-slide") unfold(element);
      }
      marked = [...now.keys()];
    },
  };
}

/** What is folded in the text is unfolded on its slide. @param {HTMLElement} element */
function unfold(element) {
  if (!(element instanceof HTMLDetailsElement) || element.open) return;
  element.open = true;
  element.dataset.unfolded = "";
}

/** @param {HTMLElement} element */
function unmark(element) {
  element.classList.remove(...MARKS);
  if (!(element instanceof HTMLDetailsElement) || element.dataset.unfolded === undefined) return;
  element.open = false;
  delete element.dataset.unfolded;
}
