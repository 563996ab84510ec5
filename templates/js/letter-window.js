/** A window of letters in rows: each letter in a cell of its own, with room for a bar above it and one below. */

import { pointIn, say, set, svg } from "./svg.js";

const LINE = 22; // the height of the letters themselves
const APART = 10; // between two rows

/**
 * How many letters stand in a row: powers of two, so that a place is found again at every width.
 * @param {number} count
 * @param {number} width
 * @param {{ above?: number, below?: number }} [room]  heights kept for the bars
 */
export function windowLayout(count, width, { above = 0, below = 0 } = {}) {
  const perRow = [64, 32].find((letters) => letters <= count && width / letters >= 10) ?? 16;
  const pitch = Math.min(22, width / perRow);
  const row = above + LINE + below + APART;
  const rows = Math.ceil(count / perRow);
  return { perRow, pitch, row, above, below, rows, width: perRow * pitch, height: rows * row - APART + 4 };
}

/** Where a letter's cell begins. @param {ReturnType<typeof windowLayout>} layout @param {number} index */
export function cellAt({ perRow, pitch, row, above }, index) {
  return { x: (index % perRow) * pitch, y: Math.floor(index / perRow) * row + above + 2 };
}

/**
 * @param {{ name: string, count: number, above?: number, below?: number, picked?: (index: number) => void }} options
 *   name: what a screen reader calls it, before what is shown
 */
export function letterWindow({ name, count, above = 0, below = 0, picked }) {
  const cells = Array.from({ length: count }, () => ({
    box: svg("rect", { class: "letter-box", rx: 3 }),
    over: above ? svg("rect", { class: "letter-bar is-above" }) : null,
    under: below ? svg("rect", { class: "letter-bar is-below" }) : null,
    letter: svg("text", { class: "letter" }),
  }));
  const frame = svg("rect", { class: "letter-frame", rx: 4, visibility: "hidden" });
  const element = svg(
    "svg",
    { class: picked ? "letter-window is-pickable" : "letter-window", role: "img", "aria-label": name },
    ...cells.flatMap(({ box, over, under, letter }) => [box, ...(over ? [over] : []), ...(under ? [under] : []), letter]),
    frame,
  );
  let layout = windowLayout(count, 320, { above, below });
  if (picked) {
    element.addEventListener("pointerdown", (event) => {
      const { x, y } = pointIn(event, element);
      const index = Math.floor(y / layout.row) * layout.perRow + Math.floor(x / layout.pitch);
      if (x < layout.width && index >= 0 && index < count) picked(index);
    });
  }
  return {
    element,
    layout: () => layout,
    /** @param {number} width */
    resize(width) {
      layout = windowLayout(count, width, { above, below });
      set(element, { width: layout.width, height: layout.height, viewBox: `0 0 ${layout.width} ${layout.height}` });
      cells.forEach(({ box, letter }, index) => {
        const { x, y } = cellAt(layout, index);
        set(box, { x: x + 0.5, y, width: layout.pitch - 1, height: LINE });
        set(letter, { x: x + layout.pitch / 2, y: y + LINE / 2 });
      });
    },
    /**
     * @param {{ letters: string[], marks?: (string | undefined)[], over?: number[], under?: number[], chosen?: number, said: string }} shown
     *   marks: a class of a letter's cell; over, under: lengths of the bars, 0 to 1; said: what a screen reader hears
     */
    show({ letters, marks = [], over = [], under = [], chosen = -1, said }) {
      cells.forEach((cell, index) => {
        const { x, y } = cellAt(layout, index);
        const mark = marks[index] ?? "";
        say(cell.letter, letters[index] ?? "");
        set(cell.letter, { class: `letter ${mark}`.trim() });
        set(cell.box, { class: `letter-box ${mark}`.trim() });
        const bar = { x: x + layout.pitch * 0.22, width: layout.pitch * 0.56 };
        const [up, down] = [(over[index] ?? 0) * above, (under[index] ?? 0) * below];
        if (cell.over) set(cell.over, { ...bar, y: y - 1 - up, height: up });
        if (cell.under) set(cell.under, { ...bar, y: y + LINE + 1, height: down });
      });
      const { x, y } = cellAt(layout, Math.max(0, chosen));
      set(frame, { x, y: y - 1, width: layout.pitch, height: LINE + 2, visibility: chosen < 0 ? "hidden" : "visible" });
      set(element, { "aria-label": `${name}: ${said}` });
    },
  };
}

/** A letter as words name it. @param {string} letter */
export function spoken(letter) {
  return letter === " " ? "the space" : `“${letter}”`;
}
