/**
 * What must happen before the first paint: the class `js` and the reader's theme; then the switch that changes it, the
 * tables that are opened, and the keys. A classic script, so that nothing flashes, and that a page read from a file has it too.
 */
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const names = { auto: "as the system", light: "light", dark: "dark" };
  const pictures = {
    auto: '<circle cx="12" cy="12" r="7.5"/><path class="filled" d="M12 4.5 a7.5 7.5 0 0 1 0 15 Z"/>',
    light: '<circle cx="12" cy="12" r="4"/><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4"/>',
    dark: '<path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z"/>',
  };

  /** @returns {"auto" | "light" | "dark"} */
  const stored = () => {
    try {
      const value = localStorage.getItem("theme");
      return value === "light" || value === "dark" ? value : "auto";
    } catch {
      return "auto"; // storage may be forbidden
    }
  };
  /** @param {"auto" | "light" | "dark"} theme */
  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  /** After the system's comes what it is not, so that the first click shows. @returns {"auto" | "light" | "dark"} */
  const next = () => {
    const [other, same] = system.matches ? /** @type {const} */ (["light", "dark"]) : /** @type {const} */ (["dark", "light"]);
    return theme === "auto" ? other : theme === other ? same : "auto";
  };
  let theme = stored();
  // a page that was opened from a file gets no modules: it reads as without scripts, and says so
  const served = location.protocol !== "file:";
  root.classList.toggle("js", served);
  // slides stand in their place from the first paint on
  if (served && new URLSearchParams(location.search).has("present")) root.classList.add("to-present");
  apply(theme);

  // what a noscript holds is text until its table is opened: no elements that nobody has asked for
  const unpack = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element)) return;
    for (const kept of target.querySelectorAll(":scope > noscript")) kept.outerHTML = kept.textContent ?? "";
  };
  document.addEventListener("toggle", unpack, true);

  // a key of one letter asks for something, unless they are turned off, as somebody who speaks to the computer must be
  // able to (WCAG 2.1.4), or something keeps letters for itself
  /** @type {Record<string, string>} */
  const keys = { "/": "search", "?": "help", c: "contents", j: "next", k: "previous", f: "figure", t: "theme", p: "present" };
  const own = "input:not([type='range'], [type='checkbox']), select, textarea, [contenteditable], dialog";
  try {
    if (localStorage.getItem("keys") === "off") root.dataset.keys = "off";
  } catch {
    // then they are on
  }
  /** The wish of a key or a button goes to whoever can grant it (js/site.js). @param {Event} event @param {string | undefined} aid */
  const ask = (event, aid) => {
    if (!aid) return;
    event.preventDefault();
    document.dispatchEvent(new CustomEvent("ask", { detail: aid }));
  };
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const mixed = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing;
    const kept = !(target instanceof Element) || target.closest(own) || document.querySelector("dialog[open], .presenting");
    if (!mixed && !kept && root.dataset.keys !== "off") ask(event, Object.hasOwn(keys, key) ? keys[key] : undefined);
  });
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-aid]");
    if (button instanceof HTMLElement) ask(event, button.dataset.aid);
  });

  document.addEventListener("DOMContentLoaded", () => {
    const told = served ? null : document.querySelector(".opening > noscript");
    if (told) told.outerHTML = told.textContent ?? "";
    const button = document.querySelector(".theme-switch");
    if (!(button instanceof HTMLButtonElement)) return;
    const show = () => {
      button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${pictures[theme]}</svg>`;
      button.title = `Theme: ${names[theme]}. Change to ${names[next()]}`;
      button.setAttribute("aria-label", button.title);
    };
    button.addEventListener("click", () => {
      theme = next();
      try {
        if (theme === "auto") localStorage.removeItem("theme");
        else localStorage.setItem("theme", theme);
      } catch {
        // then it holds for this page only
      }
      apply(theme);
      show();
      document.dispatchEvent(new CustomEvent("themechange", { detail: theme }));
    });
    show();
    system.addEventListener("change", show);
    button.hidden = false;
  });
})();
