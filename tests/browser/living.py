"""What the tests of figure kinds share: a figure brought to life, its faults as a reader would see them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.browser.browsing import settle
from tests.browser.test_figures import CHAPTER, CONTRAST, remount

ROOT = Path(__file__).parents[2]
Open = Callable[..., Any]
State = dict[str, Any]


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


def wake(page: Any, figure: str) -> Any:
    page.locator(f"#{figure} .figure-body").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{figure}[data-live=yes]")
    settle(page)
    return page


def faults(page: Any, figure: str) -> list[str]:
    """Texts under 12 pixels, under a contrast of 4.5, or outside the figure; and a page that scrolls sideways."""
    script = """(id) => {
      const body = document.querySelector(`#${id} .figure-body`);
      const outer = body.getBoundingClientRect();
      /* contrast */
      const paper = getComputedStyle(document.body).backgroundColor;
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
        if (box.left < outer.left - 1 || box.right > outer.right + 1) faults.push(`${text.textContent}: outside`);
        const square = text.closest(".map-cell, .box")?.querySelector("rect");
        const fill = square ? getComputedStyle(square).fill : "none";
        const ratio = contrast(style.fill, fill === "none" ? paper : fill);
        if (ratio < 4.5) faults.push(`${text.textContent}: contrast ${ratio.toFixed(2)} on ${fill}`);
      }
      return seen >= 8 ? faults : [...faults, `only ${seen} texts`];
    }"""
    return page.evaluate(script.replace("/* contrast */", CONTRAST), figure)


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
