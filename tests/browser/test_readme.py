"""The lesson that README.md shows is a site: its files are taken from the page, baked, built, checked and looked at."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import served

README = Path(__file__).parents[2] / "README.md"

pytestmark = pytest.mark.bake


def files_shown(text: str) -> dict[str, str]:
    """Path -> text of every file: a fence below a line that is only the path, in bold code."""
    fence = r"^\*\*`([^`]+)`\*\*\n+(`{3,})\w*\n(.*?)^\2$"
    return {path: body for path, _, body in re.findall(fence, text, re.MULTILINE | re.DOTALL)}


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lesson")
    for path, text in files_shown(README.read_text("utf-8")).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for command in ("train", "build", "check"):
        program = "from sitegen.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, command], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"sitegen {command} said:\n{done.stdout}{done.stderr}"
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
    assert f">{metrics['loss_first']['value']:.2f}</" in page


def test_its_figure_restores_a_state_from_the_address_and_follows_the_keyboard(
    lesson: Path, lesson_address: str, open_page: Callable[..., Any]
):
    from playwright.sync_api import expect

    losses = baked(lesson)["series"]["loss"]["values"]
    page = open_page("lines/?t=20#a1-s1", at=lesson_address)
    label = page.locator("figure .line-label")

    expect(label).to_have_text(f"loss {losses[20]:.3f}")
    page.locator("figure input[type=range]").press("ArrowRight")
    expect(label).to_have_text(f"loss {losses[21]:.3f}")


def test_without_scripts_its_picture_stands_there(lesson_address: str, open_page: Callable[..., Any]):
    page = open_page("lines/", at=lesson_address, java_script_enabled=False)

    picture = page.get_by_alt_text("The loss falls steeply at first, then levels off.")

    assert picture.is_visible()
