"""The published power laws: what the paper says of its own curves holds for ours."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from models.attention.scaling_law import GROWTH, TIMES, decades, power_law, short
from sitegen import runs

FOLDER = Path(__file__).resolve().parents[2] / "build/runs/scaling-law"


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


def test_at_the_critical_size_the_loss_is_one():
    assert power_law(8.8e13, 8.8e13, 0.076) == 1.0


def test_doubling_the_parameters_leaves_95_percent_of_the_loss():
    """Kaplan et al. 2020, section 1.2: 2 to the power of -0.076 is 0.95."""
    assert power_law(2e8, 8.8e13, 0.076) / power_law(1e8, 8.8e13, 0.076) == pytest.approx(0.95, abs=0.002)


@pytest.mark.parametrize("name", GROWTH)
def test_a_curve_is_a_straight_line_on_logarithmic_axes(run, name):
    series = run.series[f"loss_by_{name}"]
    points = [(math.log(x), math.log(y)) for x, y in zip(series.coordinates[name], series.values, strict=True)]
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(points)]
    assert slopes == pytest.approx([-run.parameters[f"{name}_exponent"]] * len(slopes), abs=1e-4)


@pytest.mark.parametrize("name", GROWTH)
def test_what_is_said_of_an_increase_is_what_the_curve_does(run, name):
    left = dict(zip(TIMES, run.series["loss_left"].at(list(GROWTH).index(name)), strict=True))
    values = run.series[f"loss_by_{name}"].values
    assert values[-1] / values[-31] == pytest.approx(left[1000], rel=1e-4)
    assert run.metrics[f"{name}_fall_per_tenfold"].value == pytest.approx(1 - left[10], abs=1e-5)
    halves = run.metrics[f"{name}_to_halve"].value ** -run.parameters[f"{name}_exponent"]
    assert halves == pytest.approx(0.5)


def test_powers_of_ten_are_exact_and_read_as_one_says_them():
    assert decades(0, 1)[::10] == [1.0, 10.0]
    assert [short(value) for value in (1e9, 1e7, 1e5, 10.0, 0.1)] == ["1B", "10M", "100k", "10", "0.1"]
