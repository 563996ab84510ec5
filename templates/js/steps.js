/**
 * Which place of the page is read: a function of the scroll position and of nothing else. A place is a step or a
 * section; it is read when it is the last whose top has passed the middle of the window.
 */

/**
 * @param {number[]} tops in reading order
 * @param {number} line
 * @returns {number} the last index whose top is at or above the line; -1 before the first
 */
export function lastAbove(tops, line) {
  let found = -1;
  for (let index = 0; index < tops.length; index += 1) {
    if (/** @type {number} */ (tops[index]) > line) break;
    found = index;
  }
  return found;
}

/**
 * The first step of a scene begins where its scene does: on a narrow screen the figure stands above it.
 * @param {HTMLElement} place
 * @returns {HTMLElement}
 */
export function beginning(place) {
  const scene = place.closest(".scene");
  return scene instanceof HTMLElement && scene.querySelector(".step") === place ? scene : place;
}

/**
 * Tells `changed` the index of the place that is read, at once and whenever it becomes another one.
 * @param {HTMLElement[]} places in reading order
 * @param {(index: number) => void} changed
 * @returns {{ update: () => void, stop: () => void }}
 */
export function followScroll(places, changed) {
  const beginnings = places.map(beginning);
  let active = NaN;
  let frame = 0;
  const update = () => {
    frame = 0;
    // not innerHeight, which a phone's bar of addresses changes as it comes and goes
    const line = document.documentElement.clientHeight / 2;
    const index = lastAbove(beginnings.map((element) => element.getBoundingClientRect().top), line);
    if (index === active) return;
    active = index;
    changed(index);
  };
  const schedule = () => {
    if (!frame) frame = requestAnimationFrame(update);
  };
  // the middle line catches what moves without scrolling: a <details> that opens, a font that arrives
  const middle = new IntersectionObserver(schedule, { rootMargin: "-50% 0px -50% 0px", threshold: 0 });
  for (const element of beginnings) middle.observe(element);
  addEventListener("scroll", schedule, { passive: true });
  addEventListener("resize", schedule);
  update();
  return {
    update,
    stop() {
      cancelAnimationFrame(frame);
      middle.disconnect();
      removeEventListener("scroll", schedule);
      removeEventListener("resize", schedule);
    },
  };
}

const WIDE = "(min-width: 1024px)";

/**
 * Scrolls so that a place is read: in the middle of a wide screen, from its figure on a narrow one.
 * @param {HTMLElement} place
 * @param {{ smooth?: boolean, focus?: boolean }} [how]
 */
export function scrollToPlace(place, { smooth = false, focus = true } = {}) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = smooth && !calm ? "smooth" : "instant";
  if (matchMedia(WIDE).matches && place.matches(".step")) place.scrollIntoView({ block: "center", behavior });
  else beginning(place).scrollIntoView({ block: "start", behavior });
  if (!focus) return;
  const heading = place.querySelector("h2, h3");
  if (!(heading instanceof HTMLElement)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

const UP = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 15 L12 8 L19 15"/></svg>';
const DOWN = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 9 L12 16 L19 9"/></svg>';

/**
 * Two buttons and where one is: "03/05", or the title of a section. It shows while one of the places is read.
 * @param {HTMLElement[]} places in reading order
 * @param {(place: HTMLElement) => void} go
 * @returns {{ element: HTMLElement, show: (place: HTMLElement | null) => void }}
 */
export function stepper(places, go) {
  const element = document.createElement("nav");
  element.className = "stepper";
  element.setAttribute("aria-label", "Steps");
  element.dataset.idle = "";
  const name = document.createElement("span");
  name.className = "stepper-place";
  let index = -1;
  /** @param {string} label @param {string} icon @param {number} by */
  const button = (label, icon, by) => {
    const made = document.createElement("button");
    made.type = "button";
    made.title = label;
    made.innerHTML = `${icon}<span class="visually-hidden">${label}</span>`;
    made.addEventListener("click", () => {
      const place = places[index + by];
      if (place) go(place);
    });
    return made;
  };
  const before = button("Previous step", UP, -1);
  const after = button("Next step", DOWN, 1);
  element.append(name, before, after);
  // the end of the page has its own words where the buttons would stand
  const end = document.querySelector(".colophon");
  const over = new IntersectionObserver(([entry]) => element.toggleAttribute("data-over", entry?.isIntersecting ?? false));
  if (end) over.observe(end);
  return {
    element,
    show(place) {
      index = place ? places.indexOf(place) : -1;
      element.toggleAttribute("data-idle", index < 0);
      element.toggleAttribute("data-section", place?.matches(".section") ?? false);
      if (!place) return;
      name.textContent = place.querySelector(place.matches(".step") ? ".step-mark" : "h2")?.textContent?.trim() ?? "";
      before.setAttribute("aria-disabled", String(index === 0));
      after.setAttribute("aria-disabled", String(index === places.length - 1));
    },
  };
}
