/**
 * A training in small. It draws on a copy of the picture that stands in its place, and plays once when it is first seen:
 * at most five seconds, not where less motion is wanted, and never again but at the press of its button. It imports
 * nothing, since a first page should ask for little.
 */

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FRAME = 160; // milliseconds
const MOST = 5000;
const ICON = '<svg class="play-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path class="play-start" d="M8 5.5 L19 12 L8 18.5 Z"/><path class="play-pause" d="M7.5 5.5 V18.5 M16.5 5.5 V18.5"/></svg>';

/** A map as the build wrote it: a sign a weight, from none to one. @param {string} written */
export function weights(written) {
  return [...written].map((sign) => SIGNS.indexOf(sign) / (SIGNS.length - 1));
}

/** How long a frame lasts, so that all of them last at most five seconds. @param {number} frames */
export function pace(frames) {
  return Math.min(FRAME, MOST / Math.max(1, frames));
}

/** @param {HTMLElement} root */
export function mount(root) {
  const still = root.parentElement?.querySelector(".figure-still");
  root.replaceChildren(...[...(still?.childNodes ?? [])].map((node) => node.cloneNode(true)));
  const { steps = "", maps: written = "" } = /** @type {SVGElement} */ (root.querySelector(".miniature")).dataset;
  const [checkpoints, maps] = [steps.split(" "), written.split(" ").map(weights)];
  const last = checkpoints.length - 1;

  const cells = /** @type {NodeListOf<SVGElement>} */ (root.querySelectorAll(".miniature-map rect"));
  const now = root.querySelector(".miniature-now");
  const points = (root.querySelector(".miniature-loss")?.getAttribute("d") ?? "").split(/[ML]/).filter(Boolean).map((point) => point.split(" "));
  const read = document.createElement("span");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "play", innerHTML: ICON });
  root.querySelector(".miniature-read")?.replaceChildren(button, read);

  let shown = last;
  let timer = 0;
  /** @param {number} index */
  const draw = (index) => {
    shown = index;
    cells.forEach((cell, at) => cell.style.setProperty("fill-opacity", String(maps[index]?.[at] ?? 0)));
    const [x = "", y = ""] = points[index] ?? [];
    now?.setAttribute("cx", x);
    now?.setAttribute("cy", y);
    read.textContent = `step ${checkpoints[index]} of ${checkpoints[last]}`;
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.removeAttribute("data-playing");
    button.ariaLabel = "Play the training";
  };
  const start = () => {
    draw(shown === last ? 0 : shown);
    button.dataset.playing = "";
    button.ariaLabel = "Pause the training";
    timer = window.setInterval(() => {
      draw(shown + 1);
      if (shown === last) stop();
    }, pace(checkpoints.length));
  };
  button.addEventListener("click", () => (timer ? stop() : start()));
  stop();
  draw(last);

  const seen = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return;
      seen.disconnect();
      start();
    },
    { threshold: 0.6 },
  );
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) seen.observe(root);

  return {
    show() {},
    destroy() {
      seen.disconnect();
      stop();
    },
  };
}
