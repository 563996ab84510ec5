"""build/.unfinished/<run>/state: the last checkpoint of a bake that was not finished, and whether it still fits.

Its first line says what it is, with the sha256 of the rest; the rest is the worker's (`sitegen.bake.keeping`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from sitegen import pins
from sitegen.errors import RunError
from sitegen.runs.files import replace_file
from sitegen.runs.text import canonical, sha256
from sitegen.schema import RecipeInfo, Run

_VERSION = 1
_FILE = "state"
_CHANGED = "its code, settings, data or versions are not those of today"
_DAMAGED = "its file is damaged"


class Unfinished(msgspec.Struct, frozen=True):
    """`fingerprint`: what the bake was made of; `total`: steps in all, if it told; `seconds` that it took up to here;
    `forced`: a fresh run was there when it began."""

    format: int
    fingerprint: str
    step: int
    total: int | None
    seconds: float
    forced: bool
    sha256: str


def unfinished_folder(site_dir: Path, run: str) -> Path:
    return site_dir / "build" / ".unfinished" / run


def fingerprint(
    info: RecipeInfo, digests: Mapping[str, str], needs: Mapping[str, Run], fonts: Mapping[str, str], platform: str
) -> str:
    """The sha256 of all that makes a run stale when it changes. The sums of data files stand in the code."""
    made = {
        "info": {**msgspec.to_builtins(info), "at": None},
        "closure": dict(digests),
        "needs": {name: needs[name].digest for name in info.needs if name in needs},
        "fonts": dict(fonts) if info.pictures else {},
        "pins": [pins.VERSIONS, pins.ENVIRONMENT, pins.THREADS, platform],
    }
    return sha256(canonical(msgspec.to_builtins(made)).encode())


def peek(folder: Path) -> Unfinished | None:
    """What there is to go on with; None where there is nothing, or nothing that can be read."""
    try:
        with (folder / _FILE).open("rb") as file:
            return _head(file.readline())
    except (OSError, RunError):
        return None


def read(folder: Path, expected: str) -> tuple[Unfinished, bytes] | None:
    """The state that was kept; None where there is none. Raises RunError, which says why it cannot be gone on with."""
    try:
        line, _, body = (folder / _FILE).read_bytes().partition(b"\n")
    except OSError:
        return None
    head = _head(line)
    if sha256(body) != head.sha256:
        raise RunError(_DAMAGED)
    if head.fingerprint != expected:
        raise RunError(_CHANGED)
    return head, body


def sealed(made_of: str, step: int, total: int | None, seconds: float, forced: bool, body: bytes) -> bytes:
    """The file of a state."""
    head = Unfinished(_VERSION, made_of, step, total, seconds, forced, sha256(body))
    return msgspec.json.encode(head) + b"\n" + body


def write(folder: Path, content: bytes) -> None:
    """Keep a file in place of the one before, in one step; the disk has it when this comes back."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / _FILE, content)
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def drop(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def standing(site_dir: Path) -> Iterator[tuple[str, Unfinished]]:
    """The runs of which something is kept, and what."""
    base = unfinished_folder(site_dir, "")
    for folder in sorted(base.iterdir()) if base.is_dir() else ():
        if left := peek(folder):
            yield folder.name, left


def tidy(site_dir: Path, names: Iterable[str]) -> None:
    """Drop what belongs to no run of these names."""
    base = unfinished_folder(site_dir, "")
    for left in sorted(base.iterdir()) if base.is_dir() else ():
        if left.name not in set(names):
            drop(left)


def _head(line: bytes) -> Unfinished:
    try:
        head = msgspec.json.decode(line, type=Unfinished)
    except (UnicodeDecodeError, RecursionError, msgspec.MsgspecError):
        raise RunError(_DAMAGED) from None
    if head.format != _VERSION:
        raise RunError(_CHANGED)
    return head
