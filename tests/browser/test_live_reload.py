"""A page that is open while its site is written: it follows each save, and stays where it was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from minimal_site import copied, write_run

from sitegen.serve import serving

ROOT = Path(__file__).parents[2]

ACT = "content/01-straight-lines/01-the-slope.md"
TOKENS = "templates/css/tokens.css"
FIT = "models/lines/fit.py"
FIGURE = "the-slope-s1"
# Where the page is and how it is set, to be compared before and after.
HERE = """async (figure) => {
  const { story } = await import(document.querySelector("script[type=module]").src);
  const { top } = story.place.getBoundingClientRect();
  const open = [...document.querySelectorAll("main details")].map((one) => one.open);
  return { place: story.place.id, top: Math.round(top), open, state: story.state(figure), query: location.search };
}"""
OVERLAY = "sitegen-live section[role=alert]"
NOTE = "sitegen-live section[role=status]"


def edit(site: Path, old: str, new: str, path: str = ACT) -> None:
    """As editors do it that cannot lose a file: written beside, then renamed."""
    text = (site / path).read_text("utf-8")
    assert old in text
    (site / f"{path}~").write_text(text.replace(old, new), "utf-8")
    (site / f"{path}~").replace(site / path)


@contextmanager
def written(site: Path) -> Iterator[str]:
    """The address of a site that is served and followed."""
    ended = threading.Event()
    with serving(site, prefix="/repo/", report=lambda _: None) as workshop:
        workshop.build(())
        follower = threading.Thread(target=lambda: [workshop.follow() for _ in iter(ended.is_set, True)])
        follower.start()
        try:
            yield workshop.address
        finally:
            ended.set()
            follower.join()


def test_a_page_follows_what_is_saved_and_stays_where_it_was(
    tmp_path: Path, open_page: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    site = copied(tmp_path)
    monkeypatch.setattr("sitegen.train.train", lambda *_, **__: write_run(site))  # a bake in no time
    lines = "\n\n".join(f"Line {number}." for number in range(40))
    edit(site, "Three points, one number.", lines)
    edit(site, "From lines to curves.", lines)
    (site / TOKENS).parent.mkdir(parents=True)
    (site / TOKENS).write_text((ROOT / TOKENS).read_text("utf-8"), "utf-8")
    with written(site) as address:
        # by a name that only the server knows for one of this machine, not the page
        page = open_page("straight-lines/", at=address.replace("127.0.0.1", "lesson.localhost"))
        page.set_default_timeout(120_000)  # each wait is for a build, too
        nothing_of_it_is_kept_for_reading_without_a_network(page)
        it_stays_where_it_was(page, site)
        mistakes_stand_over_the_last_good_page(page, site)
        a_style_sheet_is_taken(page, site)
        a_figure_that_cannot_start_is_told(page, site)
        a_stale_run_is_baked_by_a_key(page, site)
        page.close()  # before the server, which it would miss


def nothing_of_it_is_kept_for_reading_without_a_network(page: Any) -> None:
    assert page.evaluate(
        """async () => {
          const entry = document.querySelector("script[type=module]").src;
          const { keepForOffline } = await import(new URL("offline.js", entry));
          await keepForOffline(null);
          return [await navigator.serviceWorker.getRegistrations(), await caches.keys()];
        }"""
    ) == [[], []]


def it_stays_where_it_was(page: Any, site: Path) -> None:
    page.evaluate(
        """async (figure) => {
          const { story } = await import(document.querySelector("script[type=module]").src);
          const frame = () => new Promise(requestAnimationFrame);
          document.querySelector("main details").open = true;
          document.querySelector("#a1-s2").scrollIntoView({ block: "center", behavior: "instant" });
          while (story.place?.id !== "a1-s2") await frame();
          scrollBy({ top: 37, behavior: "instant" });
          await frame();
          story.change(figure, { t: 2 });
        }""",
        FIGURE,
    )
    page.wait_for_function("() => location.search === '?t=2'")
    before = page.evaluate(HERE, FIGURE)
    assert (before["place"], before["open"][0], before["state"]["t"]) == ("a1-s2", True, 2)
    page.evaluate("window.before = true")

    edit(site, "Line 7.", "Line 7, and much more.\n\n" * 20)

    page.wait_for_function("() => !window.before && document.readyState === 'complete'")
    assert page.get_by_text("Line 7, and much more.").count() == 40
    page.wait_for_function(
        """(top) => location.search === "?t=2"
          && Math.abs(document.querySelector("#a1-s2").getBoundingClientRect().top - top) < 1""",
        arg=before["top"],
    )
    assert page.evaluate(HERE, FIGURE) == before
    assert page.locator(OVERLAY).is_hidden()


def a_figure_that_cannot_start_is_told(page: Any, site: Path) -> None:
    script = "templates/figures/trace/figure.js"
    before = (site / script).read_text("utf-8")
    page.evaluate("window.before = true")

    (site / script).write_text("export function mount() { gone(); }\n", "utf-8")

    page.wait_for_function("() => !window.before && document.readyState === 'complete'")
    page.evaluate("figure => document.getElementById(figure).scrollIntoView()", FIGURE)
    page.wait_for_selector(f"{OVERLAY} code")
    told = page.locator(OVERLAY).inner_text()
    assert script in told
    assert f"figure {FIGURE} could not start: ReferenceError: gone is not defined" in told
    (complaint,) = page.complaints
    assert complaint.startswith(f"warning: figure {FIGURE}:"), "what a page says in its console is said there still"
    page.complaints.clear()
    page.evaluate("window.before = true")
    (site / script).write_text(before, "utf-8")
    page.wait_for_function("() => !window.before && document.readyState === 'complete'")
    assert page.locator(OVERLAY).is_hidden()


def mistakes_stand_over_the_last_good_page(page: Any, site: Path) -> None:
    page.evaluate("window.before = true")
    number = (site / ACT).read_text("utf-8").split("line-fit.metrics.slope")[0].count("\n") + 1

    edit(site, "line-fit.metrics.slope", "line-fit.metrics.slop")

    page.wait_for_selector(f"{OVERLAY} code")
    told = page.locator(OVERLAY).inner_text()
    assert f"{ACT}:{number}" in told
    assert "run 'line-fit' has no metric 'slop'" in told
    assert "did you mean 'slope'?" in told
    page.keyboard.press("Escape")
    assert page.locator(OVERLAY).is_hidden()

    edit(site, "line-fit.metrics.slop:", "line-fit.metrics.slo:")
    page.wait_for_selector(f"{OVERLAY} code")  # another mistake shows again
    edit(site, "line-fit.metrics.slo:", "line-fit.metrics.slope:")
    page.wait_for_selector(OVERLAY, state="hidden")
    assert page.evaluate("window.before"), "a page that is as it was is not loaded anew"


def a_style_sheet_is_taken(page: Any, site: Path) -> None:
    edit(site, "--paper: #fcfbf8", "--paper: #123456", TOKENS)

    page.wait_for_function("() => getComputedStyle(document.body).backgroundColor === 'rgb(18, 52, 86)'")


def a_stale_run_is_baked_by_a_key(page: Any, site: Path) -> None:
    edit(site, "weights = [0.0]", "weights = [0.0 + 0]", FIT)

    page.wait_for_selector(NOTE)
    assert page.locator(NOTE).inner_text().startswith("line-fit: stale, press r to rebake")
    page.keyboard.press("r")
    page.wait_for_selector(NOTE, state="hidden")
