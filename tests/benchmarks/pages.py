"""How chapter one loads and answers in Chromium with a processor four times slower, beside two peers' pages of the same
prose: mkdocs-material with the baked pictures, and a plain page whose figures plotly draws from the same runs."""

from __future__ import annotations

import html
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from prose import plain_prose
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
SLOWER = 4  # times
ROUNDS = 3
SITE, MATERIAL, PLOTLY = "attention-and-transformers", "mkdocs-material", "plotly"
LIMITS = {"lcp": 1000.0, "cls": 0.02, "task": 50.0, "reading": 50.0, "interaction": 100.0}  # of our own page

WATCH = """(() => {
  window.seen = { lcp: 0, cls: 0, tasks: [], events: [] };
  const watch = (type, each, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more });
  watch("largest-contentful-paint", (one) => { seen.lcp = one.startTime; });
  // the worst session of shifts: less than a second apart, at most five seconds long
  let session = { value: 0, first: 0, last: 0 };
  watch("layout-shift", (one) => {
    if (one.hadRecentInput) return;
    const goes = session.value && one.startTime - session.last < 1000 && one.startTime - session.first < 5000;
    if (!goes) session = { value: 0, first: one.startTime, last: 0 };
    session.value += one.value;
    session.last = one.startTime;
    seen.cls = Math.max(seen.cls, session.value);
  });
  watch("longtask", (one) => seen.tasks.push([one.startTime, one.duration]));
  watch("event", (one) => { if (one.interactionId) seen.events.push(one.duration); }, { durationThreshold: 16 });
})()"""
SCROLL = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((resolve) => setTimeout(resolve, 400)); // nobody reads faster
    await frame();
  }
}"""


@dataclass(frozen=True)
class Loaded:
    """One page, medians of several loads: milliseconds, but for cls; a task under 50, an event under 16 count as 0."""

    name: str
    lcp: float
    cls: float
    task: float  # the longest while it loads
    reading: float  # the longest while it is scrolled through
    interaction: float  # of a hundred, the 95th slowest
    requests: float
    kilobytes: float


def text_of(folder: Path, figure: Callable[[dict[str, Any]], str]) -> str:
    """A chapter's acts and sections as plain Markdown, each figure block as `figure` writes it."""
    parts = []
    for path in sorted(folder.glob("*.md")):
        kept: list[str] = []

        def lift(block: re.Match[str], kept: list[str] = kept) -> str:
            found = dict(re.findall(r'^(run|still|alt|caption) = "(.*)"$', block[1], re.MULTILINE))
            kept.append(figure(found))
            return f"\n\nFIGURE-{len(kept) - 1}-HERE\n\n"

        text = re.sub(r"^```\{figure\} \S+\n(.*?)^```\n", lift, path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        text = plain_prose(text)
        for number, one in enumerate(kept):
            text = text.replace(f"FIGURE-{number}-HERE", one)
        parts.append(text)
    return "\n\n".join(parts)


def write_material(folder: Path, chapter: Path) -> Path:
    """One page by mkdocs-material, its own defaults but for the fonts, which it would fetch from elsewhere."""
    docs = folder / "docs"
    docs.mkdir(parents=True)

    def still(block: dict[str, Any]) -> str:
        source = ROOT / "build/runs" / block.get("run", "") / f"{block.get('still', '')}.png"
        if not source.is_file():
            return ""
        name = f"{block['run']}-{block['still']}.png"
        (docs / name).write_bytes(source.read_bytes())
        return f"![{block.get('alt', '')}]({name})\n\n*{block.get('caption', '')}*"

    (docs / "index.md").write_text(text_of(chapter, still), encoding="utf-8")
    settings = "site_name: The same prose\ntheme:\n  name: material\n  font: false\n"
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=folder, check=True, capture_output=True)
    return folder / "site"


def write_plotly(folder: Path, chapter: Path) -> Path:
    """One page whose figures plotly draws from the same runs: a curve, or a map with a slider over its checkpoints."""
    import plotly.graph_objects as graph
    import plotly.io
    from markdown_it import MarkdownIt

    drawn: list[str] = []

    def figure(block: dict[str, Any]) -> str:
        path = ROOT / "build/runs" / block.get("run", "") / "run.json"
        one = _plotted(graph, json.loads(path.read_text("utf-8"))) if path.is_file() else None
        if one is None:
            return ""
        drawn.append(plotly.io.to_html(one, full_html=False, include_plotlyjs=False))
        return f"PLOT-{len(drawn) - 1}-HERE\n\n*{block.get('caption', '')}*"

    body = MarkdownIt().render(text_of(chapter, figure))
    for number, plot in enumerate(drawn):
        body = body.replace(f"PLOT-{number}-HERE", plot)
    folder.mkdir(parents=True)
    (folder / "plotly.min.js").write_text(plotly.offline.get_plotlyjs(), encoding="utf-8")
    style = "body { max-width: 44rem; margin: auto; font: 18px/1.6 serif; } img { max-width: 100%; }"
    head = f'<meta charset="utf-8"><title>{html.escape("The same prose")}</title><style>{style}</style>'
    head += '<script src="plotly.min.js"></script>'
    page = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder


def _plotted(graph: Any, run: dict[str, Any]) -> Any:
    """The first map over checkpoints of a run, else its first curve."""
    for series in run["series"].values():
        axes, shape = series["axes"], series["shape"]
        if axes[0] == "checkpoint" and len(axes) >= 3 and shape[-1] * shape[-2] <= 3000:
            size = shape[-1] * shape[-2]
            whole = len(series["values"]) // shape[0]
            maps = [series["values"][start : start + size] for start in range(0, len(series["values"]), whole)]
            rows = [[flat[row : row + shape[-1]] for row in range(0, size, shape[-1])] for flat in maps]
            steps = [{"method": "restyle", "args": ["z", [one]], "label": str(n)} for n, one in enumerate(rows)]
            return graph.Figure(graph.Heatmap(z=rows[-1]), {"sliders": [{"steps": steps}]})
    for series in run["series"].values():
        count = series["shape"][-1]
        if count > 3 and series["coordinates"].get(series["axes"][-1]):
            return graph.Figure(graph.Scatter(x=series["coordinates"][series["axes"][-1]], y=series["values"][:count]))
    return None


def chapter_at(site: Path) -> Iterator[tuple[str, Path, str, str]]:
    """Name, folder to serve, path of the page, and what of it is moved by keys or pressed."""
    folder = ROOT / "content" / "11-attention-and-transformers"
    yield SITE, site, f"{SITE}/index.html", "#replay input[type=range]"
    if find_spec("material"):
        yield MATERIAL, write_material(site.parent / "material", folder), "index.html", "input.md-search__input"
    if find_spec("plotly"):
        yield PLOTLY, write_plotly(site.parent / "plotly", folder), "index.html", ".slider-rail-touch-rect"


def measure() -> list[Loaded]:
    import playwright.sync_api as playwright

    from sitegen.build import build
    from tests.browser.browsing import FLAGS, chromium, served

    if not chromium():
        return []
    found = []
    with tempfile.TemporaryDirectory() as name, playwright.sync_playwright() as running:
        site = Path(name) / "site"
        build(ROOT, out=site)
        browser = running.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        for title, folder, path, control in chapter_at(site):
            with served(folder) as address:
                loads = [_load(browser, address + path, control) for _ in range(ROUNDS)]
            found.append(Loaded(title, *(statistics.median(values) for values in zip(*loads, strict=True))))
        browser.close()
    return found


def _load(browser: Any, url: str, control: str) -> tuple[float, ...]:
    """lcp, cls, longest task while loading, while reading, interactions' 95th percentile, requests, kilobytes."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(WATCH)
    cdp = context.new_cdp_session(page)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    cdp.send("Network.enable")
    received = [0.0]
    cdp.on("Network.loadingFinished", lambda one: received.append(one["encodedDataLength"]))
    page.goto(url)
    page.wait_for_timeout(1500)
    loaded = page.evaluate("seen")
    requests, kilobytes = len(received) - 1, sum(received) / 1000
    page.evaluate(SCROLL)
    read = page.evaluate("seen")
    page.evaluate("seen.events.length = 0")
    moved = page.locator(control).first
    moved.evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
    page.wait_for_timeout(800)
    if "input" in control:  # a slider that is moved, a field that is typed into
        moved.focus()
        for key in ["ArrowLeft"] * 10 + ["ArrowRight"] * 10 if "range" in control else "queries, keys, value":
            page.keyboard.press(key)
            page.wait_for_timeout(60)
    else:
        box = moved.bounding_box()
        for part in range(1, 21):
            page.mouse.click(box["x"] + box["width"] * part / 21, box["y"] + box["height"] / 2)
            page.wait_for_timeout(60)
    page.wait_for_timeout(500)
    events = sorted(page.evaluate("seen.events"))
    slow = events[min(len(events) - 1, int(len(events) * 0.95))] if events else 0.0
    context.close()
    longest = max((duration for _, duration in loaded["tasks"]), default=0.0)
    reading = max((duration for _, duration in read["tasks"][len(loaded["tasks"]) :]), default=0.0)
    return loaded["lcp"], read["cls"], longest, reading, slow, requests, kilobytes


def report(found: list[Loaded]) -> None:
    title = f"chapter one in Chromium, its processor {SLOWER} times slower"
    columns = ("page", "LCP ms", "CLS", "longest task ms", "… reading", "interaction p95 ms", "requests", "kB")
    table = Table(*columns, title=title)
    for one in found:
        judged = [
            f"{value:.{digits}f}" + (f" {'holds' if value <= LIMITS[name] else 'PASSED'}" if one.name == SITE else "")
            for name, value, digits in (
                ("lcp", one.lcp, 0),
                ("cls", one.cls, 3),
                ("task", one.task, 0),
                ("reading", one.reading, 0),
                ("interaction", one.interaction, 0),
            )
        ]
        table.add_row(one.name, *judged, f"{one.requests:.0f}", f"{one.kilobytes:.0f}")
    Console(width=140).print(table if found else "no page measured: no Chromium")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    report(measure())
