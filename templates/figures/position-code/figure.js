/** The sinusoidal code: one row a position, one column a sine or a cosine; each pair of columns is the hand of a clock. */

import { dial } from "../../js/dial.js";
import { significant } from "../../js/format.js";
import { pixels } from "../../js/pixels.js";
import { within } from "../../js/scale.js";
import { scrubber } from "../../js/scrub.js";
import { at, series } from "../../js/series.js";
import { html, pointIn, say, set, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * Whole pixels a cell, and dials as wide as the two columns of their pair.
 * @param {number} width
 * @param {number} positions
 * @param {number} dimensions
 */
export function layout(width, positions, dimensions) {
  const left = 30;
  const cell = Math.max(2, Math.floor((width - left - 2) / dimensions));
  const row = width < 460 ? 3 : 5;
  const radius = cell - 2;
  const top = 2 * radius + 26;
  return { left, cell, row, radius, middle: 18 + radius, top, width: left + cell * dimensions + 2, height: top + row * positions + 22 };
}

/** The fastest and the slowest hand in words. @param {number} position @param {number[]} wavelengths */
export function told(position, wavelengths) {
  const [fast = NaN, slow = NaN] = [wavelengths[0], wavelengths[wavelengths.length - 1]];
  const turns = significant(position / fast, 2);
  const degrees = significant((360 * position) / slow, 2);
  return `Position ${position}: the fastest hand has gone round ${turns} times, the slowest has turned ${degrees}°.`;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const code = series(run, "code");
  const wavelengths = at(series(run, "wavelength"));
  const [positions = 0, dimensions = 0] = code.shape;
  const picture = pixels({ name: "The code: one row a position, one column a dimension", rows: positions, columns: dimensions, domain: [-1, 1] });
  const dials = wavelengths.map(() => dial(1));
  const bands = [svg("rect", { class: "code-halo" }), svg("rect", { class: "code-band" })];
  const mark = svg("text", { class: "code-mark" });
  const names = [svg("text", {}, "fast"), svg("text", { class: "code-end" }, "slow")];
  const below = [svg("text", {}, "dimension 0"), svg("text", { class: "code-end" }, String(dimensions - 1))];
  const ticks = [0, 16, 32, 48, positions - 1].map((position) => ({ position, text: svg("text", { class: "tick-y" }, String(position)) }));
  const drawing = svg("svg", { "aria-hidden": "true" }, ...names, ...below, ...dials.map(({ element }) => element), ...ticks.map(({ text }) => text), ...bands, mark);
  const map = html("div", { class: "code-map" }, picture.element, drawing);
  const readout = html("p", { class: "readout" });
  const scrub = scrubber({
    label: "Position",
    playing: "the positions",
    length: positions,
    describe: (index) => told(index, wavelengths),
    read: (index) => `position ${index}`,
    changed: (index) => changed({ position: index }),
  });
  root.replaceChildren(map, scrub.element, readout);
  let sizes = layout(600, positions, dimensions);
  let position = 0;

  const pick = (/** @type {PointerEvent} */ event) => {
    const y = pointIn(event, map).y - sizes.top;
    const row = Math.floor(y / sizes.row);
    if (y < 0 || row >= positions) return;
    scrub.stop();
    if (row !== position) changed({ position: row });
  };
  map.addEventListener("pointerdown", pick);
  map.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons > 0) pick(event);
  });

  function draw() {
    const { left, cell, row, top } = sizes;
    const values = at(code, position);
    dials.forEach(({ show }, pair) => show([Math.atan2(values[2 * pair] ?? 0, values[2 * pair + 1] ?? 0)]));
    for (const band of bands) set(band, { x: left - 1.5, y: top + position * row - 1.5, width: cell * dimensions + 3, height: row + 3 });
    set(mark, { x: left - 6, y: top + (position + 0.5) * row });
    say(mark, String(position));
    scrub.show(position);
    say(readout, told(position, wavelengths));
  }

  const unobserve = whenWidthChanges(root, (width) => {
    sizes = layout(width, positions, dimensions);
    const { left, cell, row, radius, middle, top, height } = sizes;
    set(drawing, { width: sizes.width, height, viewBox: `0 0 ${sizes.width} ${height}` });
    picture.resize(cell * dimensions, row * positions);
    picture.element.style.setProperty("left", `${left}px`);
    picture.element.style.setProperty("top", `${top}px`);
    dials.forEach(({ resize }, pair) => resize(left + (2 * pair + 1) * cell, middle, radius));
    const right = left + cell * dimensions;
    names.forEach((text, index) => set(text, { x: index ? right : left, y: 12 }));
    below.forEach((text, index) => set(text, { x: index ? right : left, y: top + row * positions + 16 }));
    ticks.forEach((tick) => set(tick.text, { x: left - 6, y: top + (tick.position + 0.5) * row }));
    picture.show(code.values.map((value) => value ?? NaN));
    draw();
  });

  return {
    /** @param {Record<string, any>} state */
    show(state) {
      position = within(state.position, 0, positions - 1);
      draw();
    },
    destroy() {
      scrub.destroy();
      unobserve();
      picture.destroy();
    },
  };
}
