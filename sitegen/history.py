"""The runs of a git revision, read from git and not from the disk; and what has changed since."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from sitegen import runs
from sitegen.errors import RunError
from sitegen.runs.decode import decode_unsealed
from sitegen.runs.differences import Difference, differences
from sitegen.schema import Run


class Change(Struct, frozen=True):
    """What has become of a run since a revision: "new", "gone", "same", or "changed", and then how."""

    run: str
    state: str
    differences: tuple[Difference, ...] = ()


def changes(site_dir: Path, revision: str) -> tuple[Change, ...]:
    """Every run of the revision and of the disk, by name. Raises RunError if git does not know the revision."""
    _git(site_dir, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", unknown=revision)
    before = dict(_runs_of(site_dir, revision))
    now, damaged = runs.load_all(site_dir)
    if damaged:
        raise next(iter(damaged.values()))
    return tuple(_change(site_dir, revision, name, before, now) for name in sorted(before.keys() | now.keys()))


def _change(site_dir: Path, revision: str, name: str, before: dict[str, Run], now: dict[str, Run]) -> Change:
    if name not in before or name not in now:
        return Change(name, "new" if name in now else "gone")
    if before[name].digest == now[name].digest:
        return Change(name, "same")
    old, new = before[name], now[name]
    data_old = _git(site_dir, "show", f"{revision}:./build/runs/{name}/{old.weights.file}") if old.weights else b""
    data_new = runs.load_weights(runs.runs_folder(site_dir) / name, new) if new.weights else b""
    return Change(name, "changed", tuple(differences(old, new, data_old, data_new)))


def _runs_of(site_dir: Path, revision: str) -> Iterator[tuple[str, Run]]:
    listed = _git(site_dir, "ls-tree", "--name-only", revision, "./build/runs/").decode()
    for name in (Path(line).name for line in listed.splitlines()):
        if _exists(site_dir, f"{revision}:./build/runs/{name}/run.json"):
            content = _git(site_dir, "show", f"{revision}:./build/runs/{name}/run.json")
            yield name, decode_unsealed(content, name, f"{revision}:build/runs/{name}/run.json")


def _exists(site_dir: Path, thing: str) -> bool:
    return (
        subprocess.run(["git", "cat-file", "-e", thing], cwd=site_dir, capture_output=True, check=False).returncode == 0
    )


def _git(site_dir: Path, *arguments: str, unknown: str = "") -> bytes:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=site_dir, capture_output=True, check=False, env=os.environ | {"LC_ALL": "C"}
        )
    except FileNotFoundError:
        raise RunError("git is not installed, and runs can only be compared with what it keeps") from None
    if done.returncode:
        if b"not a git repository" in done.stderr:
            message = "this site is in no git repository, and runs can only be compared with what git keeps"
            raise RunError(message, hint="keep it in git: git init")
        said = done.stderr.decode("utf-8", "replace").strip()
        message = f"git knows no revision {unknown!r}" if unknown and not said else said or f"git {arguments[0]} failed"
        raise RunError(message, hint="name a commit, branch or tag: sitegen runs --diff main")
    return done.stdout
