"""What computes a site, as one digest, and where it may keep what it found out: another program finds nothing there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sitegen import pins

_MOST = 128  # files that are kept
# What texts pass through on their way to a page: module -> its distribution.
_PACKAGES = {
    "jinja2": "jinja2",
    "markdown_it": "markdown_it_py",
    "markupsafe": "markupsafe",
    "math_core": "math_core",
    "mdit_py_plugins": "mdit_py_plugins",
    "msgspec": "msgspec",
    "pygments": "pygments",
    "rcssmin": "rcssmin",
    "rjsmin": "rjsmin",
}


@cache  # what runs was read when it was started
def digest() -> bytes:
    """Of the sources of sitegen, Python, and the packages that texts pass through."""
    found = hashlib.sha256(sys.version.encode())
    package = Path(__file__).resolve().parents[1]
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    for name, distribution in _PACKAGES.items():
        spec = find_spec(name)
        if spec and spec.origin:
            home = Path(spec.origin).parent
            home = home.parent if home.name == name else home
            versions = (one.name for one in home.iterdir() if one.name.lower().startswith(f"{distribution}-"))
            found.update("\0".join(sorted(versions)).encode() + b"\0")
    return found.digest()


def kept(name: str) -> bytes | None:
    """What this very program kept by this name; nothing, if another one wrote it or it came to harm."""
    try:
        content = (_folder() / name).read_bytes()
    except OSError:
        return None
    seal, body = content[:64], content[64:]
    return body if seal == _seal(body) else None


def keep(name: str, body: bytes) -> None:
    """Keep it for the next time. Where nothing can be written, nothing is."""
    path = _folder() / name
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_seal(body) + body)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        _forget_the_oldest(path.parent)


def name_of(folder: Path) -> str:
    """What a folder's files are called where they are kept."""
    return hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]


def _seal(body: bytes) -> bytes:
    return digest() + hashlib.sha256(body).digest()


def _folder() -> Path:
    return pins.cache_folder(os.environ) / "memory"


def _forget_the_oldest(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in files[:-_MOST]:
        path.unlink(missing_ok=True)
