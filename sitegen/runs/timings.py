"""timings.json: what a machine measured while it baked a run. It is sealed like run.json, but in no digest of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from sitegen.errors import RunError
from sitegen.runs import text as run_text
from sitegen.runs.files import replace_file, runs_folder, unreadable
from sitegen.runs.soundness import faults
from sitegen.schema import Location, Run, Timings

FILE = "timings.json"


def sealed(timings: Timings) -> dict[str, Any]:
    """What the file says, with the digest of it."""
    tree: dict[str, Any] = msgspec.to_builtins(timings)
    return {**tree, "digest": run_text.digest(tree)}


def load_timings(folder: Path, run: Run) -> Timings:
    """The timings beside a run, all that it declares; raises RunError with the way to measure them again."""
    shown = Location("/".join((folder / FILE).parts[-4:]))
    hint = f"measure again: sitegen train --run {run.run} --retime"
    try:
        content = (folder / FILE).read_bytes()
        timings = msgspec.json.decode(content, type=Timings)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"the timings of run {run.run!r} are missing", at=shown, hint=hint) from None
    except OSError as error:
        raise unreadable(error, f"the timings of run {run.run!r}", shown.path) from None
    except (UnicodeDecodeError, RecursionError, msgspec.MsgspecError) as error:
        raise RunError(f"the timings of run {run.run!r} cannot be read: {error}", at=shown, hint=hint) from None
    for wrong in _wrong(folder, run, timings, content):
        raise RunError(wrong, at=shown, hint=hint)
    return timings


def all_timings(site_dir: Path, runs: Mapping[str, Run]) -> dict[str, Timings | RunError]:
    """Those of the runs that declare any, or why they cannot be had."""
    found: dict[str, Timings | RunError] = {}
    for name, run in runs.items():
        if run.timed:
            try:
                found[name] = load_timings(runs_folder(site_dir) / name, run)
            except RunError as error:
                found[name] = error
    return found


def take_timings(folder: Path, staged: Path) -> None:
    """Put the timings of a staged bake in place of those beside the same run; the pictures of them first."""
    content = (staged / FILE).read_bytes()
    for image in msgspec.json.decode(content, type=Timings).images.values():
        replace_file(folder / image.file, (staged / image.file).read_bytes())
    replace_file(folder / FILE, content)


def _wrong(folder: Path, run: Run, timings: Timings, content: bytes) -> Iterator[str]:
    """What is not as it was measured, or not all that the run declares."""
    for name in run.timed:
        if name not in timings.series or timings.series[name].axes != run.outputs[name].axes:
            yield f"the timings of run {run.run!r} lack {name!r}"
    if run.timed and run_text.digest(json.loads(content)) != timings.digest:
        yield f"the timings of run {run.run!r} were changed after they were measured"
    bare = replace(run, series=timings.series, images=timings.images, probe=None, weights=None)
    for place, wrong in faults(bare):
        yield f"the timings of run {run.run!r}: {'.'.join(map(str, place))}: {wrong}"
    for image in timings.images.values():
        path = folder / image.file
        if not path.is_file() or run_text.sha256(path.read_bytes()) != image.sha256:
            yield f"the picture {image.file} of run {run.run!r} is missing, or not the one that was drawn"
