"""What a bake needs of its site, as one value that needs no shared disk; and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

import sitegen
from sitegen import runs
from sitegen.closure import Sources
from sitegen.errors import RecipeError
from sitegen.runs.freshness import still_font_files, still_fonts
from sitegen.schema import RecipeInfo, Run


class Parcel(msgspec.Struct, frozen=True):
    """`files`: path in the site -> content; `unfinished`: what a killed bake of this machine kept."""

    info: RecipeInfo
    files: dict[str, bytes]
    topic: str  # under which progress is told
    unfinished: bytes | None
    forced: bool


class Labelled(msgspec.Struct, frozen=True):
    """A parcel that only the same sitegen opens."""

    sitegen: str
    parcel: bytes


class Problem(msgspec.Struct, frozen=True):
    """An error, as `errors.record` tells it."""

    kind: str
    message: str
    path: str | None
    line: int | None
    hint: str | None


class Answer(msgspec.Struct, frozen=True):
    """The files of the staged run that `worker` baked, or what went wrong."""

    worker: str
    files: dict[str, bytes] = {}
    problem: Problem | None = None


class Sent(Struct, frozen=True):
    """What a run must have been made of to be taken."""

    digests: Mapping[str, str]
    needs: Mapping[str, Run]
    fonts: Mapping[str, str]


def pack(site_dir: Path, info: RecipeInfo, *, topic: str, unfinished: Path, forced: bool) -> tuple[bytes, Sent]:
    """The parcel of one bake: the sources of its closure, the runs it needs, the fonts of its pictures.

    Raises RecipeError or RunError where one of them cannot be read.
    """
    sources, folder = Sources(site_dir), runs.runs_folder(site_dir)
    digests = sources.closure(info.module).digests
    files: dict[str, bytes] = {}
    for module in digests:
        path = sources.path(module)
        assert path, "a module of a closure has a file"
        files[path.relative_to(site_dir).as_posix()] = path.read_bytes()
    needs = {need: runs.load(folder / need) for need in info.needs}
    for need in needs:
        found = (path for path in sorted((folder / need).iterdir()) if path.is_file())
        files |= {f"build/runs/{need}/{path.name}": path.read_bytes() for path in found}
    if info.pictures:
        files |= {f"templates/fonts/stills/{path.name}": path.read_bytes() for path in still_font_files(site_dir)}
    kept = unfinished / "state"
    parcel = Parcel(info, files, topic, kept.read_bytes() if kept.is_file() else None, forced)
    packed = msgspec.msgpack.encode(Labelled(sitegen.__version__, msgspec.msgpack.encode(parcel)))
    if Sources(site_dir).closure(info.module).digests != digests:
        raise RecipeError("its source was edited while it was read", at=info.at, hint="train again")
    return packed, Sent(digests, needs, still_fonts(site_dir))


def unpack(parcel: Parcel, site_dir: Path) -> None:
    """Lay the files out as a site."""
    for name, content in parcel.files.items():
        path = site_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
