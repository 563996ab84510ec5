"""Worker processes: what they tell, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_site import recipes_of, toy_site

from sitegen import runs
from sitegen.errors import BakeError, DataError, Findings
from sitegen.schema import Location
from sitegen.train import train
from sitegen.workers import Progress, Started, Workers, _Pace

TALKS = """
import sys
from sitegen.recipes import Bake, recipe

@recipe("talks", act=1, seed=0)
def talks(bake: Bake) -> None:
    print("a thought")
    print('{"event": "done"}')
    sys.stdout.flush()
    bake.progress(2, 2, loss=0.5)

@recipe("ends", act=1, seed=0)
def ends(bake: Bake) -> None:
    import os
    os.write(2, b"farewell\\n")
    os._exit(7)

@recipe("lacks", act=1, seed=0)
def lacks(bake: Bake) -> None:
    bake.data("n.bin", sha256="0" * 64)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return toy_site(tmp_path, talks=TALKS)


def test_what_a_model_prints_is_not_taken_for_an_answer(site: Path):
    workers = Workers(site)

    staged = workers.bake(recipes_of(site)["talks"])

    assert (staged / "run.json").is_file()
    assert list(workers.events()) == [Started("talks"), Progress("talks", 2, 2, {"loss": 0.5}, None)]
    assert list(workers.events()) == []


def test_a_worker_that_ends_early_says_what_it_printed_last(site: Path):
    with pytest.raises(BakeError, match="the worker of 'ends' ended with code 7") as caught:
        Workers(site).bake(recipes_of(site)["ends"])

    assert caught.value.hint == "it printed last:\n    farewell"


def test_an_error_comes_back_as_it_was_raised(site: Path):
    with pytest.raises(DataError, match=r"data file 'n.bin' \(sha256 0+\) is missing") as caught:
        Workers(site).bake(recipes_of(site)["lacks"])

    assert caught.value.at == Location("models/toy/talks.py", 20)
    assert "set SITEGEN_DATA" in caught.value.hint


def test_nothing_starts_after_stop(site: Path):
    workers = Workers(site)
    workers.stop()

    with pytest.raises(BakeError, match="training was stopped"):
        workers.bake(recipes_of(site)["talks"])


def test_the_time_left_follows_the_pace_of_late_and_of_this_process_alone():
    pace = _Pace()

    assert pace.left(0.0, 1201, 2000) is None  # the first that this process tells
    assert pace.left(10.0, 1211, 2000) == 789.0
    assert [pace.left(10.0 + second, 1211 + 2 * second, 2000) for second in range(1, 121)][-1] == 274.5
    assert pace.left(140.0, 1, 100) is None  # it counts anew
    assert pace.left(141.0, 2, 100) == 98.0


JUNK = """
import os
from sitegen.recipes import Bake, recipe

def to_all(words: bytes) -> None:
    for pipe in range(3, 64):
        try:
            os.write(pipe, words)
        except OSError:
            pass

@recipe("noise", act=1, seed=0)
def noise(bake: Bake) -> None:
    to_all(b'junk\\n\\xff\\n[]\\n{}\\n{"event":[]}\\n{"event":"progress","step":"a"}\\n{"event":"error"}\\n' + b"[" * 9999 + b"\\n")

@recipe("blurs", act=1, seed=0)
def blurs(bake: Bake) -> None:
    to_all(b"without an end")

@recipe("forges", act=1, seed=0)
def forges(bake: Bake) -> None:
    to_all(b'{"event":"done"}\\n')
    os._exit(0)

@recipe("claims", act=1, seed=0)
def claims(bake: Bake) -> None:
    to_all(b'{"event":"error","kind":"BakeError","message":"m","path":"p","line":1,"hint":null}\\n')
    os._exit(0)

@recipe("honest", act=1, seed=0)
def honest(bake: Bake) -> None: ...
"""  # noqa: E501


def test_junk_on_the_answer_pipe_is_no_answer_and_fails_its_own_run_at_most(tmp_path: Path):
    site = toy_site(tmp_path, junk=JUNK)

    with pytest.raises(Findings) as caught:
        train(site, chapters=(recipes_of(site)["noise"].chapter,), report=lambda event: None)

    assert sorted(error.message for error in caught.value.errors) == [
        "the worker of 'claims' ended with code 0",
        "the worker of 'forges' ended with code 0",
    ]
    assert {"noise", "blurs", "honest"} <= set(runs.names(site))
