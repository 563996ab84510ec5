"""The table of runs as values."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_site import PACE, RUN, WALK, toy_site, write_module

from sitegen.overview import key_metric, overview
from sitegen.schema import Metric
from sitegen.train import train


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)


def test_every_run_has_its_state_and_what_it_measured(site: Path):
    train(site, names=("walk",), report=lambda event: None)

    walk, after = overview(site)

    assert (walk.run, walk.chapter, walk.act, walk.seed, walk.steps) == ("walk", "first-steps", 1, 3, 4)
    assert walk.metric == "top 3.4 m"
    assert (walk.state, walk.size > 1000, walk.seconds is not None and walk.seconds < 5) == ("fresh", True, True)
    assert (after.run, after.steps, after.state, after.reasons) == ("after", None, "missing", ("it was never baked",))
    assert (after.size, after.seconds, after.metric) == (0, None, "")


def test_a_run_that_lost_its_recipe_is_an_orphan(site: Path):
    train(site, report=lambda event: None)
    write_module(site, "run", "")

    orphan = overview(site)[-1]

    assert (orphan.run, orphan.state) == ("after", "orphan")
    assert orphan.reasons == ("no recipe bakes it any more; if it is not wanted, remove build/runs/after",)


def test_broken_timings_are_no_reason_to_fail(site: Path):
    train(site, names=("walk",), report=lambda event: None)
    (site / "build/runs/walk/timings.json").write_text("[]", encoding="utf-8")

    assert overview(site)[0].seconds is None


def test_the_key_metric_says_which_way_is_good():
    assert key_metric({"a": Metric(1), "b": Metric(0.98765, "share", "higher")}) == "b 0.9877 share"
    assert key_metric({"b": Metric(2), "a": Metric(1)}) == "a 1"
    assert key_metric({}) == ""


def test_a_headline_stands_before_all_other_metrics():
    assert key_metric({"a": Metric(1, None, "higher"), "b": Metric(2)}, "b") == "b 2"
