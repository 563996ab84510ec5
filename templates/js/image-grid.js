/** Small grey pictures in a grid, each with its caption; one may be chosen. */

import { pixels } from "./pixels.js";
import { html, say, set } from "./svg.js";

/**
 * How many pictures stand side by side and how large: whole multiples of their pixels, so that none is smeared.
 * @param {number} count
 * @param {number} pixelsWide
 * @param {number} width
 * @param {number} least smallest side of a picture in CSS pixels
 * @param {number} [gap]
 */
export function gridLayout(count, pixelsWide, width, least, gap = 12) {
  const columns = Math.max(1, Math.min(count, Math.floor((width + gap) / (least + gap))));
  const side = (width - gap * (columns - 1)) / columns;
  return { columns, rows: Math.ceil(count / columns), side: Math.max(1, Math.floor(side / pixelsWide)) * pixelsWide, gap };
}

/**
 * @param {{ name: string, rows: number, columns: number, count: number, chosen?: (index: number) => void }} options
 *   rows, columns: pixels of one picture
 */
export function imageGrid({ name, rows, columns, count, chosen }) {
  const items = Array.from({ length: count }, (_, index) => {
    const picture = pixels({ name: `${name} ${index + 1}`, rows, columns });
    const caption = html("span", { class: "image-caption" });
    const element = chosen
      ? html("button", { type: "button", class: "image-item", "aria-pressed": "false" }, picture.element, caption)
      : html("div", { class: "image-item" }, picture.element, caption);
    if (chosen) element.addEventListener("click", () => chosen(index));
    return { picture, caption, element };
  });
  const element = html("div", { class: "image-grid", role: "group", "aria-label": name }, ...items.map((item) => item.element));
  return {
    element,
    /** @param {number} width @param {number} least */
    resize(width, least) {
      const { columns: across, side, gap } = gridLayout(count, columns, width, least);
      element.style.setProperty("grid-template-columns", `repeat(${across}, ${side}px)`);
      element.style.setProperty("gap", `${gap}px`);
      for (const { picture } of items) picture.resize(side, (side * rows) / columns);
    },
    /**
     * @param {{ values: number[], caption: string, mark?: string }[]} shown mark: a class, e.g. "is-wrong"
     * @param {number} [current]
     */
    show(shown, current) {
      items.forEach(({ picture, caption, element: item }, index) => {
        const entry = shown[index];
        item.hidden = !entry;
        if (!entry) return;
        picture.show(entry.values);
        set(picture.element, { "aria-label": entry.caption });
        say(caption, entry.caption);
        set(item, { class: `image-item ${entry.mark ?? ""}`.trim(), "aria-pressed": chosen ? String(index === current) : undefined });
      });
    },
    destroy() {
      for (const { picture } of items) picture.destroy();
    },
  };
}
