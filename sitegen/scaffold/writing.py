"""New files into folders: all of them or none, each whole, and none in the place of another.

They are written into a hidden folder and then moved, in one step each; who is killed meanwhile leaves only that folder,
and the next who writes there takes it away.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sitegen.disk import way_out
from sitegen.errors import ScaffoldError
from sitegen.processes import is_running
from sitegen.schema import Location

STAGED = ".sitegen-new-"  # then the process that writes it


def write_new(folder: Path, files: Mapping[str, bytes], shown: Path | None = None) -> tuple[str, ...]:
    """Write path within `folder` -> bytes. What was made goes again if anything fails or is stopped.

    `shown` is what errors call the folder; without it their places are paths in it.
    """
    base = _there(folder)
    staged, units = base / f"{STAGED}{os.getpid()}", _units(folder, files)
    made: list[Path] = []
    at = folder
    try:
        _tidy(base)
        staged.mkdir()
        for name, data in files.items():
            at = folder / name
            new = staged / at.relative_to(base)
            new.parent.mkdir(parents=True, exist_ok=True)
            with new.open("xb") as file:
                file.write(data)
        for at, names in units.items():
            _put(staged / at.relative_to(base), at)
            made += [folder / name for name in names]
        shutil.rmtree(staged)
    except BaseException as error:
        _remove(made, units)
        shutil.rmtree(staged, ignore_errors=True)
        if not isinstance(error, OSError):  # Ctrl-C
            raise
        within = at.relative_to(folder) if at.is_relative_to(folder) else Path()
        raise _told(error, shown / within if shown else within) from None
    return tuple(files)


def unwritable(error: OSError, path: Path) -> ScaffoldError:
    """What the system says about a place, in words."""
    refused = isinstance(error, PermissionError) or error.errno in (errno.EROFS, errno.ENOTDIR)
    hint = "choose a folder that you may write to" if refused else way_out(error)
    return ScaffoldError(f"cannot be written: {error.strerror}", at=Location(str(path)), hint=hint)


def _told(error: OSError, path: Path) -> ScaffoldError:
    if isinstance(error, FileExistsError) or error.errno == errno.ENOTEMPTY:
        return ScaffoldError("there is one already, and it stays as it is", at=Location(str(path)))
    return unwritable(error, path)


def _there(folder: Path) -> Path:
    """The nearest folder around that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _units(folder: Path, files: Mapping[str, bytes]) -> dict[Path, list[str]]:
    """What is moved in one step, a file or a folder that is not there yet -> the files that come with it."""
    units: dict[Path, list[str]] = {}
    for name in files:
        top = folder / name
        while not os.path.lexists(top.parent):
            top = top.parent
        units.setdefault(top, []).append(name)
    return units


def _put(staged: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise FileExistsError
    shutil.move(staged, target)  # perhaps to another disk, where a folder of the site is a link


def _remove(made: list[Path], units: Mapping[Path, list[str]]) -> None:
    """Files that were made, and their folders unless someone else wrote into them meanwhile."""
    for path in made:
        with suppress(OSError):
            path.unlink()
    for top in units:
        folders = {parent for path in made for parent in path.parents if parent.is_relative_to(top)}
        for folder in sorted(folders, reverse=True):
            with suppress(OSError):
                folder.rmdir()


def _tidy(base: Path) -> None:
    """Take away what killed ones left."""
    for left in sorted(base.glob(f"{STAGED}*")):
        if not is_running(left.name.removeprefix(STAGED)):
            shutil.rmtree(left, ignore_errors=True)
