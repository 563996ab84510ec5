"""A folder to a site of the author's own: the files of `site/`, which is one."""

from __future__ import annotations

import os
from pathlib import Path

from sitegen import __version__
from sitegen.errors import ScaffoldError
from sitegen.scaffold.writing import unwritable, write_new
from sitegen.schema import Location

SITE = Path(__file__).resolve().parent / "site"
_MADE = ("build/site", "build/.", "build/runs/.")  # by commands, where this folder is worked on
_VERSIONED = ("requirements.txt",)


def init(folder: Path) -> tuple[str, ...]:
    """Fill a folder that is new or empty; what is hidden in it (.git, .venv) may stay. Gives the paths written."""
    files = _files()
    try:
        _must_be_free(folder, {name.partition("/")[0] for name in files})
    except OSError as error:
        raise unwritable(error, folder) from None
    return write_new(folder, files)


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


def _must_be_free(folder: Path, wanted: set[str]) -> None:
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
        return
    held = sorted(path.name for path in folder.iterdir())
    in_the_way = [name for name in held if not name.startswith(".") or name in wanted]
    if in_the_way:
        shown = ", ".join(in_the_way[:3]) + (" …" if len(in_the_way) > 3 else "")
        raise ScaffoldError(f"is not empty: it has {shown}", at=at, hint="choose a folder that is new or empty")
