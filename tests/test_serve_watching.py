"""What `sitegen serve` sees of the files of a site: every way to save one, and what saves at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sitegen.serve.watching import Watch, differences, look


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for path in (
        "content/site.toml",
        "content/01-a/1.md",
        "models/a/fit.py",
        "templates/css/a.css",
        "build/runs/r/run.json",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("one", "utf-8")
    return tmp_path


class Pauses:
    """Stands for time: what is done in each pause, in turn; then nothing happens any more."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        self._happens: Iterator[Callable[[], object]] = iter(happens)
        self.lengths: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.lengths.append(seconds)
        next(self._happens, lambda: None)()

    def clock(self) -> float:
        return sum(self.lengths)


def seen(site: Path, *happens: Callable[[], object]) -> tuple[str, ...]:
    pauses = Pauses(*happens)
    return Watch(site, pause=pauses, clock=pauses.clock).changes()


def writes(site: Path, path: str, text: str = "two!") -> Callable[[], object]:
    return lambda: (site / path).write_text(text, "utf-8")


def test_every_input_of_a_site_is_looked_at(site: Path):
    assert sorted(look(site)) == [
        "build/runs/r/run.json",
        "content/01-a/1.md",
        "content/site.toml",
        "models/a/fit.py",
        "templates/css/a.css",
    ]


def test_what_is_built_or_belongs_to_editors_is_not(site: Path):
    for path in ("build/site/index.html", "content/01-a/.1.md.swp", "content/.#x", "models/a/__pycache__/fit.pyc"):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text("two", "utf-8")
    (site / "build/runs/.tmp-new-r").mkdir()
    (site / "build/runs/.tmp-new-r/run.json").write_text("two", "utf-8")

    assert len(look(site)) == 5


def test_nothing_saved_is_nothing_changed(site: Path):
    assert seen(site) == ()


def test_a_file_that_is_written_over_is_seen(site: Path):
    assert seen(site, writes(site, "content/01-a/1.md")) == ("content/01-a/1.md",)


def test_a_file_of_the_same_length_is_seen(site: Path):
    then = (site / "content/01-a/1.md").stat().st_mtime_ns

    def save() -> None:
        (site / "content/01-a/1.md").write_text("two", "utf-8")
        os.utime(site / "content/01-a/1.md", ns=(then + 1, then + 1))

    assert seen(site, save) == ("content/01-a/1.md",)


def test_a_file_that_is_renamed_into_place_is_seen_even_with_the_same_time(site: Path):
    path = site / "content/01-a/1.md"
    then = path.stat().st_mtime_ns

    def save() -> None:
        (site / "content/01-a/.1.md.tmp").write_text("two", "utf-8")
        os.utime(site / "content/01-a/.1.md.tmp", ns=(then, then))
        (site / "content/01-a/.1.md.tmp").replace(path)

    assert seen(site, save) == ("content/01-a/1.md",)


def test_files_that_come_and_go_are_seen(site: Path):
    def save() -> None:
        (site / "models/a/fit.py").unlink()
        (site / "templates/new").mkdir()
        (site / "templates/new/b.css").write_text("two", "utf-8")

    assert seen(site, save) == ("models/a/fit.py", "templates/new/b.css")


def test_a_renamed_folder_is_seen_by_all_its_files(site: Path):
    assert seen(site, lambda: (site / "content/01-a").rename(site / "content/01-b")) == (
        "content/01-a/1.md",
        "content/01-b/1.md",
    )


def test_a_file_that_is_deleted_and_written_again_is_one_change(site: Path):
    path = site / "content/01-a/1.md"

    assert seen(site, path.unlink, writes(site, "content/01-a/1.md")) == ("content/01-a/1.md",)


def test_a_burst_of_saves_is_one_change_that_comes_when_it_is_over(site: Path):
    paths = [f"content/01-a/{number}.md" for number in range(9)]
    pauses = Pauses(*(writes(site, path) for path in paths))
    watch = Watch(site, pause=pauses, clock=pauses.clock)

    assert watch.changes() == tuple(paths)
    assert watch.changes() == ()


def test_a_storm_that_does_not_end_is_told_all_the_same(site: Path):
    pauses = Pauses(*(writes(site, "content/01-a/1.md", "x" * number) for number in range(1, 9999)))
    watch = Watch(site, pause=pauses, clock=pauses.clock)

    assert watch.changes() == ("content/01-a/1.md",)
    assert pauses.clock() < 2


def test_what_changes_while_a_build_goes_on_is_seen_after_it(site: Path):
    watch = Watch(site, pause=lambda _: None)
    writes(site, "content/site.toml")()

    assert watch.changes() == ("content/site.toml",)


def test_while_nobody_looks_it_rests_longer(site: Path):
    pauses = Pauses()
    watch = Watch(site, pause=pauses, clock=pauses.clock)

    watch.changes(rest=0.5)

    assert pauses.lengths == [0.5]


def test_a_circle_of_links_ends(site: Path):
    (site / "content/01-a/again").symlink_to(site / "content", target_is_directory=True)
    (site / "content/01-a/nowhere.md").symlink_to(site / "no")

    assert len(look(site)) == 5


def test_folders_that_are_not_there_are_no_error(tmp_path: Path):
    assert look(tmp_path) == {}


def test_differences_are_what_is_new_gone_or_other():
    before = {"same": (1, 1, 1), "gone": (1, 1, 1), "other": (1, 1, 1)}
    after = {"same": (1, 1, 1), "new": (1, 1, 1), "other": (1, 1, 2)}

    assert differences(before, after) == ("gone", "new", "other")
