"""The lesson that `sitegen init` begins, as a reader sees it: its numbers, its figure and its picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sitegen import build, scaffold
from tests.browser.browsing import served


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first") / "lesson"
    scaffold.init(folder)
    build.build(folder)
    return folder


@pytest.fixture(scope="module")
def lesson_address(lesson: Path) -> Iterator[str]:
    with served(lesson / "build" / "site") as address:
        yield address


def baked(lesson: Path) -> dict[str, Any]:
    return json.loads((lesson / "build" / "runs" / "fit-line" / "run.json").read_text("utf-8"))


def test_the_text_shows_the_numbers_of_its_run(lesson: Path):
    metrics = baked(lesson)["metrics"]
    page = (lesson / "build" / "site" / "lines" / "index.html").read_text("utf-8")

    assert f">{metrics['slope']['value']:.3f}</" in page
    assert f">{metrics['error_first']['value']:.2f}</" in page


def test_its_figure_restores_a_state_from_the_address_and_follows_the_keyboard_and_fits_a_phone(
    lesson: Path, lesson_address: str, open_page: Callable[..., Any]
):
    from playwright.sync_api import expect

    errors = baked(lesson)["series"]["error"]["values"]
    page = open_page("lines/?t=20#a1-s1", at=lesson_address, viewport={"width": 360, "height": 740})
    label, line = page.locator("figure .line-label"), page.locator("figure .scatter .line")

    expect(label).to_have_text(f"{errors[20]:.3f}")
    before = line.get_attribute("d")
    slider = page.locator("figure input[type=range]")
    slider.press("ArrowRight")
    expect(label).to_have_text(f"{errors[21]:.3f}")

    assert line.get_attribute("d") != before
    bottom = "(element) => element.getBoundingClientRect().bottom"
    slider_ends, stage_ends = (
        page.locator(f"figure {part}").first.evaluate(bottom) for part in (".scrub", ".figure-body")
    )
    assert slider_ends <= stage_ends


def test_without_scripts_its_picture_stands_there(lesson_address: str, open_page: Callable[..., Any]):
    page = open_page("lines/", at=lesson_address, java_script_enabled=False)

    picture = page.get_by_alt_text("The line turns from flat to steep until it lies along the points, while the error")

    assert picture.first.is_visible()
