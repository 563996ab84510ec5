/**
 * The vision Transformer. One garment: its patches, where <cls> looked in a head of a block, and what the model says.
 * All garments: accuracy while training, and what was taken for what.
 */

import { bars } from "../../js/bars.js";
import { choices } from "../../js/choices.js";
import { count, fixed, percent, weight as printed } from "../../js/format.js";
import { lineChart } from "../../js/line-chart.js";
import { pixels } from "../../js/pixels.js";
import { within } from "../../js/scale.js";
import { at, labels, rows, series, steps } from "../../js/series.js";
import { html, pointIn, say, set, style, svg } from "../../js/svg.js";
import { whenWidthChanges } from "../../js/width.js";

/**
 * The `most` likeliest classes, likeliest first; equals keep their order.
 * @param {number[]} probabilities
 * @param {string[]} names
 * @param {number} most
 */
export function likeliest(probabilities, names, most) {
  return probabilities
    .map((value, index) => ({ name: names[index] ?? "", value }))
    .sort((a, b) => b.value - a.value)
    .slice(0, most);
}

/**
 * The largest count off the diagonal.
 * @param {number[][]} table (true, predicted)
 */
export function commonest(table) {
  let best = { is: 0, said: 1 };
  table.forEach((row, is) =>
    row.forEach((value, said) => {
      if (is !== said && value > (table[best.is]?.[best.said] ?? 0)) best = { is, said };
    }),
  );
  return best;
}

/** Whole pixels a pixel of a picture. @param {number} width */
export function layout(width) {
  if (width < 540) return { picture: 160, bars: width, chart: 110 };
  return { picture: 184, bars: width - 2 * 184 - 2 * 36, chart: 130 };
}

/** A picture whose button says what it is. @param {ReturnType<typeof pixels>} picture */
function hidden(picture) {
  set(picture.element, { role: undefined, "aria-label": undefined, "aria-hidden": "true" });
  return picture;
}

/**
 * @param {HTMLElement} root
 * @param {import("../../js/series.js").FigureData} data
 * @param {import("../../js/series.js").Changed} changed
 */
export function mount(root, { run }, changed) {
  const one = single(run, changed);
  const all = overall(run);
  const control = choices({ label: "show", values: ["garment", "all"], text: (value) => (value === "all" ? `all ${count(run.metrics.test_garments?.value ?? 0)}` : "one garment"), changed: (view) => changed({ view }) });
  root.replaceChildren(control.element, one.element);
  const unobserve = whenWidthChanges(root, (width) => {
    one.resize(width);
    all.resize(width);
  });
  return {
    /** @param {Record<string, any>} state */
    show(state) {
      const view = state.view === "all" ? "all" : "garment";
      control.show(view);
      one.element.hidden = view === "all";
      if (view === "all") root.append(all.element);
      else all.element.remove(); // a large table, which no page needs that does not show it
      one.show(state);
    },
    destroy() {
      unobserve();
      one.destroy();
    },
  };
}

/**
 * One garment.
 * @param {import("../../js/series.js").Run} run
 * @param {import("../../js/series.js").Changed} changed
 */
function single(run, changed) {
  const [images, probabilities, attention] = [series(run, "images"), series(run, "probabilities"), series(run, "cls_attention")];
  const [, blocks = 0, heads = 0, keys = 0] = attention.shape;
  const size = images.shape[1] ?? 0;
  const across = Math.round(Math.sqrt(keys - 1));
  const names = labels(probabilities, "class");
  /** @type {{ true: string, predicted: string, right: boolean }[]} */
  const garments = run.examples.garments;
  const shownAs = { garment: 0, block: 0, head: 0 };
  let painted = -1; // the garment whose pictures stand there: a canvas costs more than all the rest
  const grey = (/** @type {number} */ garment) => at(images, garment).map((value) => value / 255);
  const verdict = (/** @type {number} */ garment) => {
    const { true: is, predicted, right } = garments[garment] ?? { true: "", predicted: "", right: false };
    return right ? `${is}, recognised` : `${is}, taken for ${predicted}`;
  };

  const pickers = garments.map(({ right }, garment) => {
    const picture = hidden(pixels({ name: "", rows: size, columns: size }));
    const button = html("button", { type: "button", class: right ? "vision-choice" : "vision-choice is-wrong", "aria-label": verdict(garment) }, picture.element);
    button.addEventListener("click", () => changed({ garment: garment + 1 }));
    return { picture, button };
  });
  const big = pixels({ name: "The garment", rows: size, columns: size });
  const lines = svg("path");
  const cut = svg("svg", { "aria-hidden": "true" }, lines);
  const [title, mapTitle] = [html("span", { class: "vision-title" }), html("span", { class: "vision-title" })];
  const patches = Array.from({ length: keys - 1 }, () => {
    const [square, value] = [svg("rect", { class: "map-square" }), svg("text", { class: "map-value" })];
    return { square, value, group: svg("g", { class: "map-cell" }, square, value) };
  });
  const frames = [cut, svg("svg", { role: "img" }, ...patches.map(({ group }) => group))].map((picture) => {
    const frame = svg("rect", { class: "map-band", visibility: "hidden" });
    picture.append(frame);
    return { picture, frame };
  });
  const map = /** @type {SVGSVGElement} */ (frames[1]?.picture);
  const small = Array.from({ length: blocks }, (_, block) => Array.from({ length: heads }, (_, head) => {
    const picture = hidden(pixels({ name: "", rows: across, columns: across }));
    const button = html("button", { type: "button", class: "vision-head", "aria-label": `block ${block + 1}, head ${head + 1}` }, picture.element);
    button.addEventListener("click", () => changed({ block: block + 1, head: head + 1 }));
    return { picture, button };
  }));
  const headRows = small.map((row, block) => html("div", { class: "vision-block", role: "group", "aria-label": `Heads of block ${block + 1}` }, html("span", { class: "vision-title" }, `block ${block + 1}, heads 1 to ${heads}`), ...row.map(({ button }) => button)));
  const chances = bars({ name: "What the model says", count: 3, text: (value) => percent(value), names: 66, row: 24, values: 46 });
  const readout = html("p", { class: "readout" });
  const panel = (/** @type {Node[]} */ ...parts) => html("div", { class: "vision-panel" }, ...parts);
  const element = html(
    "div",
    {},
    html("div", { class: "vision-shown", role: "group", "aria-label": "Garments" }, ...pickers.map(({ button }) => button)),
    html("div", { class: "vision-main" }, panel(title, html("div", { class: "vision-cut" }, big.element, cut)), panel(mapTitle, map), panel(html("span", { class: "vision-title" }, "what the model says"), chances.element)),
    html("div", { class: "vision-heads" }, ...headRows),
    readout,
  );
  let side = 0;
  let lit = -1;
  const point = (/** @type {PointerEvent} */ event) => {
    const { x, y } = pointIn(event, /** @type {Element} */ (event.currentTarget));
    const step = side / across;
    const [row, column] = [Math.floor(y / step), Math.floor(x / step)];
    const inside = row >= 0 && row < across && column >= 0 && column < across;
    lit = event.type !== "pointerleave" && inside ? row * across + column : -1;
    light();
  };
  for (const { picture } of frames) {
    for (const event of /** @type {const} */ (["pointermove", "pointerdown", "pointerleave"])) picture.addEventListener(event, point);
  }

  const weights = (/** @type {number} */ block, /** @type {number} */ head) => at(attention, shownAs.garment, block, head);

  /** A patch and its weight are framed together. */
  function light() {
    const [own = NaN, ...patch] = weights(shownAs.block, shownAs.head);
    const step = side / across;
    for (const { frame } of frames) {
      set(frame, { x: (lit % across) * step, y: Math.floor(lit / across) * step, width: step, height: step, visibility: lit < 0 ? "hidden" : "visible" });
    }
    say(readout, lit < 0 ? `<cls> keeps ${fixed(own, 2)} for itself; the sixteen patches share the rest.` : `This patch has the weight ${fixed(patch[lit] ?? NaN, 3)}.`);
  }

  return {
    element,
    /** @param {number} width */
    resize(width) {
      const sizes = layout(width);
      pickers.forEach(({ picture }, index) => {
        picture.resize(40, 40);
        picture.show(grey(index));
      });
      side = sizes.picture;
      const step = side / across;
      big.resize(side, side);
      for (const { picture } of frames) set(picture, { width: side, height: side, viewBox: `0 0 ${side} ${side}` });
      set(lines, { d: Array.from({ length: across + 1 }, (_, k) => `M${k * step} 0V${side}M0 ${k * step}H${side}`).join("") });
      patches.forEach(({ square, value }, patch) => {
        const [x, y] = [(patch % across) * step, Math.floor(patch / across) * step];
        set(square, { x: x + 0.5, y: y + 0.5, width: step - 1, height: step - 1 });
        set(value, { x: x + step / 2, y: y + step / 2 });
      });
      for (const { picture } of small.flat()) picture.resize(40, 40);
      chances.resize(sizes.bars);
    },
    /** @param {Record<string, any>} state */
    show(state) {
      Object.assign(shownAs, { garment: within(state.garment, 1, garments.length) - 1, block: within(state.block, 1, blocks) - 1, head: within(state.head, 1, heads) - 1 });
      const { garment, block, head } = shownAs;
      pickers.forEach(({ button }, index) => set(button, { "aria-pressed": String(index === garment) }));
      if (garment !== painted) big.show(grey(garment));
      set(big.element, { "aria-label": verdict(garment) });
      say(title, verdict(garment));
      say(mapTitle, `<cls> in block ${block + 1}, head ${head + 1}`);
      const shown = weights(block, head).slice(1);
      patches.forEach(({ group, value }, patch) => {
        style(group, "--w", (shown[patch] ?? 0).toFixed(4));
        say(value, printed(shown[patch] ?? NaN));
      });
      set(map, { "aria-label": `Weights of the patches, row by row: ${shown.map((weight) => fixed(weight, 2)).join(", ")}` });
      small.forEach((row, b) => row.forEach(({ picture, button }, h) => {
        if (garment !== painted) picture.show(weights(b, h).slice(1));
        set(button, { "aria-pressed": String(b === block && h === head) });
      }));
      painted = garment;
      const said = garments[garment]?.predicted;
      chances.show(likeliest(at(probabilities, garment), names, 3).map((entry) => ({ ...entry, mark: entry.name === said ? "is-chosen" : "" })));
      light();
    },
    destroy() {
      for (const { picture } of [...pickers, ...small.flat(), { picture: big }]) picture.destroy();
    },
  };
}

/**
 * All garments: the accuracy while training and the table of confusions.
 * @param {import("../../js/series.js").Run} run
 */
function overall(run) {
  const accuracy = series(run, "accuracy");
  const checkpoints = steps(accuracy, "checkpoint");
  const table = rows(series(run, "confusion"));
  const names = labels(series(run, "confusion"), "true");
  const right = at(series(run, "class_accuracy"));
  const curve = (/** @type {string} */ split) => rows(accuracy).map((row) => row[labels(accuracy, "split").indexOf(split)] ?? NaN);
  const last = checkpoints[checkpoints.length - 1] ?? 0;
  const chart = lineChart({
    name: "Share recognised while training, on garments trained on and on held-out ones",
    x: { kind: "log-from-zero", domain: [0, last], name: "training step" },
    y: { domain: [0, 1], ticks: [0, 0.5, 1], text: (value) => percent(value), letters: 5, name: "recognised" },
    lines: [
      { x: checkpoints, y: curve("training"), name: "trained on", mark: "is-faint" },
      { x: checkpoints, y: curve("validation"), name: "held out" },
    ],
  });
  const most = commonest(table);
  const sums = table.map((row) => row.reduce((sum, value) => sum + value, 0));
  const body = table.map((row, is) => html(
    "tr",
    {},
    html("th", { scope: "row" }, names[is] ?? ""),
    ...row.map((value, said) => {
      const cell = html("td", { class: is === most.is && said === most.said ? "is-commonest" : undefined }, value ? String(value) : "");
      style(cell, "--w", (value / (sums[is] ?? 1)).toFixed(4));
      return cell;
    }),
    html("td", { class: "confusion-rate" }, percent(right[is] ?? NaN)),
  ));
  const head = html("tr", {}, html("th", { scope: "col" }, ""), ...[...names, "right"].map((name) => html("th", { scope: "col" }, html("span", {}, name))));
  const counts = html("table", { class: "confusion" }, html("caption", {}, "Rows: what it is. Columns: what the model says. Framed: the commonest mistake."), html("thead", {}, head), html("tbody", {}, ...body));
  return {
    element: html("div", {}, chart.element, counts),
    /** @param {number} width */
    resize(width) {
      chart.resize(width, layout(width).chart);
      chart.show();
    },
  };
}
