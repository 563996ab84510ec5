"""A data file by its sha256: from the places where it may lie, the cache, or the network."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from sitegen import pins
from sitegen.errors import DataError


def find(name: str, *, sha256: str, url: str | None, also: Sequence[Path]) -> Path:
    """The path of the file whose content has this sha256; raises DataError naming all places that were tried."""
    cached = pins.cache_folder(os.environ) / sha256[:12] / name
    wrong: list[str] = []
    tried: list[Path] = []
    for place in [*_given(), *also, cached]:
        path = place / name if place.is_dir() else place
        if path in tried:
            continue
        tried.append(path)
        if not path.is_file():
            continue
        found = _sha256(path)
        if found == sha256:
            return path
        if path.name == name:
            wrong.append(f"{path} has sha256 {found}")
    if wrong:
        message = f"data file {name!r} is not the right one: its sha256 is {sha256}, but {'; '.join(wrong)}"
        raise DataError(message, hint="put the right file there, or take the wrong one away")
    if url is None:
        message = f"data file {name!r} (sha256 {sha256}) is missing"
        raise DataError(message, hint=_where(name, cached, also))
    return _download(url, cached, sha256, also)


def _given() -> list[Path]:
    given = os.environ.get("SITEGEN_DATA")
    return [Path(part) for part in given.split(os.pathsep) if part] if given else []


def _download(url: str, target: Path, sha256: str, also: Sequence[Path]) -> Path:
    """Fetch into a file of another name, which gets the right one only when its sha256 is right."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=".download-", dir=target.parent)
    path = Path(temporary)
    digest = hashlib.sha256()
    try:
        with os.fdopen(descriptor, "wb") as file, urllib.request.urlopen(url, timeout=60) as answer:
            while block := answer.read(1 << 20):
                digest.update(block)
                file.write(block)
        if digest.hexdigest() != sha256:
            message = f"{url} gave a file with sha256 {digest.hexdigest()}, not {sha256}"
            raise DataError(message, hint=_where(target.name, target, also))
        path.replace(target)
    except (OSError, ValueError) as error:
        message = f"data file {target.name!r} (sha256 {sha256}) is missing, and {url} cannot be fetched: {error}"
        raise DataError(message, hint=_where(target.name, target, also)) from None
    finally:
        path.unlink(missing_ok=True)
    return target


def _where(name: str, cached: Path, also: Sequence[Path]) -> str:
    places = [f"set SITEGEN_DATA to a folder that holds {name}", *(f"put it at {place}" for place in also)]
    return f"{', or '.join(places)}, or put it at {cached}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
