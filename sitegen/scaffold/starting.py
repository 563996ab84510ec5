"""A folder to a site of the author's own: the files of `site/`, which is one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sitegen import __version__
from sitegen.errors import ScaffoldError
from sitegen.scaffold.writing import unwritable, write_new
from sitegen.schema import Location

SITE = Path(__file__).resolve().parent / "site"
_MADE = ("build/site", "build/.", "build/runs/.")  # by commands, where this folder is worked on
_VERSIONED = ("requirements.txt",)


def init(folder: Path) -> tuple[str, ...]:
    """Fill a folder that is new or empty; what is hidden in it (.git, .venv) may stay. Gives the paths written.

    What a killed one left there is completed: content/ comes last, so it is a site only when it is whole.
    """
    files = dict(sorted(_files().items(), key=lambda one: one[0].startswith("content/")))
    try:
        there = _must_be_free(folder, files)
    except OSError as error:
        raise unwritable(error, folder) from None
    write_new(folder, {name: data for name, data in files.items() if _top(name) not in there}, folder)
    return tuple(files)


def _top(name: str) -> str:
    return name.partition("/")[0]


def _files() -> dict[str, bytes]:
    found = {}
    for path in sorted(SITE.rglob("*")):
        name = path.relative_to(SITE).as_posix()
        if not path.is_file() or name.startswith(_MADE) or path.suffix == ".pyc" or ".pytest_cache" in path.parts:
            continue
        found[name] = path.read_bytes()
    for name in _VERSIONED:
        found[name] = found[name].replace(b"{version}", __version__.encode())
    return found


def _must_be_free(folder: Path, files: Mapping[str, bytes]) -> set[str]:
    """What is at the top of it just as it would be written."""
    at = Location(str(folder))
    if os.path.lexists(folder) and not folder.is_dir():
        raise ScaffoldError("is a file, and a site is a folder", at=at, hint="choose a folder that is new or empty")
    whole = folder.resolve()
    for each in (whole, *whole.parents):
        if (each / "content" / "site.toml").is_file():
            if each == whole:
                raise ScaffoldError("is a site already", at=at, hint="sitegen new adds chapters, acts and runs to it")
            hint = f"choose a folder beside it: {each.parent / whole.name}"
            raise ScaffoldError(f"lies inside of another site, {each}", at=at, hint=hint)
    if not folder.is_dir():
        return set()
    wanted = {_top(name) for name in files}
    held = sorted(path.name for path in folder.iterdir())
    same = {name for name in held if name in wanted and _found(folder, name) == _part(files, name)}
    in_the_way = [name for name in held if (not name.startswith(".") or name in wanted) and name not in same]
    if in_the_way:
        shown = ", ".join(in_the_way[:3]) + (" …" if len(in_the_way) > 3 else "")
        raise ScaffoldError(f"is not empty: it has {shown}", at=at, hint="choose a folder that is new or empty")
    return same


def _part(files: Mapping[str, bytes], top: str) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if _top(name) == top}


def _found(folder: Path, top: str) -> dict[str, bytes]:
    """The files that are there at a place, or below it."""
    below = (folder / top).rglob("*") if (folder / top).is_dir() else [folder / top]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in below if path.is_file()}
