"""What computes a site, as one digest, and where it may keep what it found out: another program finds nothing there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sitegen import pins
from sitegen.build.trees import content, listed

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
    "tinycss2": "tinycss2",
    "tree_sitter_javascript": "tree_sitter_javascript",
}


@cache  # what runs was read when it was started
def digest() -> bytes:
    """Of the sources of sitegen, Python, and the packages that texts pass through."""
    found = hashlib.sha256(sys.version.encode())
    package = Path(__file__).resolve().parents[1]
    for path in sorted(path for path in listed(package)[0] if path.endswith(".py")):
        source = content(f"{package}/{path}")
        found.update(f"{path}\0{len(source)}\0".encode() + source)
    homes: dict[Path, list[str]] = {}  # a folder of packages -> what is in it
    for name, distribution in _PACKAGES.items():
        spec = find_spec(name)
        if spec and spec.origin:
            home = Path(spec.origin).parent
            home = home.parent if home.name == name else home
            if home not in homes:
                homes[home] = os.listdir(home)  # noqa: PTH208
            versions = (one for one in homes[home] if one.lower().startswith(f"{distribution}-"))
            found.update("\0".join(sorted(versions)).encode() + b"\0")
    return found.digest()


def kept(name: str, kind: str = "memory") -> memoryview | None:
    """What this very program kept by this name; nothing, if another one wrote it or it came to harm."""
    try:
        found = memoryview((_folder(kind) / name).read_bytes())
    except OSError:
        return None
    seal, body = found[:64], found[64:]
    return body if seal == _seal(body) else None


def keep(name: str, body: bytes, kind: str = "memory") -> None:
    """Keep it for the next time. Where nothing can be written, nothing is."""
    path = _folder(kind) / name
    temporary = path.with_name(f".new-{name}-{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with temporary.open("wb") as file:
                file.writelines((_seal(body), body))
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        _forget_the_oldest(path.parent)


def name_of(folder: Path) -> str:
    """What a folder's files are called where they are kept."""
    return hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]


def _seal(body: bytes | memoryview) -> bytes:
    return digest() + hashlib.sha256(body).digest()


def _folder(kind: str) -> Path:
    return pins.cache_folder(os.environ) / kind


def _forget_the_oldest(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in files[:-_MOST]:
        path.unlink(missing_ok=True)
