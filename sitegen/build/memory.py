"""A site's memory on disk, from one build to the next: bound to this very program, and worth nothing to any other."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import msgspec

from sitegen import pins
from sitegen.remembered import Entry, Memory

_MOST = 64  # sites that are remembered
_DIGEST = 32
_PACKAGES = ("msgspec", "pygments", "rcssmin", "rjsmin")  # what marked functions pass their texts through
_Kept = msgspec.msgpack.Decoder(dict[bytes, Entry])


def read(site_dir: Path) -> Memory:
    """What the last build of this site remembered; nothing, if another program wrote it or it came to harm."""
    try:
        content = _file(site_dir).read_bytes()
    except OSError:
        return Memory()
    head, body = content[: 2 * _DIGEST], content[2 * _DIGEST :]
    if head != _program() + hashlib.sha256(body).digest():
        return Memory()
    return Memory(known=_Kept.decode(body))


def write(site_dir: Path, memory: Memory) -> None:
    """Keep what this build used, if it is not what was kept already. Where nothing can be written, nothing is."""
    if memory.used == memory.known:
        return
    path = _file(site_dir)
    body = msgspec.msgpack.encode(dict(sorted(memory.used.items())))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_program() + hashlib.sha256(body).digest() + body)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        _forget_the_oldest(path.parent)


def _file(site_dir: Path) -> Path:
    name = hashlib.sha256(os.fsencode(site_dir.resolve())).hexdigest()[:16]
    return pins.cache_folder(os.environ) / "memory" / name


def _program() -> bytes:
    """The digest of what computes: the sources of sitegen, Python, and the packages that texts pass through."""
    digest = hashlib.sha256(sys.version.encode())
    package = Path(__file__).resolve().parents[1]
    for path in sorted(package.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec and spec.origin:
            home = Path(spec.origin).parent
            home = home.parent if home.name == name else home
            digest.update("\0".join(sorted(one.name for one in home.glob(f"{name}-*.dist-info"))).encode())
    return digest.digest()


def _forget_the_oldest(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in files[:-_MOST]:
        path.unlink(missing_ok=True)
