"""Stale runs baked again from the page, by what `sitegen train` does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_site import PACE, WALK, toy_site

from sitegen import runs
from sitegen.errors import FigureError, RunError
from sitegen.serve.live import Baking, Live, State
from sitegen.serve.rebaking import Rebake, to_bake

FAILS = """
from sitegen.recipes import Bake, recipe

@recipe("fails", act=1, seed=0)
def fails(bake: Bake) -> None:
    raise ZeroDivisionError("no way")
"""
# Bakes for as long as the file `wait` is there.
SLOW = """
import time
from pathlib import Path
from sitegen.recipes import Bake, recipe

@recipe("slow", act=1, seed=0)
def slow(bake: Bake) -> None:
    bake.progress(1, 2)
    while (Path(__file__).parents[2] / "wait").exists():
        time.sleep(0.02)
    bake.metric("done", 1)
"""


class Watched(Live):
    """What is live, and everything it ever was."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[State] = []

    def change(self, **parts: object) -> None:
        super().change(**parts)
        self.states.append(self.state)


@pytest.fixture
def live() -> Watched:
    return Watched()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def rebake(tmp_path: Path, live: Watched, said: list[str]) -> Iterator[Rebake]:
    toy_site(tmp_path, walk=WALK, pace=PACE, fails=FAILS, slow=SLOW)
    rebake = Rebake(tmp_path, live, said.append)
    yield rebake
    rebake.stop()


def wait(live: Live, until) -> State:
    while not until(live.state):
        time.sleep(0.01)
    return live.state


def test_what_a_build_hints_at_can_be_baked():
    stale = RunError("run 'a-b' is stale", hint="bake it again: sitegen train --run a-b")
    missing = RunError("run 'c' is not baked yet", hint="bake it: sitegen train --run c")
    other = FigureError("no such figure", hint="did you mean 'a'?")

    assert to_bake([missing, stale, other, stale, RunError("no hint")]) == ("a-b", "c")


def test_stale_runs_are_baked_and_what_was_baked_is_told(
    tmp_path: Path, live: Watched, rebake: Rebake, said: list[str]
):
    live.change(stale=("walk",))

    rebake.start()
    wait(live, lambda state: state.baking is None)

    assert runs.names(tmp_path) == ("walk",)
    assert live.state.failures == ()
    assert said == ["baking walk", "walk is baked"]
    steps = [state.baking for state in live.states if state.baking]
    assert steps[0] == Baking("walk")
    assert any(one.total == 4 for one in steps)


def test_a_bake_that_fails_is_told_and_the_others_are_baked(tmp_path: Path, live: Watched, rebake: Rebake):
    live.change(stale=("fails", "walk"))

    rebake.start()
    wait(live, lambda state: state.baking is None)

    assert runs.names(tmp_path) == ("walk",)
    assert [str(failure.at) for failure in live.state.failures] == ["models/toy/fails.py:6"]


def test_a_new_bake_forgets_what_failed_before(live: Watched, rebake: Rebake):
    live.change(stale=("fails",))
    rebake.start()
    wait(live, lambda state: state.failures)
    live.change(stale=("walk",))

    rebake.start()

    assert wait(live, lambda state: state.baking is None).failures == ()


def test_a_run_that_no_recipe_bakes_is_a_failure(live: Watched, rebake: Rebake):
    live.change(stale=("wlak",))

    rebake.start()
    state = wait(live, lambda state: state.baking is None)

    assert [(one.message, one.hint) for one in state.failures] == [
        ("no recipe bakes a run called 'wlak'", "did you mean 'walk'?")
    ]


def test_whatever_happens_in_a_bake_is_told(live: Watched, rebake: Rebake, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr("sitegen.train.train", broken)
    live.change(stale=("walk",))

    rebake.start()

    assert [str(one) for one in wait(live, lambda state: state.failures).failures] == [
        "the bake ended with OSError: no room"
    ]


def test_without_a_stale_run_there_is_nothing_to_do(live: Watched, rebake: Rebake):
    rebake.start()

    assert live.states == []


def test_one_bake_at_a_time_and_it_ends_with_the_server(tmp_path: Path, live: Watched, rebake: Rebake):
    (tmp_path / "wait").touch()
    live.change(stale=("slow",))
    rebake.start()
    wait(live, lambda state: state.baking == Baking("slow", 1, 2))
    states = len(live.states)
    rebake.start()
    again = len(live.states)

    rebake.stop()

    assert again == states
    assert live.state.baking is None
    assert live.state.failures == ()
    assert runs.names(tmp_path) == ()
    rebake.start()
    assert live.state.baking is None
