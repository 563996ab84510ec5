"""What is below a folder, and in a file, by their names: where there are thousands, Paths cost more than the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def listed(folder: Path) -> tuple[set[str], set[str]]:
    """(files and links, folders) below a folder, as paths in it."""
    files: set[str] = set()
    folders: set[str] = set()
    waiting = [""]
    while waiting:
        here = waiting.pop()
        with os.scandir(f"{folder}/{here}") as found:
            for entry in found:
                path = here + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.add(path)
                    waiting.append(f"{path}/")
                else:
                    files.add(path)
    return files, folders


def content(path: str) -> bytes:
    """The bytes of a file."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read()


def folders_of(files: Iterable[str]) -> set[str]:
    """The folders in which some files are."""
    return {folder for path in files for folder in _parents(path)}


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
