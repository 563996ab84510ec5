"""What the system refuses is told by its place in the site, with a way out."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sitegen.disk import named, refused, way_out


def error_of(number: int, path: Path | None = None) -> OSError:
    return OSError(number, os.strerror(number), *([str(path)] if path else []))


def test_a_place_counts_from_the_site_or_else_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    error = error_of(errno.ENOENT, tmp_path / "site" / "content" / "a.md")

    assert str(refused(error, tmp_path / "site")).startswith("content/a.md: No such file or directory\n  hint: look")
    assert str(refused(error)).startswith("site/content/a.md: ")
    assert str(refused(error, tmp_path / "other")).startswith(f"{tmp_path}/site/content/a.md: ")


def test_the_folder_that_bars_the_way_is_what_needs_the_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    closed = tmp_path / "content" / "my part"
    closed.mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed)  # root may do anything

    told = refused(error_of(errno.EACCES, closed / "chapter.toml"), tmp_path)

    assert str(told) == (
        "content/my part: Permission denied\n  hint: give yourself the right to read it, and in build/ to write:"
        " chmod -R u+rwX 'content/my part'"
    )


def test_a_folder_that_cannot_be_written_to_is_told_and_not_the_file_that_was_to_be_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)

    told = refused(error_of(errno.EACCES, tmp_path / "build" / "site"), tmp_path)

    assert told.at is not None
    assert told.at.path == "build"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "make room on that disk"),
        (errno.EROFS, "can only be read"),
        (errno.EACCES, "the right"),
        (errno.ENOTDIR, "move it away"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EIO, "try again"),
    ],
)
def test_each_refusal_has_a_way_out(number: int, words: str):
    assert words in way_out(error_of(number))
    assert words in (refused(error_of(number)).hint or "")


def test_a_refusal_without_a_place_gets_one(tmp_path: Path):
    told = refused(named(error_of(errno.ENOSPC), tmp_path / "build" / "site"), tmp_path)

    assert str(told).startswith("build/site: No space left on device\n  hint: make room")
