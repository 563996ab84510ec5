"""How high each figure is once it lives, by its width, measured in Chromium, so that its place is kept before it lives.

`python tests/browser/rooms.py` writes content/*/rooms.toml, which the build puts on the page and js/figures.js reads.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.browsing import launched, served

ROOT = Path(__file__).parents[2]
NARROW = range(320, 1024, 4)  # widths of the window below the two columns, and with them
WIDE = range(1024, 1608, 8)
SPARE = 18  # pixels, a line of words: what a place may be higher than its figure
HEAD = "# How high each figure is once it lives, by its width: widths and heights by turns. Written by `make rooms`.\n"
Heights = dict[str, list[tuple[int, int]]]  # figure -> (its width, its height), for each window in which it flows

# Everything comes to life, whether it is folded or far.
WAKE = """async () => {
  for (const one of document.querySelectorAll("details:has(figure[data-script])")) one.open = true;
  const { story } = await import(document.querySelector("script[type=module]").src);
  for (const figure of story.figures.values()) await figure.mount();
  await document.fonts.ready;
}"""
# Each figure in a window of this width: its width, its height in the highest of its steps' states, the room that its
# place keeps; none of those whose stage has a height of its own.
HEIGHTS = """async () => {
  const { story } = await import(document.querySelector("script[type=module]").src);
  const { stateAt } = await import(new URL("figures.js", document.querySelector("script[type=module]").src));
  const frame = () => new Promise(requestAnimationFrame);
  const flowing = [...story.figures.values()].filter(
    ({ body, element }) => element.dataset.live === "yes" && getComputedStyle(body).position !== "sticky",
  );
  const steps = new Map(flowing.map(({ id, defaults }) => {
    const own = story.places.filter((place) => place.dataset.figure === id);
    return [id, own.length ? own.map((place) => ({ ...defaults, ...stateAt(place) })) : [defaults]];
  }));
  const found = {};
  await frame(); await frame(); // what is laid out anew for its width
  for (let round = 0; round < Math.max(...[...steps.values()].map((one) => one.length)); round += 1) {
    for (const figure of flowing) {
      const states = steps.get(figure.id);
      figure.show(states[Math.min(round, states.length - 1)], false);
    }
    for (const { id, live, body } of flowing) {
      const height = Math.max(found[id]?.[1] ?? 0, Math.ceil(live.getBoundingClientRect().height));
      found[id] = [body.clientWidth, height, parseFloat(body.style.getPropertyValue("--room"))];
    }
  }
  return found;
}"""


def measured(page: Any, windows: Iterable[int]) -> dict[int, dict[str, list[float]]]:
    """Width of the window -> figure -> its width, its height, the room of its place; all of them live."""
    page.evaluate(WAKE)
    found = {}
    for width in windows:
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = page.evaluate(HEIGHTS)
    return found


def room(heights: Sequence[tuple[int, int]]) -> list[int]:
    """Width from which on, height, by turns: as few as do, each at most a line of words higher than the figure."""
    highest: dict[int, int] = {}
    for width, height in heights:
        highest[width] = max(height, highest.get(width, 0))
    found: list[int] = []
    least = most = 0
    for width, height in sorted(highest.items()):
        if found and max(most, height) - min(least, height) <= SPARE:
            least, most = min(least, height), max(most, height)
            found[-1] = most
        else:
            least = most = height
            found += [width, height]
    return found


def as_toml(rooms: Mapping[str, Sequence[int]]) -> str:
    return HEAD + "".join(f"{name} = {list(one)}\n" for name, one in rooms.items())


def main() -> None:
    from sitegen.build import build

    with tempfile.TemporaryDirectory() as name, launched() as browser:
        build(ROOT, out=Path(name) / "site")
        with served(Path(name) / "site") as address:
            for folder in sorted(path.parent for path in (ROOT / "content").glob("*/chapter.toml")):
                page = browser.new_page()
                page.goto(f"{address}{folder.name.partition('-')[2]}/index.html")
                heights: Heights = {}
                for one in measured(page, [*NARROW, *WIDE]).values():
                    for figure, (width, height, _) in one.items():
                        heights.setdefault(figure, []).append((int(width), int(height)))
                rooms = {figure: room(found) for figure, found in heights.items()}
                (folder / "rooms.toml").write_text(as_toml(rooms), encoding="utf-8")
                page.close()


if __name__ == "__main__":
    main()
