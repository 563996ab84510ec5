"""Which runs are baked, in which order, and what is left when something goes wrong."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from toy_site import PACE, RUN, WALK, command, recipes_of, sitegen, toy_site, tree, write_module

from sitegen import runs
from sitegen.errors import Findings
from sitegen.schema import RecipeInfo
from sitegen.train import UnknownSelection, select, train, with_needs
from sitegen.workers import Event, Failed, Finished, Fresh, Progress, Started

FAILS = """
from sitegen.recipes import Bake, recipe

@recipe("fails", act=1, seed=0)
def fails(bake: Bake) -> None:
    deep(bake)

def deep(bake):
    print("so far so good")
    raise ZeroDivisionError("no way")

@recipe("later", act=1, seed=0, needs=("fails",))
def later(bake: Bake) -> None: ...
"""
# Writes its process id, then bakes for as long as the file `wait` is there.
SLOW = """
import os, time
from pathlib import Path
from sitegen.recipes import Bake, recipe

SITE = Path(__file__).parents[2]

@recipe("slow", act=1, seed=0)
def slow(bake: Bake) -> None:
    bake.progress(1, 2)
    (SITE / "pid").write_text(str(os.getpid()))
    while (SITE / "wait").exists():
        time.sleep(0.02)
    bake.metric("done", 1)
"""


NAMED = """
from sitegen.recipes import Bake, recipe

@recipe("NAME", act=1, seed=0)
def bakes(bake: Bake) -> None: ...
"""
LACKS = """
from sitegen.recipes import Bake, recipe

@recipe("lacks", act=1, seed=0)
def lacks(bake: Bake) -> None:
    bake.data("book.txt", sha256="0" * 64)
"""


class Told(list[Event]):
    """What a training reported, without its progress."""

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Progress):
            self.append(event)


def until(holds: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.02)


def pid_of(site: Path) -> int:
    until(lambda: (site / "pid").exists() and (site / "pid").read_text())
    return int((site / "pid").read_text())


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended, and whose parent has not asked yet, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    site = toy_site(tmp_path, slow=SLOW)
    (site / "wait").touch()
    return site


# ------------------------------------------------------------------------------------------------ selection


def test_recipes_are_selected_by_act_chapter_and_name(tmp_path: Path):
    found = tuple(recipes_of(toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)).values())

    assert [info.name for info in select(found)] == ["walk", "after"]
    assert [info.name for info in select(found, acts=(2,))] == ["after"]
    assert [info.name for info in select(found, chapters=("first-steps",), names=("walk",))] == ["walk"]
    assert [info.name for info in with_needs(found, select(found, acts=(2,)))] == ["walk", "after"]
    assert [info.name for info in select(found, names=("after", "walk"))] == ["walk", "after"]


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        ({"names": ("walk", "wlak")}, "no recipe bakes a run called 'wlak'", "did you mean 'walk'?"),
        ({"chapters": ("first-step",)}, "no recipe of chapter 'first-step'", "did you mean 'first-steps'?"),
        ({"acts": (9,)}, "no recipe of act 9", "acts with recipes: 1, 2"),
    ],
)
def test_an_unknown_selection_says_what_there_is(tmp_path: Path, asked: dict, message: str, hint: str):
    found = tuple(recipes_of(toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)).values())

    with pytest.raises(UnknownSelection) as caught:
        select(found, **asked)

    assert (caught.value.message, caught.value.hint) == (message, hint)


def two_chapters(folder: Path) -> tuple[RecipeInfo, ...]:
    """A site whose second chapter has an act 1 of its own, with a run that comes first by name."""
    site = toy_site(folder, walk=WALK, pace=PACE, run=RUN)
    chapter = site / "content/02-more-steps/chapter.toml"
    chapter.parent.mkdir()
    chapter.write_text('title = "More"\nmodels = "more"\n', encoding="utf-8")
    (site / "models/more").mkdir()
    (site / "models/more/hop.py").write_text(RUN.replace('"after", act=2', '"above", act=1'), encoding="utf-8")
    return tuple(recipes_of(site).values())


def test_an_act_is_that_of_every_chapter_and_a_chapter_narrows_it(tmp_path: Path):
    found = two_chapters(tmp_path)

    assert [info.name for info in found] == ["walk", "after", "above"], "by chapter, act and name"
    assert [info.name for info in select(found, acts=(1,))] == ["walk", "above"]
    assert [info.name for info in select(found, acts=(1,), chapters=("more-steps",))] == ["above"]
    with pytest.raises(UnknownSelection) as caught:
        select(found, acts=(2,), chapters=("more-steps",))
    assert caught.value.hint == "acts with recipes: 1"


# --------------------------------------------------------------------------------------------------- baking


def test_needs_are_baked_first_and_fresh_runs_are_left_alone(tmp_path: Path):
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)
    first, second = Told(), Told()

    assert train(site, acts=(2,), report=first) == ("walk", "after")
    before = tree(site / "build")
    assert train(site, jobs=2, report=second) == ()

    assert first == [Started("walk"), Finished("walk", True), Started("after"), Finished("after", True)]
    assert second == [Fresh("walk"), Fresh("after")]
    assert tree(site / "build") == before
    after = runs.load(site / "build/runs/after")
    assert after.series["double"].values == [2 * (3 + 0.1), *after.series["double"].values[1:]]
    assert after.provenance.needs == {"walk": runs.load(site / "build/runs/walk").digest}


def test_a_forced_bake_of_the_same_numbers_touches_no_byte_unless_it_is_retimed(tmp_path: Path):
    site, told = toy_site(tmp_path), Told()
    train(site, report=told)
    before = tree(site / "build")

    assert train(site, force=True, report=told) == ()
    assert tree(site / "build") == before
    train(site, force=True, retime=True, report=told)

    after = tree(site / "build")
    assert {name for name in after if after[name][1] != before[name][1]} == {"runs/walk/timings.json"}
    assert told[-1] == Finished("walk", False)


@pytest.mark.parametrize("content", [None, b"{", b"{}\n"])
@pytest.mark.parametrize("force", [False, True])
def test_a_run_without_its_definitions_gets_them_and_no_other_byte(tmp_path: Path, force: bool, content: bytes | None):
    site = toy_site(tmp_path)
    train(site, report=Told())
    before, path = tree(site / "build"), site / "build/runs/walk/definitions.json"
    whole = path.read_bytes()
    path.unlink()
    if content is not None:
        path.write_bytes(content)

    assert train(site, force=force, report=Told()) == ()

    after = tree(site / "build")
    assert path.read_bytes() == whole
    assert {name for name in after if after[name] != before[name]} == {"runs/walk/definitions.json"}
    assert before.keys() == after.keys()


def test_a_changed_need_is_baked_and_what_needs_it_follows(tmp_path: Path):
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)
    train(site, report=Told())
    write_module(site, "pace", "PACE = 0.2")

    assert train(site, names=("after",), report=Told()) == ("walk", "after")
    assert runs.load(site / "build/runs/walk").series["height"].values[0] == 3.2


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_does_not_stop_the_others_and_all_errors_come_at_the_end(tmp_path: Path, jobs: int):
    site, told = toy_site(tmp_path, walk=WALK, pace=PACE, fails=FAILS), Told()

    with pytest.raises(Findings) as caught:
        train(site, jobs=jobs, report=told)

    fails, later = caught.value.errors
    assert str(fails) == (
        "models/toy/fails.py:10: ZeroDivisionError: no way\n"
        "  hint: on the way there: models/toy/fails.py:6\n"
        "  it printed last:\n    so far so good"
    )
    assert str(later) == "models/toy/fails.py:12: needs 'fails', which failed"
    assert Finished("walk", True) in told
    assert [event.run for event in told if isinstance(event, Failed)] == ["fails", "later"]
    assert runs.names(site) == ("walk",)


def test_a_recipe_whose_source_cannot_be_read_does_not_stop_the_others(tmp_path: Path):
    borrows = NAMED.replace("NAME", "borrows").replace("from", "from models.shared import what\nfrom", 1)
    site, told = toy_site(tmp_path, walk=WALK, pace=PACE, borrows=borrows), Told()
    (site / "models/shared.py").write_text("what = (\n", encoding="utf-8")

    with pytest.raises(Findings, match=r"models/shared.py:1: not valid Python"):
        train(site, report=told)

    assert told == [Failed("borrows", told[0].error), Started("walk"), Finished("walk", True)]


def test_what_takes_longest_begins_first_where_others_go_beside_it(tmp_path: Path):
    site, told = toy_site(tmp_path, **{f"m{k}": NAMED.replace("NAME", name) for k, name in enumerate("abcd")}), Told()
    write_module(site, "m9", NAMED.replace("NAME", "e").replace("seed=0", "seed=0, long=True"))
    train(site, names=("b",), report=Told())
    train(site, names=("c",), report=Told())
    for name, seconds in (("b", 2.0), ("c", 30.0)):
        path = site / "build/runs" / name / "timings.json"
        path.write_text(re.sub(r'"seconds":[\d.]+', f'"seconds":{seconds}', path.read_text()))

    train(site, force=True, jobs=2, report=told)
    alone = Told()
    train(site, force=True, report=alone)

    assert [event.run for event in told if isinstance(event, Started)][:3] in (["e", "c", "b"], ["c", "e", "b"])
    assert [event.run for event in alone if isinstance(event, Started)] == ["a", "b", "c", "d", "e"]


def test_a_run_that_lacks_its_data_says_so_and_all_others_are_baked(tmp_path: Path):
    site = toy_site(tmp_path, lacks=LACKS, walk=WALK, pace=PACE)

    done = sitegen("train", "--jobs", "2", cwd=site, env={**os.environ, "SITEGEN_DATA": ""})

    assert done.returncode == 1
    assert runs.names(site) == ("walk",)
    error, *hint = done.stderr[done.stderr.index("models/") :].splitlines()
    assert error == (
        f"models/toy/lacks.py:6: run 'lacks' cannot be baked here: data file 'book.txt' (sha256 {'0' * 64}) is missing"
    )
    assert hint[0].startswith("  hint: set SITEGEN_DATA to a folder that holds book.txt, or put it at ")
    assert hint[1] == "  nothing is lost: put it there, and sitegen train --run lacks bakes what is missing"


def test_a_failed_bake_leaves_the_old_run(tmp_path: Path):
    site = toy_site(tmp_path)
    train(site, report=Told())
    before = tree(site / "build")
    write_module(site, "pace", "PACE = float('nan')")

    with pytest.raises(Findings, match=r"models/toy/walk.py:\d+: 'height' is nan at step 1"):
        train(site, report=Told())

    assert tree(site / "build") == before
    assert list((site / "build/runs").glob(".tmp-*")) == []


def test_a_damaged_run_is_baked_again(tmp_path: Path):
    site = toy_site(tmp_path)
    train(site, report=Told())
    before = (site / "build/runs/walk/run.json").read_bytes()
    (site / "build/runs/walk/run.json").write_bytes(before.replace(b'"seed":3', b'"seed":4'))

    train(site, report=Told())

    assert (site / "build/runs/walk/run.json").read_bytes() == before


def test_a_module_edited_within_the_same_second_is_baked_as_it_is(tmp_path: Path):
    """A compiled module is as new as its source by the second; so none is kept of the models."""
    site = toy_site(tmp_path)
    train(site, report=Told())
    stat = (site / "models/toy/pace.py").stat()
    write_module(site, "pace", "PACE = 0.3\n")
    os.utime(site / "models/toy/pace.py", ns=(stat.st_atime_ns, stat.st_mtime_ns))

    train(site, report=Told())

    assert runs.load(site / "build/runs/walk").series["height"].values[0] == 3.3
    assert list(site.rglob("*.pyc")) == []


# ------------------------------------------------------------------------------------ killed in the middle


def test_a_killed_worker_is_an_error_and_the_next_call_bakes(slow: Path):
    process = subprocess.Popen(command("train", "--quiet"), cwd=slow, stderr=subprocess.PIPE, text=True)
    os.kill(pid_of(slow), signal.SIGKILL)

    _, told = process.communicate(timeout=30)

    assert process.returncode == 1
    assert told.startswith("models/toy/slow.py:8: the worker of 'slow' was killed by signal 9")
    (slow / "wait").unlink()
    assert train(slow, report=Told()) == ("slow",)


def test_a_killed_training_takes_its_workers_with_it_and_the_next_call_bakes(slow: Path):
    process = subprocess.Popen(command("train", "--quiet"), cwd=slow)
    worker = pid_of(slow)

    process.kill()
    process.wait(timeout=30)
    until(lambda: not alive(worker))

    (slow / "wait").unlink()
    assert train(slow, report=Told()) == ("slow",)
    assert sorted(path.name for path in (slow / "build/runs").iterdir()) == [".lock", "slow"]


def test_an_interrupt_stops_the_workers_and_is_one_line(slow: Path):
    process = subprocess.Popen(command("train", "--quiet"), cwd=slow, stderr=subprocess.PIPE, text=True)
    worker = pid_of(slow)

    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)

    assert (process.returncode, told) == (130, "stopped; what was there before is as it was\n")
    assert not alive(worker)
    assert sorted(path.name for path in (slow / "build/runs").iterdir()) == [".lock"]


def test_a_second_training_says_whom_it_waits_for_and_then_finds_all_fresh(slow: Path):
    first = subprocess.Popen(command("train", "--quiet"), cwd=slow)
    pid_of(slow)
    second = subprocess.Popen(command("train"), cwd=slow, stderr=subprocess.PIPE, text=True)
    assert second.stderr
    waits = second.stderr.readline()

    (slow / "wait").unlink()

    assert waits.startswith(f"waiting: process {first.pid} on ")
    assert second.communicate(timeout=30)[1] == "slow: fresh\n"
    assert (first.wait(timeout=30), second.returncode) == (0, 0)
