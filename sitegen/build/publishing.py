"""A whole site, in memory, to a folder: swapped in at once, and never over what sitegen did not write."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from sitegen import runs
from sitegen.errors import SitegenError

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
    if there.is_dir() and any(there.iterdir()) and not _is_site(there):
        message = f"{target} holds something else than a published site, and publishing would replace it"
        raise SitegenError(message, hint="empty it yourself, or choose another folder")


def _is_site(folder: Path) -> bool:
    return any(folder.glob("assets/" + "[0-9a-f]" * 12 + "/site.css"))


def publish(files: Mapping[str, bytes], target: Path) -> None:
    """Put a whole site where `target` is, or where it leads if it is a link. Whenever this is killed, a whole site can
    be found there or beside it."""
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    _tidy(target)
    staged = target.parent / f"{_NEW}{os.getpid()}"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    for folder in sorted({(staged / path).parent for path in files}):
        folder.mkdir(parents=True, exist_ok=True)
    for path, data in sorted(files.items()):
        (staged / path).write_bytes(data)
    runs.publish(staged, target)


def _tidy(target: Path) -> None:
    """Undo what a killed build left: a site that was only moved aside comes back, half-written ones go."""
    old = target.parent / f"{_OLD}{target.name}"
    if old.exists() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    for left in sorted(target.parent.glob(f"{_NEW}*")):
        if not _is_running(left.name.removeprefix(_NEW)):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(pid: str) -> bool:
    if not pid.isdigit() or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
