"""What is shown of a training and of the runs."""

from __future__ import annotations

import io
import sys

import pytest
from msgspec.structs import replace

from sitegen import terminal
from sitegen.errors import BakeError
from sitegen.overview import Row
from sitegen.workers import Event, Failed, Finished, Fresh, Note, Progress, Resumed, Started, Waiting

WALK = Row("walk", "first-steps", 1, 3, 600, "top 3.4 m", "fresh", (), 83_316, 4.25)
LOST = Row("lost", None, None, None, None, "", "orphan", ("no recipe bakes it any more",), 0, None)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_table_in_a_log_is_plain_and_aligned():
    assert terminal.plain_table([WALK, LOST]).splitlines() == [
        "run   act  seed  steps  key metric  state   size   bake time",
        "walk  1    3     600    top 3.4 m   fresh   83 kB  4.2 s",
        "lost                                orphan",
    ]


def test_runs_of_several_chapters_stand_under_their_chapter():
    run = replace(WALK, run="run", chapter="faster", act=1)

    assert terminal.plain_table([WALK, run, replace(run, run="hop"), LOST]).splitlines() == [
        "run   act  seed  steps  key metric  state   size   bake time",
        "chapter first-steps",
        "walk  1    3     600    top 3.4 m   fresh   83 kB  4.2 s",
        "chapter faster",
        "run   1    3     600    top 3.4 m   fresh   83 kB  4.2 s",
        "hop   1    3     600    top 3.4 m   fresh   83 kB  4.2 s",
        "no chapter",
        "lost                                orphan",
    ]


def test_the_table_on_a_terminal_has_the_same_cells(monkeypatch: pytest.MonkeyPatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "120")

    terminal.print_table([WALK, replace(WALK, chapter="faster"), LOST])

    for cell in (*terminal.cells(WALK), *terminal.cells(LOST), "chapter first-steps", "chapter faster", "no chapter"):
        assert cell in screen.getvalue()


def test_why_tells_every_reason():
    assert terminal.reasons(WALK) == "walk is fresh"
    assert terminal.reasons(LOST) == "lost is orphan:\n  no recipe bakes it any more"


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Waiting("process 7 on desk"), "waiting: process 7 on desk is training this site"),
        (Started("walk"), "walk: loads PyTorch, then bakes"),
        (Fresh("walk"), "walk: fresh"),
        (Finished("walk", True), "walk: baked"),
        (Finished("walk", False), "walk: baked, every number as before"),
        (Failed("walk", BakeError("no")), "walk: failed"),
        (Progress("walk", 60, 600, {"loss": 1.23456}, 9.4), "walk: step 60 of 600, loss 1.235, 9 s left"),
        (Progress("walk", 1, 600, {}, None), "walk: step 1 of 600"),
        (Progress("walk", 1200, 2000, {}, 634.0), "walk: step 1,200 of 2,000, 11 min left"),
        (Progress("walk", 1, 2000, {}, 7500.0), "walk: step 1 of 2,000, 2 h 5 min left"),
        (Resumed("walk", 1200, 2000), "walk: resumes at step 1,200 of 2,000"),
        (Resumed("walk", 7, None), "walk: resumes at step 7"),
        (Note("walk", "begins anew"), "walk: begins anew"),
    ],
)
def test_an_event_is_a_line(event: Event, line: str):
    assert terminal.line(event) == line


def test_a_log_gets_a_tenth_of_the_progress(capsys: pytest.CaptureFixture[str]):
    with terminal.train_report(quiet=False) as report:
        for step in range(1, 101):
            report(Progress("walk", step, 100, {}, None))

    assert capsys.readouterr().err.splitlines() == [f"walk: step {step} of 100" for step in range(10, 101, 10)]


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]):
    with terminal.train_report(quiet=True) as report:
        report(Finished("walk", True))

    assert capsys.readouterr() == ("", "")


def test_bars_on_a_terminal_end_as_lines(monkeypatch: pytest.MonkeyPatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)

    with terminal.train_report(quiet=False) as report:
        report(Started("walk"))
        report(Progress("walk", 50, 100, {"loss": 0.5}, 3.0))
        report(Finished("walk", True))

    assert "walk: baked" in screen.getvalue()
