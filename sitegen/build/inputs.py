"""All that a build may read, as one digest: so that one can tell, without building, that nothing changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.build.trees import content

if TYPE_CHECKING:
    from sitegen.errors import ContentError

_FOLDERS = ("content", "models", "templates", "build/runs")
_Signature = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The bytes of all files by one digest, and what the disk says of each: its size, its times and which one it is."""

    digest: bytes
    signatures: tuple[_Signature, ...]


def look(site_dir: Path) -> Inputs | None:
    """None where something cannot be read, or links go round: such a site is always built. Raises ContentError where
    something is no file, as a pipe would be waited for, or has a name that no page could spell."""
    found, signatures = hashlib.sha256(), []
    try:
        for name, path in _files(site_dir):
            signatures.append(_signature(name, path))
            data = content(path) if path else b""
            found.update(f"{name}\0{len(data)}\0".encode() + data)
    except (OSError, RecursionError):
        return None
    return Inputs(found.digest(), tuple(signatures))


def refuse_what_is_no_file(site_dir: Path) -> None:
    """The ContentError of `look`, without reading any file."""
    with contextlib.suppress(OSError, RecursionError):
        for _ in _files(site_dir):
            pass


def stayed(site_dir: Path, inputs: Inputs) -> bool:
    """Whether no file was touched since they were read: what was built meanwhile was built of them."""
    try:
        return tuple(_signature(*one) for one in _files(site_dir)) == inputs.signatures
    except (OSError, RecursionError):
        return False


def _files(site_dir: Path) -> Iterator[tuple[str, str]]:
    """(name, path) of every file below the folders of a site, and of the theme that comes with sitegen."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "theme"
    theme = packaged if packaged.is_dir() else package.parent / "templates"
    for name in _FOLDERS:
        yield from _below(name, str(site_dir / name), skipped=name == "build/runs")
    yield from _below("theme", str(theme))


def _below(name: str, folder: str, *, skipped: bool = False) -> Iterator[tuple[str, str]]:
    """In a fixed order, through links; `skipped` is what begins with a dot: bakes that are under way."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if not _is_text(entry.name):
            raise _no_text(name, entry.name)
        if entry.name == "__pycache__" or (skipped and entry.name.startswith(".")):
            continue
        if entry.is_dir():
            yield f"{name}/{entry.name}/", ""
            yield from _below(f"{name}/{entry.name}", entry.path)
        elif entry.is_file() or entry.is_symlink():  # a link that leads nowhere is told by who follows it
            yield f"{name}/{entry.name}", entry.path
        else:
            raise _no_file(f"{name}/{entry.name}")


def _no_file(name: str) -> ContentError:
    from sitegen.errors import ContentError  # only here: a build of what did not change ends before they are imported
    from sitegen.schema import Location

    at = Location(name)
    return ContentError("this is a pipe, a socket or a device", at=at, hint="a site is made of files: remove it")


def _no_text(folder: str, name: str) -> ContentError:
    from sitegen.errors import ContentError
    from sitegen.schema import Location

    return ContentError(f"the name {name!r} is not UTF-8", at=Location(folder), hint="give the file another name")


def _is_text(name: str) -> bool:
    """Bytes that are none stand in a name as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _signature(name: str, path: str) -> _Signature:
    if not path:  # a folder, which is no more than its name
        return name, 0, 0, 0, 0
    found = os.stat(path)  # noqa: PTH116
    return name, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
