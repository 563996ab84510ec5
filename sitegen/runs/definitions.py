"""definitions.json, beside a run: the digest of each definition in its sources. It only tells what was edited since;
no digest covers it, and one that cannot be read is as good as none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from sitegen.closure import Sources
from sitegen.runs.files import replace_file
from sitegen.runs.text import canonical

FILE = "definitions.json"
# Names stand in messages, and the file may have been edited by hand.
_Name = Annotated[str, msgspec.Meta(pattern=r"^(\w+|\(imports\)|\(statements\))\Z")]
_Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{12}\Z")]


def definitions_file(sources: Sources, modules: Iterable[str]) -> bytes:
    """The file of a run whose closure is `modules`, one line each."""
    lines = (f" {canonical(module)}:{canonical(sources.definitions(module))}" for module in sorted(modules))
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def write_definitions(folder: Path, content: bytes) -> None:
    """Put the file beside a run, unless it is there with this content."""
    path = folder / FILE
    if not path.is_file() or path.read_bytes() != content:
        replace_file(path, content)


def load_definitions(folder: Path) -> dict[str, dict[str, str]]:
    """Module -> name -> digest, as they were when the run was baked; nothing where the file is missing or broken."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=dict[str, dict[_Name, _Digest]])
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return {}


def edits(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """What differs between the definitions of a module: changed and new ones in source order, then those gone."""
    for name, digest in now.items():
        if name not in then:
            yield f"{name} is new"
        elif then[name] != digest:
            yield name
    yield from (f"{name} is gone" for name in sorted(then.keys() - now.keys()))
