"""What the tests of figure kinds share: a figure brought to life, its faults as a reader would see them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.browser.browsing import settle

ROOT = Path(__file__).parents[2]
CHAPTER = "attention-and-transformers/index.html"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
Open = Callable[..., Any]
State = dict[str, Any]
# WCAG's contrast of two computed colours, which come as rgb(…) or, where they are mixed, as color(srgb …).
CONTRAST = """
  const channels = (text) => {
    const most = text.startsWith("color(") ? 1 : 255;
    return text.match(/[\\d.]+/g).slice(0, 3).map((one) => one / most);
  };
  const luminance = (text) => {
    const [r, g, b] = channels(text).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, two) => {
    const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
"""


def figures() -> dict[str, str]:
    """Every figure of this site, as the texts have them: its id and its kind."""
    texts = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "content").rglob("*.md")))
    blocks = re.findall(r"^```\{figure\} (\S+)\n(.*?)^```", texts, re.DOTALL | re.MULTILINE)
    named = [(re.search(r'^id = "(.+?)"', body, re.MULTILINE), kind) for kind, body in blocks]
    return {found[1]: kind for found, kind in named if found}


def stills(site: Path, act: str) -> list[str]:
    """The pictures that an act shows without scripts, by their names."""
    text = (site / CHAPTER).read_text("utf-8")
    start = text.index(f'<section class="act" id="{act}"')
    return re.findall(
        r'src="\.\./data/[\w-]+\.[0-9a-f]{12}-([\w-]+)\.png"', text[start : text.index("</section>\n\n", start)]
    )


def baked(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "build/runs" / name / "run.json").read_text("utf-8"))


def block(series: Mapping[str, Any], **coordinates: Any) -> list[float]:
    """The values under coordinates of the leading axes."""
    start, size = 0, len(series["values"])
    for axis, length in zip(series["axes"], series["shape"], strict=True):
        if axis not in coordinates:
            break
        size //= length
        start += size * series["coordinates"][axis].index(coordinates[axis])
    return series["values"][start : start + size]


def alive(open_page: Open, figure: str, step: str, query: str = "", **options: Any) -> Any:
    """The page at a step, its figure alive."""
    page = open_page(f"{CHAPTER}{query}#{step}", **options)
    return wake(page, figure)


# A page that still arrives may go back to the place of its address, as it should: so ask again until the figure lives.
AWAKE = """(id) => {
  const figure = document.getElementById(id);
  const { top, bottom } = figure.querySelector(".figure-body").getBoundingClientRect();
  if (bottom < 0 || top > innerHeight) figure.scrollIntoView({ block: "center", behavior: "instant" });
  return figure.dataset.live === "yes";
}"""


def wake(page: Any, figure: str) -> Any:
    page.locator(f"#{figure} .figure-body").scroll_into_view_if_needed()
    page.wait_for_function(AWAKE, arg=figure, polling=100)
    settle(page)
    return page


def own(open_page: Open, figure: str, query: str = "", **options: Any) -> Any:
    """The figure's own page, which loads little else, its figure alive."""
    page = open_page(f"figures/{figure}/index.html{query}", **options)
    page.wait_for_selector(f"#{figure}[data-live=yes]")
    settle(page)
    return page


def put(page: Any, figure: str, **state: Any) -> None:
    """Changes the state of a figure, as a control of it would."""
    page.evaluate(
        """async ([id, state]) => {
          const { story } = await import(document.querySelector("script[type=module]").src);
          story.change(id, state);
          const frame = () => new Promise(requestAnimationFrame);
          await frame(); await frame();
        }""",
        [figure, state],
    )


# Words of a figure under 12 pixels, under a contrast of 4.5, or outside it; a page that scrolls sideways.
FAULTS = """(id) => {
  const body = document.querySelector(`#${id} .figure-body`);
  const outer = body.getBoundingClientRect();
  /* contrast */
  const paper = getComputedStyle(document.body).backgroundColor;
  const filled = [...body.querySelectorAll(".figure-live rect")].map((rect) => [rect, getComputedStyle(rect)]).filter(
    ([rect, { fill, fillOpacity, opacity, visibility }]) =>
      fill !== "none" && fillOpacity * opacity === 1 && visibility !== "hidden" && rect.getBoundingClientRect().width,
  ).map(([rect, { fill }]) => [rect, fill, rect.getBoundingClientRect()]);
  // what was drawn before a word and lies under its middle
  const ground = (text, box) => {
    const square = text.closest(".map-cell, .box")?.querySelector("rect");
    const fill = square ? getComputedStyle(square).fill : "none";
    if (fill !== "none") return fill;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const under = ([rect, , at]) =>
      at.left <= x && x <= at.right && at.top <= y && y <= at.bottom &&
      rect.ownerSVGElement === text.ownerSVGElement &&
      rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
    return filled.filter(under).at(-1)?.[1] ?? paper;
  };
  const faults = document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : [];
  let seen = 0;
  for (const text of body.querySelectorAll(".figure-live text")) {
    const box = text.getBoundingClientRect();
    const style = getComputedStyle(text);
    if (!text.textContent.trim() || !box.width || style.visibility === "hidden") continue;
    seen += 1;
    const { a, b } = text.getScreenCTM(); // a word may stand upright
    const size = parseFloat(style.fontSize) * Math.hypot(a, b);
    if (size < 11.99) faults.push(`${text.textContent}: ${size} px`);
    if (box.left < outer.left - 1.5 || box.right > outer.right + 1.5) faults.push(`${text.textContent}: outside`);
    const on = ground(text, box);
    const ratio = contrast(style.fill, on);
    if (ratio < 4.5) faults.push(`${text.textContent}: contrast ${ratio.toFixed(2)} on ${on}`);
  }
  for (const element of body.querySelectorAll(".figure-live :not(svg, svg *)")) {
    const words = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!words || !element.checkVisibility({ visibilityProperty: true })) continue;
    seen += 1;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < 11.99) faults.push(`${element.textContent}: ${size} px`);
  }
  return { seen, faults };
}""".replace("/* contrast */", CONTRAST)


def faults(page: Any, figure: str) -> list[str]:
    """Texts under 12 pixels, under a contrast of 4.5, or outside the figure; and a page that scrolls sideways."""
    found = page.evaluate(FAULTS, figure)
    return found["faults"] if found["seen"] >= 8 else [*found["faults"], f"only {found['seen']} texts"]


def height(page: Any, figure: str) -> float:
    return page.evaluate("(id) => document.querySelector(`#${id} .figure-live`).scrollHeight", figure)


def wanderers(page: Any, figure: str, states: Sequence[State]) -> list[int]:
    """The states whose picture depends on the way there: there must be none."""
    return remount(
        page,
        figure,
        f"""({{ mount, place }}) => {json.dumps(states)}.flatMap((state, index, states) => {{
          const [one, two] = [place(), place()];
          const [direct, wandering] = [mount(one), mount(two)];
          direct.show(state);
          for (const other of [...states, state]) wandering.show(other);
          const visible = (root) => {{
            for (const hidden of root.querySelectorAll("[hidden]")) hidden.replaceChildren();
            return root.innerHTML.replace(/ class=""/g, "");
          }};
          const equal = visible(one) === visible(two);
          for (const [root, mounted] of [[one, direct], [two, wandering]]) {{ mounted.destroy?.(); root.remove(); }}
          return equal ? [] : [index];
        }})""",
    )


def remount(page: Any, figure: str, script: str) -> Any:
    """Mounts the figure a second time, apart from the page's host, and evaluates `script` with `show` and `root`."""
    return page.evaluate(
        f"""async (id) => {{
          const element = document.getElementById(id);
          const module = await import(new URL(element.dataset.script, document.baseURI).href);
          const read = async (url) => (url ? (await fetch(url)).json() : null);
          const run = await read(element.dataset.run);
          Object.assign(run?.series ?? {{}}, (await read(element.dataset.timings))?.series);
          const options = JSON.parse(element.dataset.options);
          const place = () => {{
            const root = document.createElement("div");
            root.className = "figure-live";
            element.querySelector(".figure-body").append(root);
            return root;
          }};
          const mount = (root) => module.mount(root, {{ run, options, alt: "", base: "" }}, () => {{}});
          return ({script})({{ mount, place, run }});
        }}""",
        figure,
    )
