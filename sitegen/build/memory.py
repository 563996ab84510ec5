"""A site's memory on disk, from one build to the next."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sitegen.build import program
from sitegen.remembered import Entry, Memory

_Kept = msgspec.msgpack.Decoder(dict[bytes, Entry])


def read(site_dir: Path) -> Memory:
    """What the last build of this site remembered."""
    body = program.kept(program.name_of(site_dir))
    return Memory() if body is None else Memory(known=_Kept.decode(body))


def write(site_dir: Path, memory: Memory) -> None:
    """Keep what this build used, if it is not what was kept already."""
    if memory.used != memory.known:
        program.keep(program.name_of(site_dir), msgspec.msgpack.encode(dict(sorted(memory.used.items()))))
