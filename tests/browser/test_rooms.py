"""A figure's place has the height of the living figure before it lives, so nothing moves when it does."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.browser.browsing import scroll_through
from tests.browser.living import ROOT, Open
from tests.browser.rooms import SPARE, as_toml, measured, room

FOLDERS = sorted(path.parent for path in (ROOT / "content").glob("*/chapter.toml"))
WINDOWS = (390, 768, 1280)
# All shifts of the page, as Chromium counts them.
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value; })
  .observe({ type: "layout-shift", buffered: true });"""
PLACES = """() => Object.fromEntries([...document.querySelectorAll("figure[data-room]")]
  .map((figure) => [figure.id, figure.querySelector(".figure-body").getBoundingClientRect().height])
  .filter(([, height]) => height))"""  # what is folded has none

# What stands beside its steps and is higher than the window, with its caption.
CUT = """() => [...document.querySelectorAll(".scene > .figure")]
  .filter((figure) => figure.offsetHeight > innerHeight).map(({ id }) => id)"""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_figure_moves_the_page_when_it_comes_to_life(open_page: Open, folder: Any):
    page = open_page("404.html", viewport={"width": 390, "height": 844})
    page.add_init_script(SHIFTS)
    page.goto(f"{open_page.address}{folder.name.partition('-')[2]}/index.html")
    before = page.evaluate(PLACES)

    scroll_through(page)  # faster than anybody reads: all come to life while they are seen
    assert len(before) > 15
    places = "(ids) => ids.map((id) => document.querySelector(`#${id} .figure-body`).getBoundingClientRect().height)"
    assert page.evaluate(places, list(before)) == pytest.approx(list(before.values()), abs=1)
    assert page.evaluate("shifts") < 0.02

    kept = tomllib.loads((folder / "rooms.toml").read_text("utf-8"))
    found = measured(page, WINDOWS)
    assert found[1280].keys() == kept.keys(), "make rooms"
    for width, figures in found.items():
        for figure, (_, height, room_kept) in figures.items():
            assert height - 2 <= room_kept <= height + 2 * SPARE, f"{figure} at {width}: make rooms"

    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(CUT) == []


def test_a_room_has_few_steps_and_is_never_lower_than_its_figure():
    assert room([(280, 400), (300, 410), (320, 500), (340, 505), (360, 300)]) == [280, 410, 320, 505, 360, 300]


def test_where_two_windows_give_a_figure_one_width_its_room_is_that_of_the_higher():
    assert room([(520, 455), (520, 472), (536, 455)]) == [520, 472]


def test_what_is_written_is_what_the_build_reads():
    assert tomllib.loads(as_toml({"replay": [280, 443, 320, 425]})) == {"replay": [280, 443, 320, 425]}
