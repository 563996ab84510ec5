"""The benchmark of reloads judges each kind of file by its best save."""

from __future__ import annotations

from pathlib import Path

import pytest
import reload
from reload import Reload

ROOT = Path(__file__).resolve().parents[2]


def test_a_kind_is_judged_by_its_best_save(capsys: pytest.CaptureFixture[str]):
    reload.report([Reload("quick", (250.0, 199.0)), Reload("slow", (201.0, 240.0))])

    said = capsys.readouterr().out
    assert "200 holds" in said
    assert "200 PASSED" in said


def test_this_site_has_a_file_of_each_kind():
    assert [kind for kind, (pattern, _) in reload.EDITS.items() if not sorted(ROOT.glob(pattern))] == []
