"""What one movement of a figure's control costs in Chromium: the redraw and the layout after it, for every slider."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 8.0  # milliseconds, of the slowest position of a figure's sliders
POSITIONS, ROUNDS = 24, 5

# Mounts a second copy of the page's figure whose controls redraw at once, and moves each of its sliders through.
# Each position counts with the best of several rounds: its own cost, not the machine's.
MOVE = """async ({ id, positions, rounds }) => {
  const figure = document.getElementById(id);
  const { script, run, weights, options, state, alt } = figure.dataset;
  const at = (path) => new URL(path, document.baseURI).href;
  const { mount } = await import(at(script));
  const root = figure.querySelector(".figure-live").cloneNode(false);
  root.hidden = false;
  figure.querySelector(".figure-body").prepend(root);
  let now = JSON.parse(state);
  let mounted = null;
  const changed = (change) => { now = { ...now, ...change }; mounted?.show(now); };
  const data = {
    run: run ? await (await fetch(at(run))).json() : null,
    options: JSON.parse(options), alt, base: at(run ?? script), weights: weights ? at(weights) : null,
  };
  mounted = await mount(root, data, changed);
  mounted.show(now);
  const costs = [];
  for (const slider of root.querySelectorAll("input[type=range]:not(:disabled)")) {
    const [low, high] = [Number(slider.min), Number(slider.max)];
    const count = Math.min(positions, Math.floor((high - low) / (Number(slider.step) || 1)) + 1);
    for (let k = 0; k < count; k += 1) {
      let best = Infinity;
      for (let round = 0; round < rounds; round += 1) {
        slider.value = String(low);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        slider.value = String(low + ((high - low) * (k + 1)) / count);
        const start = performance.now();
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        root.getBoundingClientRect();
        best = Math.min(best, performance.now() - start);
      }
      costs.push(best);
    }
  }
  mounted.destroy?.();
  root.remove();
  return costs;
}"""


@dataclass(frozen=True)
class Redraw:
    """One figure: milliseconds of a redraw at each position of its sliders; none where it has no slider."""

    figure: str
    costs: tuple[float, ...]


def measure() -> list[Redraw]:
    import playwright.sync_api as playwright

    from sitegen.build import build
    from tests.browser.browsing import FLAGS, chromium, served

    if not chromium():
        return []
    with tempfile.TemporaryDirectory() as name, playwright.sync_playwright() as running:
        folder = Path(name)
        build(ROOT, out=folder / "site")
        with served(folder / "site") as address:
            browser = running.chromium.launch(executable_path=chromium(), args=list(FLAGS))
            found = [_one(browser, address, page.parent.name) for page in sorted(folder.glob("site/figures/*/*.html"))]
            browser.close()
    return found


def _one(browser: Any, address: str, figure: str) -> Redraw:
    page = browser.new_page()
    page.goto(f"{address}figures/{figure}/index.html")
    costs: list[float] = []
    if page.locator(f"#{figure}[data-script]").count():
        page.wait_for_selector(f"#{figure}[data-live=yes]", timeout=30_000)
        costs = page.evaluate(MOVE, {"id": figure, "positions": POSITIONS, "rounds": ROUNDS})
    page.close()
    return Redraw(figure, tuple(costs))


def report(found: list[Redraw]) -> None:
    table = Table("figure", "positions", "typical ms", "slowest ms", title="a slider's redraw in Chromium")
    for one in (redraw for redraw in found if redraw.costs):
        costs = sorted(one.costs)
        slowest = f"{costs[-1]:.1f} of {LIMIT:.0f} {'holds' if costs[-1] <= LIMIT else 'PASSED'}"
        table.add_row(one.figure, str(len(costs)), f"{costs[len(costs) // 2]:.1f}", slowest)
    Console().print(table if found else "no redraw measured: no Chromium")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    report(measure())
