"""The benchmark of pages gives the peers the same prose, and judges our page alone."""

from __future__ import annotations

from pathlib import Path

import pages
import pytest
from pages import Loaded, text_of

ACT = """\
+++
title = "An act"
+++

Lead.

## A step
```{figure} some-kind
run = "a"
still = "b"
alt = "What is drawn."
```
It reads.

## The next
```{state}
t = 3
```
More.
"""


def test_a_peer_gets_the_prose_with_each_figure_in_its_place(tmp_path: Path):
    (tmp_path / "01-act.md").write_text(ACT, "utf-8")

    text = text_of(tmp_path, lambda block: f"[{block['run']} {block['still']}: {block['alt']}]")

    assert text.split() == (
        "# An act Lead. ## A step [a b: What is drawn.] It reads. ## The next More.".split()  # noqa: SIM905
    )


def test_only_our_own_page_is_held_to_the_limits(capsys: pytest.CaptureFixture[str]):
    pages.report(
        [Loaded(pages.SITE, 900, 0.001, 80, 0, 104, 14, 300), Loaded(pages.PLOTLY, 3000, 0.3, 900, 70, 300, 4, 5000)]
    )

    said = capsys.readouterr().out
    assert "900 holds" in said
    assert "0.001 holds" in said
    assert "80 PASSED" in said
    assert "104 PASSED" in said
    assert said.count("PASSED") == 2
    assert "3000" in said


def test_without_a_browser_no_page_is_measured(capsys: pytest.CaptureFixture[str]):
    pages.report([])

    assert capsys.readouterr().out == "no page measured: no Chromium\n"
