"""The benchmark of redraws judges each figure by its slowest position."""

from __future__ import annotations

import pytest
import redraw
from redraw import Redraw


def test_a_figure_is_judged_by_its_slowest_position_and_one_without_sliders_is_left_out(
    capsys: pytest.CaptureFixture[str],
):
    redraw.report([Redraw("quick", (1.0, 2.0, 7.9)), Redraw("slow", (1.0, 8.2)), Redraw("still", ())])

    said = capsys.readouterr().out
    assert "7.9 of 8 holds" in said
    assert "8.2 of 8 PASSED" in said
    assert "still" not in said


def test_without_a_browser_nothing_is_measured(capsys: pytest.CaptureFixture[str]):
    redraw.report([])

    assert capsys.readouterr().out == "no redraw measured: no Chromium\n"
