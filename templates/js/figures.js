/**
 * The host of the figures: brings a figure to life when it comes near, and keeps its still picture until the living
 * one has drawn, or for good when it cannot.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("./series.js").Run} Run
 * @typedef {{ show: (state: State) => void, destroy?: () => void }} Mounted
 * @typedef {{ run: Run | null, options: Record<string, any>, alt: string, base: string, weights: string | null,
 *             processor: string | null }} Data `processor` took the times that the figure shows, if it shows any
 * @typedef {(root: HTMLElement, data: Data, changed: (change: State) => void) => Mounted | Promise<Mounted>} Mount
 */

/** @type {Map<string, Promise<Run>>} */
const runs = new Map();

/**
 * The JSON of a run, or of its timings, fetched once a page. A failed attempt is forgotten, so that it can be made again.
 * @param {string} url
 * @returns {Promise<Run>}
 */
export function fetchRun(url) {
  let run = runs.get(url);
  if (!run) {
    run = fetch(url).then((response) => {
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      return response.json();
    });
    run.catch(() => runs.delete(url));
    runs.set(url, run);
  }
  return run;
}

/**
 * A run with what a machine measured beside it, which lies in a file of its own: its series are then like any others.
 * @param {Run} run
 * @param {Pick<Run, "series">} timings
 * @returns {Run}
 */
export function timed(run, timings) {
  return { ...run, series: { ...run.series, ...timings.series } };
}

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/**
 * A kind's own style sheet, loaded once a page.
 * @param {string} url
 * @returns {Promise<void>}
 */
function fetchStyle(url) {
  let style = styles.get(url);
  if (!style) {
    style = new Promise((loaded, failed) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url });
      link.addEventListener("load", () => loaded());
      link.addEventListener("error", () => {
        link.remove();
        styles.delete(url);
        failed(new Error(`${url} could not be loaded`));
      });
      document.head.append(link);
    });
    styles.set(url, style);
  }
  return style;
}

/** @param {string | undefined} text @returns {State} */
export function stateOf(text) {
  const state = text ? JSON.parse(text) : {};
  if (typeof state !== "object" || state === null) throw new Error(`${text} is no state`);
  return state;
}

/** The state of a step; none where it cannot be read, since the page must go on. @param {HTMLElement | null | undefined} place @returns {State} */
export function stateAt(place) {
  try {
    return stateOf(place?.dataset.state);
  } catch {
    return {};
  }
}

export class Figure {
  /** @type {Mounted | null} */
  #mounted = null;
  /** @type {State} */
  #state;
  #attempts = 0;
  /** @type {unknown} why the page's own words on the figure cannot be read, which no further attempt mends */
  #unreadable = null;
  #reset = document.createElement("button");

  /**
   * @param {HTMLElement} element the <figure>
   * @param {{ changed: (change: State) => void, reset: () => void }} reader
   */
  constructor(element, reader) {
    this.element = element;
    this.id = element.id;
    this.reader = reader;
    /** @type {State} */
    this.defaults = {};
    /** @type {Record<string, import("./address.js").Allowed>} */
    this.allowed = {};
    try {
      this.defaults = Object.freeze(stateOf(element.dataset.state));
      this.allowed = JSON.parse(element.dataset.allowed ?? "{}");
    } catch (error) {
      this.#unreadable = error;
    }
    this.body = /** @type {HTMLElement} */ (element.querySelector(".figure-body"));
    this.live = /** @type {HTMLElement} */ (element.querySelector(".figure-live"));
    this.#state = this.defaults;
    Object.assign(this.#reset, { type: "button", className: "figure-reset", textContent: "Reset", hidden: true });
    this.#reset.setAttribute("aria-label", "Reset the figure to this step");
    this.#reset.addEventListener("click", () => {
      reader.reset();
      // the button is gone now, and the focus must not be lost with it
      const next = this.live.querySelector("input, button, [tabindex='0']");
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    });
    this.body.append(this.#reset);
  }

  /** What is drawn, or will be once the figure lives. */
  get state() {
    return this.#state;
  }

  /** @param {State} state @param {boolean} changed whether the reader had a hand in it */
  show(state, changed) {
    this.#state = state;
    this.#reset.hidden = !changed;
    this.#mounted?.show(state);
  }

  /**
   * Shows a state if it is another one: whenever another step is read all figures are asked, and nearly all stay as they are.
   * @param {State} state
   * @param {boolean} changed
   */
  keep(state, changed) {
    const names = Object.keys({ ...this.#state, ...state });
    if (names.some((name) => this.#state[name] !== state[name])) this.show(state, changed);
    else this.#reset.hidden = !changed;
  }

  /** Brings the figure to life; again after a failure. */
  async mount() {
    const { script, style, timings, weights, options, written, alt = "" } = this.element.dataset;
    const run = written === undefined ? this.element.dataset.run : ""; // what the build wrote needs no run
    if (!script || this.element.dataset.live === "pending" || this.#mounted) return;
    this.element.dataset.live = "pending";
    this.body.querySelector(".figure-problem")?.remove();
    try {
      if (this.#unreadable) throw this.#unreadable;
      const source = new URL(script, document.baseURI);
      // a browser remembers that a module failed, unless its address is another one
      if (this.#attempts++) source.searchParams.set("attempt", String(this.#attempts));
      const runUrl = run ? new URL(run, document.baseURI).href : "";
      const [module, data, times] = await Promise.all([
        import(source.href),
        runUrl ? fetchRun(runUrl) : null,
        timings ? /** @type {Promise<any>} */ (fetchRun(new URL(timings, document.baseURI).href)) : null,
        style ? fetchStyle(new URL(style, document.baseURI).href) : null,
      ]);
      await turn();
      this.live.classList.add("is-drawing");
      this.live.hidden = false;
      this.#mounted = await /** @type {Mount} */ (module.mount)(
        this.live,
        {
          run: data && times ? timed(data, times) : data,
          options: stateOf(options),
          alt,
          base: new URL(".", runUrl || source).href,
          weights: weights ? new URL(weights, document.baseURI).href : null,
          processor: times?.processor ?? null,
        },
        (change) => this.reader.changed(change),
      );
      await turn();
      this.#mounted.show(this.#state);
      await new Promise((drawn) => requestAnimationFrame(drawn));
      this.live.classList.remove("is-drawing");
      this.element.dataset.live = "yes";
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    console.warn(`figure ${this.id}:`, error);
    this.#mounted?.destroy?.();
    this.#mounted = null;
    this.live.hidden = true;
    this.live.replaceChildren();
    this.element.dataset.live = "failed";
    this.body.style.removeProperty("--room");
    const problem = document.createElement("p");
    problem.className = "figure-problem";
    problem.role = "status";
    problem.append("This figure could not start, so its picture stands here. ");
    if (!this.#unreadable) {
      const again = Object.assign(document.createElement("button"), { type: "button", textContent: "Try again" });
      again.addEventListener("click", () => void this.mount());
      problem.append(again);
    }
    this.body.append(problem);
  }
}

/**
 * The height of a figure that lives, by its width: "280 443 320 425" is 443 pixels from a width of 280 on, 425 from 320 on.
 * @param {string} rooms
 * @param {number} width
 */
export function roomAt(rooms, width) {
  const numbers = rooms.split(" ").map(Number);
  let room = numbers[1];
  for (let k = 2; k < numbers.length && /** @type {number} */ (numbers[k]) <= width; k += 2) room = numbers[k + 1];
  return room;
}

/**
 * The place of each figure is as high as the figure will be, before it lives: so nothing moves when it does. A stage
 * above the steps of a narrow screen has a height of its own.
 */
export function keepRooms() {
  const places = document.querySelectorAll('[data-room]:not([data-live="failed"]) > .figure-body');
  const found = /** @type {HTMLElement[]} */ ([...places]).map((body) => {
    const { room = "" } = body.parentElement?.dataset ?? {};
    const flows = getComputedStyle(body).position !== "sticky";
    return { body, room: flows ? `${roomAt(room, body.clientWidth)}px` : "" };
  });
  for (const { body, room } of found) body.style.setProperty("--room", room); // only now, so that the page is laid out once
}

/** @type {Promise<unknown>} */
let turns = Promise.resolve();

/** Resolves in a task of its own, after all that were asked for before: figures start one by one, and a reader gets between. */
function turn() {
  turns = turns.then(() => new Promise((next) => setTimeout(next)));
  return turns;
}

/**
 * Mounts each figure when it comes near: within one window's height, but before the reader has moved only what is seen.
 * @param {Figure[]} figures
 * @param {() => void} mounted
 */
export function mountWhenNear(figures, mounted) {
  const byBody = new Map(figures.map((figure) => [/** @type {Element} */ (figure.body), figure]));
  /** @param {string} rootMargin */
  const watch = (rootMargin) => {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (!isIntersecting) continue;
          observer.unobserve(target);
          const figure = byBody.get(target);
          byBody.delete(target);
          void figure?.mount().then(mounted);
        }
      },
      { rootMargin },
    );
    for (const body of byBody.keys()) observer.observe(body);
    return observer;
  };
  const first = watch("0px");
  addEventListener(
    "scroll",
    () => {
      first.disconnect();
      watch("100% 0px");
    },
    { once: true, passive: true },
  );
}
