"""A build that remembers gives the bytes of one that does not, whatever was edited; and a killed one loses nothing.

The walks are short here; `make soak` takes long ones.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from random_edits import EDITS, begun

import sitegen
from sitegen.build import build
from sitegen.errors import Findings

PACKAGE = Path(sitegen.__file__).resolve().parent.parent
CLEAN = """
import sys
from pathlib import Path
from sitegen.build import build
from sitegen.errors import Findings
try:
    build(Path("."), out=Path(sys.argv[1]))
except Findings as found:
    print(found, end="")
    sys.exit(1)
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def cleanly_built(site: Path, scratch: Path) -> dict[str, bytes] | str:
    """What a process that remembers nothing makes of a site, or what it tells."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", CLEAN, str(scratch / "out")],
        cwd=site,
        env={"PYTHONPATH": str(PACKAGE), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(scratch / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert not done.stderr, done.stderr
    return done.stdout if done.returncode else tree(scratch / "out")


def built(site: Path) -> dict[str, bytes] | str:
    """What a process that remembers, this one, makes of it."""
    try:
        return tree(build(site).out)
    except Findings as found:
        return str(found)


def walk(tmp_path: Path, seed: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The edits that were made; after each, both builds agree, and one that fails leaves what was published."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site, chance, made = begun(tmp_path), random.Random(seed), list[str]()
    assert isinstance(built(site), dict)
    keep(site, tmp_path / "last")
    for _ in range(steps):
        edit = chance.choice(EDITS)
        edit(site, chance)
        made.append(edit.__name__)
        before, clean, after = tree(site / "build" / "site"), cleanly_built(site, tmp_path / "clean"), built(site)
        assert after == clean, f"seed {seed}, {made}"
        if isinstance(after, dict):
            keep(site, tmp_path / "last")
        else:
            assert tree(site / "build" / "site") == before, f"seed {seed}, {made}"
            if chance.random() < 0.7:  # the author takes it back, or makes another mistake
                keep(tmp_path / "last", site)
    return made


def keep(site: Path, copy: Path) -> None:
    """A copy of what a site is made of."""
    for name in ("content", "models", "templates", "build/runs"):
        shutil.rmtree(copy / name, ignore_errors=True)
        shutil.copytree(site / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))


def test_after_random_edits_an_incremental_build_is_a_clean_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    walk(tmp_path, 8, 6, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_after_two_hundred_random_edits_an_incremental_build_is_a_clean_one(tmp_path: Path, monkeypatch, seed: int):
    made = walk(tmp_path, 100 + seed, 40, monkeypatch)

    assert len(set(made)) > 10
