"""The benchmark of engines judges ours by its limits, and says what it could not measure."""

from __future__ import annotations

import engine
import pytest
from engine import Measured


@pytest.mark.parametrize(
    ("value", "what", "ours", "shown"),
    [
        (0.384, "decode ms", True, "0.38 of 3 holds"),
        (3.01, "decode ms", True, "3.01 of 3 PASSED"),
        (12_289, "gzip bytes", True, "12,289 of 12,288 PASSED"),
        (3_677_976, "gzip bytes", False, "3,677,976"),
    ],
)
def test_only_our_own_engine_has_limits(value: float, what: str, ours: bool, shown: str):
    assert engine.judged(value, what, ours) == shown


def test_a_peer_that_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]):
    alone = Measured("this engine", [3, 8], 9000, decode=[0.5, 0.4], training=6.0, difference=4e-15)

    engine.report([alone], "onnxruntime-web is not installed")

    said = " ".join(capsys.readouterr().out.split())
    assert "no peer: onnxruntime-web is not installed" in said
    assert "at most 4.0e-15" in said


def test_without_a_browser_nothing_is_measured(capsys: pytest.CaptureFixture[str]):
    engine.report([], "no Chromium")

    assert capsys.readouterr().out == "no engine measured: no Chromium\n"


def test_the_peer_is_weighed_as_it_would_be_sent(tmp_path):
    (tmp_path / "a").write_bytes(bytes(1000))

    assert 20 < engine.weight_of([tmp_path / "a"]) < 40
