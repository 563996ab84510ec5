/** A pre-norm block as a column of sublayers, each behind a norm and with a way around it, for figures that draw it live. */

import { svg } from "./svg.js";

/**
 * @typedef {{ name: string[], masked?: (row: number, column: number) => boolean }} Sublayer
 *   masked: the small sign of who may read whom, if it is attention
 * @typedef {{ x: number, width: number, top: number, side: boolean }} Place
 *   side: whether the sign of the mask stands beside the name or below it
 */

const SIGN = 3; // cells of a sign, each way

/** A way through corner points, all its pieces level or upright, rounded where it turns. @param {[number, number][]} points */
export function way(points) {
  const radius = 7;
  return points
    .map(([x, y], index) => {
      if (index === 0) return `M${x} ${y}`;
      const [before, after] = [points[index - 1], points[index + 1]];
      if (!before || !after) return `L${x} ${y}`;
      const from = [x + Math.sign(before[0] - x) * radius, y + Math.sign(before[1] - y) * radius];
      const to = [x + Math.sign(after[0] - x) * radius, y + Math.sign(after[1] - y) * radius];
      return `L${from[0]} ${from[1]}Q${x} ${y} ${to[0]} ${to[1]}`;
    })
    .join("");
}

/** The head of an arrow that arrives downwards or, level, from the left or the right. @param {number} x @param {number} y @param {number} [from] */
export function head(x, y, from = 0) {
  return from ? `M${x} ${y}l${from * 8}-4v8z` : `M${x} ${y}l-4-8h8z`;
}

/** @param {Sublayer} sublayer @param {boolean} side */
function tall({ name, masked }, side) {
  return (name.length + 1) * 14 + (masked && !side ? 27 : 7);
}

/**
 * Where the parts of a column stand, from its top down.
 * @param {Sublayer[]} sublayers
 * @param {Place} place
 */
export function columnLayout(sublayers, { x, width, top, side }) {
  let y = top;
  const boxes = sublayers.map((sublayer) => {
    const box = { x, y: y + 12, width, height: tall(sublayer, side), from: y, sum: 0 };
    box.sum = box.y + box.height + 10;
    y = box.sum + 6;
    return box;
  });
  return { boxes, norm: { x, y: y + 10, width, height: 19 }, middle: x + width / 2, bottom: y + 29 };
}

/**
 * @param {Sublayer[]} sublayers
 * @param {Place} place
 * @param {-1 | 1} around  on which side the ways around the sublayers run
 */
export function column(sublayers, place, around) {
  const layout = columnLayout(sublayers, place);
  const { middle } = layout;
  const edge = around < 0 ? place.x : place.x + place.width;
  let [ways, heads] = ["", ""];
  const parts = layout.boxes.map((box, index) => {
    const { name, masked } = /** @type {Sublayer} */ (sublayers[index]);
    const outside = edge + around * 9;
    ways += way([[middle, box.from], [middle, box.y - 6]]) + way([[middle, box.from + 3], [outside, box.from + 3], [outside, box.sum], [middle - around * -6, box.sum]]) + way([[middle, box.y + box.height], [middle, box.sum - 6]]);
    heads += head(middle, box.y) + head(middle + around * 6, box.sum, around);
    const beside = place.side && masked;
    const centre = beside ? middle - 17 : middle;
    const lines = ["norm", ...name].map((line, row) => svg("text", { x: centre, y: box.y + 11 + row * 14, class: row ? "" : "box-more" }, line));
    const sum = svg("path", { class: "sum", d: `M${middle - 6} ${box.sum}a6 6 0 1 0 12 0a6 6 0 1 0-12 0h12m-6-6v12` });
    const corner = beside ? { x: box.x + box.width - 36, y: box.y + box.height / 2 - 13 } : { x: middle - 9, y: box.y + box.height - 23 };
    return svg("g", { class: "box" }, svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 6 }), ...lines, ...(masked ? [sign(masked, corner.x, corner.y, beside ? 26 : 18)] : []), sum);
  });
  const { norm } = layout;
  ways += way([[middle, norm.y - 10], [middle, norm.y - 6]]);
  heads += head(middle, norm.y);
  const last = svg("g", { class: "box" }, svg("rect", { x: norm.x, y: norm.y, width: norm.width, height: norm.height, rx: 6 }), svg("text", { x: middle, y: norm.y + 10, class: "box-more" }, "norm"));
  return { layout, parts: [svg("path", { class: "way-line", d: ways }), svg("path", { class: "way-head", d: heads }), ...parts, last] };
}

/** Three tokens and who may read whom. @param {(row: number, column: number) => boolean} masked @param {number} x @param {number} y @param {number} size */
function sign(masked, x, y, size) {
  const cell = size / SIGN;
  let [open, hidden] = ["", ""];
  for (let row = 0; row < SIGN; row += 1) {
    for (let column = 0; column < SIGN; column += 1) {
      const at = `M${x + column * cell} ${y + row * cell}`;
      if (masked(row, column)) hidden += `${at}m0 ${cell}l${cell}-${cell}`;
      else open += `${at}h${cell}v${cell}h${-cell}z`;
    }
  }
  const frame = `M${x} ${y}h${size}v${size}h${-size}z`;
  return svg("g", { class: "sign" }, svg("path", { class: "map-fill", "fill-opacity": ".3", d: open }), svg("path", { class: "map-hatch", d: hidden }), svg("path", { class: "map-grid", d: frame }));
}

/** @param {number} x @param {number} y @param {string} text @param {string} [role] @param {string} [anchor] */
export function note(x, y, text, role = "", anchor = "middle") {
  return svg("text", { class: `note ${role}`, x, y, "text-anchor": anchor }, text);
}

/** What leaves a column at its lower end. @param {{ middle: number, bottom: number }} layout @param {string} text */
export function leaving({ middle, bottom }, text) {
  return [svg("path", { class: "way-line", d: `M${middle} ${bottom}V${bottom + 6}` }), svg("path", { class: "way-head", d: head(middle, bottom + 12) }), note(middle, bottom + 25, text)];
}

/** Keys and values on their way from an encoder, to the left side of what reads them. @param {[number, number][]} points */
export function memoryWay(points) {
  const [x, y] = points[points.length - 1] ?? [0, 0];
  return [svg("path", { class: "way-line way-memory", d: way([...points.slice(0, -1), [x - 6, y]]) }), svg("path", { class: "way-head way-memory", d: head(x, y, -1) })];
}
