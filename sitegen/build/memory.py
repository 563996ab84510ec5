"""A site's memory on disk, from one build to the next: what is large and stays, and beside it what came since.

An edit changes little, so it does not write down anew all that it left as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from sitegen.build import program
from sitegen.remembered import Entry, Memory

_SINCE = "-since"
_MUCH = 0.25  # of what a build used: from there on all of it is written down anew
_Entries = msgspec.msgpack.Decoder(dict[bytes, Entry])


@dataclass(slots=True)
class Kept(Memory):
    """What the two files hold: of the one its keys and how much they stand for, of the other its keys."""

    whole: Mapping[bytes, int] = field(default_factory=dict)
    since: Collection[bytes] = ()


def read(site_dir: Path) -> Kept:
    """What the last builds of this site remembered."""
    name = program.name_of(site_dir)
    whole, since = (_entries(program.kept(one)) for one in (name, name + _SINCE))
    return Kept(known=whole | since, whole=_sizes(whole), since=since.keys())


def _entries(body: memoryview | None) -> dict[bytes, Entry]:
    return {} if body is None else _Entries.decode(body)


def write(site_dir: Path, memory: Kept) -> None:
    """Keep what this build used, if it is not what was kept already."""
    name, sizes = program.name_of(site_dir), _sizes(memory.used)
    since = sizes.keys() - memory.whole.keys()
    lost = sum(memory.whole[key] for key in memory.whole.keys() - sizes.keys())
    if lost + sum(sizes[key] for key in since) > _MUCH * sum(sizes.values()):
        _keep(name, memory.used)
        memory.whole, since = sizes, set()
    if since != memory.since:
        _keep(name + _SINCE, {key: memory.used[key] for key in since})
        memory.since = since


def _keep(name: str, entries: dict[bytes, Entry]) -> None:
    program.keep(name, msgspec.msgpack.encode(dict(sorted(entries.items()))))


def _sizes(entries: Mapping[bytes, Entry]) -> dict[bytes, int]:
    return {key: len(told) for key, (told, _) in entries.items()}
