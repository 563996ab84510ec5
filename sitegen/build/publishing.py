"""A whole site, in memory, to a folder: swapped in at once, and never over what sitegen did not write."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from sitegen import runs
from sitegen.build.trees import content, folders_of, listed
from sitegen.disk import named
from sitegen.errors import SitegenError
from sitegen.processes import is_running

_NEW, _OLD = ".tmp-new-site-", ".tmp-old-"
_SOURCES = ("content", "models", "templates", "build/runs", ".git")


def refuse_what_is_not_a_site(site_dir: Path, target: Path) -> None:
    """An error where publishing would replace sources, or a folder that holds something else than a published site."""
    home, there = site_dir.resolve(), target.resolve()
    hint = "choose a folder of its own, such as build/site"
    if home.is_relative_to(there):
        raise SitegenError(f"the site cannot be published to {target}, which holds its sources", hint=hint)
    for name in _SOURCES:
        if there.is_relative_to(home / name):
            raise SitegenError(f"the site cannot be published to {target}, which is inside of {name}", hint=hint)
    if there.exists() and not there.is_dir():
        raise SitegenError(f"the site cannot be published to {target}, which is a file", hint=hint)
    held = sorted(entry.name for entry in there.iterdir()) if there.is_dir() else []
    if held and not _is_site(there):
        message = f"{target} holds something else than a published site, and publishing would replace it"
        raise SitegenError(message, hint="empty it yourself, or choose another folder")
    if others := list(filter(_is_of_others, held)):
        message = f"{target} holds {', '.join(others)}, which is no part of a site, and publishing would remove it"
        raise SitegenError(message, hint="publish to another folder, and copy the site from there")


def _is_site(folder: Path) -> bool:
    return any(folder.glob("assets/" + "[0-9a-f]" * 12 + "/site.css"))


def _is_of_others(name: str) -> bool:
    """Whether it is what people put beside a site, such as the history of a branch that a host serves."""
    return name == "CNAME" or (name.startswith(".") and name != ".nojekyll")


def publish(files: Mapping[str, bytes], target: Path, spare: Path | None = None) -> None:
    """Put a whole site where `target` is, or where it leads if it is a link. Whenever this is killed, a whole site can
    be found there or beside it.

    What was there is put aside as `spare`, if one is asked for, and is mended into the next site: files that stay as
    they are are links to the same data, and making and removing many folders is what takes longest on some disks.
    """
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    _tidy(target)
    staged = target.parent / f"{_NEW}{os.getpid()}"
    shutil.rmtree(staged, ignore_errors=True)
    if spare and spare.parent.resolve() != target.parent:
        spare = None
    try:
        if not spare or not _moved(spare, staged):  # in one step, so that of two builds at once one gets it
            staged.mkdir()
        _fill(staged, files, target)
        replaced = runs.swap(staged, target)
    except BaseException as error:
        shutil.rmtree(staged, ignore_errors=True)
        if isinstance(error, OSError):  # of a folder that its reader never sees
            raise named(error, target) from None
        raise
    if replaced and not (spare and _moved(replaced, spare)):
        shutil.rmtree(replaced)


def _moved(folder: Path, to: Path) -> bool:
    try:
        folder.rename(to)
    except OSError:  # it is not there, or something else is
        return False
    return True


def _fill(staged: Path, files: Mapping[str, bytes], old: Path) -> None:
    """Make `staged` hold these files and nothing else. No file is written over: it may be one with a file of `old`."""
    there, folders = listed(staged)
    needed = folders_of(files)
    for path in there - files.keys():
        (staged / path).unlink()
    for path in sorted(folders - needed, reverse=True):
        (staged / path).rmdir()
    for path in sorted(needed - folders):
        (staged / path).mkdir()
    for path, data in sorted(files.items()):
        new = f"{staged}/{path}"
        if path in there:
            if _holds(new, data):
                continue
            Path(new).unlink()
        if not _linked(f"{old}/{path}", new, data):
            Path(new).write_bytes(data)


def _holds(path: str, data: bytes) -> bool:
    """Whether it is a file of just these bytes; a link could lead anywhere."""
    try:
        found = os.lstat(path)
        return stat.S_ISREG(found.st_mode) and found.st_size == len(data) and content(path) == data
    except OSError:
        return False


def _linked(before: str, new: str, data: bytes) -> bool:
    """Whether the file that was published could be taken over. What was taken is looked at, not what was there before:
    another build may replace it at any time."""
    if not _holds(before, data):
        return False
    try:
        os.link(before, new)
    except OSError:  # a disk without such links
        return False
    if _holds(new, data):
        return True
    Path(new).unlink()
    return False


def _tidy(target: Path) -> None:
    """Undo what a killed build left: a site that was only moved aside comes back, half-written ones go."""
    old = target.parent / f"{_OLD}{target.name}"
    if old.exists() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    for left in sorted(target.parent.glob(f"{_NEW}*")):
        if not is_running(left.name.removeprefix(_NEW)):
            shutil.rmtree(left, ignore_errors=True)
