"""`build` and `train`, killed at any moment: what was there is there, whole, or what was to come is.

A few kills here; `make soak` takes a hundred of each.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from minimal_site import copied
from toy_site import PACE, command, sitegen, toy_site, write_module

import sitegen as package
from sitegen import runs
from sitegen.build import build

# Builds once it is told to: so that no kill is spent on the start of Python.
BUILDS = """
import sys
from pathlib import Path
from sitegen.build import assembly, build, memory, publishing
print("ready", flush=True)
sys.stdin.readline()
build(Path("."))
"""


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def started(program: list[str], site: Path, cache: Path) -> subprocess.Popen[bytes]:
    home = Path(package.__file__).resolve().parent.parent
    environment = {"PYTHONPATH": str(home), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(cache)}
    return subprocess.Popen(program, cwd=site, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def builds(site: Path, cache: Path) -> subprocess.Popen[bytes]:
    """A process that is about to build."""
    process = started([sys.executable, "-c", BUILDS], site, cache)
    assert process.stdout
    assert process.stdin
    assert process.stdout.readline() == b"ready\n"
    return process


def end(process: subprocess.Popen[bytes], after: float | None = None) -> float:
    """Let it go, and kill it after so many seconds; gives how long it took."""
    start = time.perf_counter()
    if after is not None:
        time.sleep(after)
        process.kill()
    process.communicate(b"\n" if after is None else None)
    return time.perf_counter() - start


def kill_builds(tmp_path: Path, count: int) -> None:
    site, cache, chance = copied(tmp_path), tmp_path / "cache", random.Random(8)
    about = site / "content" / "pages" / "about.md"
    texts = [about.read_text() + f"\nOf {word}.\n" for word in ("one kind", "another kind")]
    whole = []
    for text in texts:
        about.write_text(text)
        whole.append(tree(build(site).out))
    taken = end(builds(site, cache))
    for round_ in range(count):
        about.write_text(texts[round_ % 2])
        process = builds(site, cache)
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()
        end(process, chance.uniform(0, 1.2 * taken))

        assert tree(site / "build" / "site") in whole, f"kill {round_}"

    about.write_text(texts[0])
    assert end(builds(site, cache)) >= 0
    assert tree(site / "build" / "site") == whole[0]
    assert sorted((site / "build").glob(".tmp-new-*")) == []


def kill_trainings(tmp_path: Path, count: int) -> None:
    site, chance = toy_site(tmp_path / "site"), random.Random(8)
    folder, digests = site / "build" / "runs" / "walk", []
    for pace in (PACE, "PACE = 0.2\n"):
        write_module(site, "pace", pace)
        start = time.perf_counter()
        assert sitegen("train", "--quiet", cwd=site).returncode == 0
        taken = time.perf_counter() - start
        digests.append(runs.load(folder).digest)
    for round_ in range(count):
        write_module(site, "pace", (PACE, "PACE = 0.2\n")[round_ % 2])
        process = started(command("train", "--quiet"), site, tmp_path / "cache")
        end(process, chance.uniform(0, 1.1 * taken))

        assert runs.load(folder).digest in digests, f"kill {round_}"

    write_module(site, "pace", PACE)
    assert sitegen("train", "--quiet", cwd=site).returncode == 0
    assert runs.load(folder).digest == digests[0]
    assert sorted((site / "build" / "runs").glob(".tmp-*")) == []


def test_a_build_that_is_killed_leaves_a_whole_site(tmp_path: Path):
    kill_builds(tmp_path, 3)


def test_a_training_that_is_killed_leaves_a_whole_run(tmp_path: Path):
    kill_trainings(tmp_path, 2)


@pytest.mark.soak
def test_a_build_that_is_killed_a_hundred_times_leaves_a_whole_site(tmp_path: Path):
    kill_builds(tmp_path, 100)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_training_that_is_killed_a_hundred_times_leaves_a_whole_run(tmp_path: Path):
    kill_trainings(tmp_path, 100)
