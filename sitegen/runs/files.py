"""Runs to folders of `build/runs` and back. A run is there wholly or not at all, whenever the power fails."""

from __future__ import annotations

import ctypes
import json
import os
import posixpath
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sitegen.disk import named, way_out
from sitegen.errors import RunError
from sitegen.runs import text as run_text
from sitegen.runs.decode import decode, fault
from sitegen.runs.soundness import weight_faults
from sitegen.schema import Location, Run

_STAGED, _OLD = ".tmp-new-", ".tmp-old-"


def runs_folder(site_dir: Path) -> Path:
    return site_dir / "build" / "runs"


def names(site_dir: Path) -> tuple[str, ...]:
    """The runs that have a folder, sorted; half-written ones too."""
    folder = runs_folder(site_dir)
    found = folder.iterdir() if folder.is_dir() else ()
    return tuple(sorted(path.name for path in found if path.is_dir() and not path.name.startswith(".")))


def load(folder: Path) -> Run:
    """The run in a folder, with its digest, weights and pictures verified; raises RunError."""
    path = folder / "run.json"
    shown = "/".join(path.parts[-4:])
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        hint = f"bake it: sitegen train --run {folder.name}"
        raise RunError(f"run {folder.name!r} is not baked", at=Location(shown), hint=hint) from None
    except OSError as error:
        raise unreadable(error, f"run {folder.name!r}", shown) from None
    run = decode(content, folder.name, shown)
    for file, sha256, member in _files(run):
        named = partial(_place, content, member, shown)
        _verify(folder / file, sha256, "/".join(path.parts[-4:-1]), named)
    if run.weights:
        for place, wrong in weight_faults(run, (folder / run.weights.file).stat().st_size):
            raise fault(content.decode("utf-8"), place, wrong, folder.name, shown)
    return run


def load_all(site_dir: Path) -> tuple[dict[str, Run], dict[str, RunError]]:
    """Every run of the site that can be read, and what is wrong with the others."""
    runs, errors = {}, {}
    for name in names(site_dir):
        try:
            runs[name] = load(runs_folder(site_dir) / name)
        except RunError as error:
            errors[name] = error
    return runs, errors


def load_weights(folder: Path, run: Run) -> bytes:
    """The bytes of a run's weights."""
    if run.weights is None:
        raise RunError(f"run {run.run!r} has no weights", hint="record them in its recipe: bake.weights(step, tensors)")
    return (folder / run.weights.file).read_bytes()


def unreadable(error: OSError, what: str, shown: str) -> RunError:
    """The error of a file that is there, and that the system does not let us read."""
    message = f"{what} cannot be read: {error.strerror}"
    return RunError(message, at=Location(shown), hint=way_out(error, posixpath.dirname(shown)))


def bake_seconds(folder: Path) -> float | None:
    """How long the bake of a run took, by its timings; None where that is not known."""
    try:
        seconds = json.loads((folder / "timings.json").read_bytes())["seconds"]
    except (OSError, RecursionError, ValueError, KeyError, TypeError):
        return None
    return float(seconds) if isinstance(seconds, (int, float)) else None


def write(folder: Path, run: Run, files: Mapping[str, bytes], timings: Mapping[str, Any] | None = None) -> Run:
    """Put a run with its files in place of what `folder` holds. Gives the run back with its digest."""
    staged = staging_folder(folder.parent, folder.name)
    sealed = stage(staged, run, files, timings or {})
    publish(staged, folder)
    return sealed


def staging_folder(runs_dir: Path, name: str) -> Path:
    """A new empty folder beside the runs, on the same disk."""
    runs_dir.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{_STAGED}{name}-", dir=runs_dir))


def stage(staged: Path, run: Run, files: Mapping[str, bytes], timings: Mapping[str, Any]) -> Run:
    """Write a run and its files into a folder and wait until the disk has them."""
    tree = msgspec.to_builtins(run)
    for tensor in tree["weights"]["tensors"] if run.weights else ():
        for name in ("dtype", "scale"):
            if tensor[name] is None:
                del tensor[name]
    tree["digest"] = run_text.digest(tree)
    contents = {
        **files,
        "run.json": run_text.laid_out(tree).encode(),
        "timings.json": run_text.laid_out(dict(timings)).encode(),
    }
    stage_files(staged, contents)
    return msgspec.convert(tree, Run)


def stage_files(staged: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder and wait until the disk has them."""
    try:
        for name, content in sorted(contents.items()):
            write_synced(staged / name, content)
        staged.chmod(0o755)
        _sync_folder(staged)
    except OSError as error:
        raise RunError(f"the run cannot be written: {error.strerror}", hint=way_out(error)) from None


def covered(run: Run) -> dict[str, str]:
    """File -> sha256 of everything beside run.json that its digest covers."""
    return {file: sha256 for file, sha256, _ in _files(run)}


def publish(staged: Path, folder: Path) -> None:
    """Put a staged run where `folder` is, in one step where the system can, and remove what was there.

    A folder that is a link stays one: the run is put where it leads.
    """
    if folder.is_symlink():
        folder = folder.resolve()
        folder.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(shutil.move(staged, folder.parent / staged.name))  # perhaps to another disk
    if replaced := swap(staged, folder):
        shutil.rmtree(replaced)
    _sync_folder(folder.parent)


def swap(staged: Path, folder: Path) -> Path | None:
    """Put `staged` where `folder` is, in one step where the system can; where one finds what was there, if anything."""
    if not folder.exists():
        staged.rename(folder)
        return None
    if _exchange(staged, folder):
        return staged
    old = folder.parent / f"{_OLD}{folder.name}"
    shutil.rmtree(old, ignore_errors=True)
    folder.rename(old)
    staged.rename(folder)
    return old


def tidy(site_dir: Path) -> None:
    """Undo what a killed bake left: half-written runs go, a run that was only moved aside comes back."""
    folder = runs_folder(site_dir)
    for old in sorted(folder.glob(f"{_OLD}*")):
        target = folder / old.name.removeprefix(_OLD)
        if not target.exists():
            old.rename(target)
    for left in sorted(folder.glob(".tmp-*")):
        shutil.rmtree(left, ignore_errors=True)


def replace_file(path: Path, content: bytes) -> None:
    """Give a file new content in one step."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        write_synced(temporary, content)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise named(error, path) from None


def write_synced(path: Path, content: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise named(error, path) from None


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two folders in one step (Linux's renameat2); False where that cannot be done."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    at_cwd, exchange = -100, 2
    return bool(renameat2(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange) == 0)


def _files(run: Run) -> list[tuple[str, str, list[str | int]]]:
    """(file, sha256, where run.json says so) of everything beside run.json that its digest covers."""
    files: list[tuple[str, str, list[str | int]]] = [
        (image.file, image.sha256, ["images", name]) for name, image in sorted(run.images.items())
    ]
    if run.weights:
        files.append((run.weights.file, run.weights.sha256, ["weights", "file"]))
    return files


def _place(content: bytes, member: list[str | int], shown: str) -> Location:
    return Location(shown, run_text.line_of(content.decode("utf-8"), member))


def _verify(path: Path, sha256: str, folder: str, place: Callable[[], Location]) -> None:
    """`place` is where run.json names the file: it is sought only where something is wrong."""
    name = path.parent.name
    again = f"bake it again: sitegen train --run {name} --force"
    try:
        found = run_text.sha256(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{folder}/{path.name} is missing", at=place(), hint=again) from None
    except OSError as error:
        raise unreadable(error, path.name, f"{folder}/{path.name}") from None
    if found != sha256:
        message = f"{folder}/{path.name} was changed after it was baked: its sha256 is {found}, not {sha256}"
        raise RunError(message, at=place(), hint=again)
