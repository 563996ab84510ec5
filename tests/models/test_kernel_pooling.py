import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from models.attention.kernel_pooling import (
    best_width,
    kernel_pooling,
    leave_one_out,
    mean_absolute_error,
    noisy_samples,
    truth,
)
from models.attention.kernels import KERNELS, boxcar, constant, gaussian
from sitegen.runs import load

pytestmark = pytest.mark.bake

RUN = Path(__file__).parents[2] / "build/runs/kernel-pooling"
X, Y = noisy_samples(2, 40, (0.0, 5.0), 1.0)
QUERIES = torch.linspace(0, 5, 101, dtype=torch.float64)


def brute_force(name: str, query: float, keys: list[float], values: list[float], width: float) -> float:
    """Nadaraya–Watson for one query, one sample at a time, with kernels written out anew."""
    formulas = {
        "gaussian": lambda u: math.exp(-u * u / 2),
        "boxcar": lambda u: float(abs(u) <= 1),
        "constant": lambda u: 1.0,
        "epanechnikov": lambda u: max(0.0, 1 - u * u),
        "triangular": lambda u: max(0.0, 1 - abs(u)),
    }
    say = [formulas[name]((query - key) / width) for key in keys]
    return sum(s * value for s, value in zip(say, values, strict=True)) / sum(say)


def test_samples_are_on_the_domain_in_rising_order_and_belong_to_their_seed():
    x, y = noisy_samples(2, 40, (0.0, 5.0), 1.0)
    assert (x.diff() >= 0).all()
    assert x.min() >= 0
    assert x.max() <= 5
    assert torch.equal(y, Y)
    assert not torch.equal(x, noisy_samples(3, 40, (0.0, 5.0), 1.0)[0])


def test_without_noise_the_samples_lie_on_the_curve():
    x, y = noisy_samples(0, 40, (0.0, 5.0), 0.0)
    assert torch.equal(y, truth(x))
    assert truth(torch.tensor(0.0)) == 0


@pytest.mark.parametrize("name", KERNELS)
def test_pooling_is_the_nadaraya_watson_estimate(name):
    estimates, _, defined = kernel_pooling(QUERIES, X, Y, KERNELS[name], 0.5)
    assert defined.all()
    expected = [brute_force(name, query, X.tolist(), Y.tolist(), 0.5) for query in QUERIES.tolist()]
    np.testing.assert_allclose(estimates, expected, rtol=0, atol=1e-13)


def test_the_gaussian_kernels_weights_are_a_softmax_over_minus_half_the_squared_distance():
    _, weights, _ = kernel_pooling(QUERIES, X, Y, gaussian, 0.5)
    assert_close(weights, torch.softmax(-(((QUERIES[:, None] - X) / 0.5) ** 2) / 2, dim=-1))


@given(width=st.floats(0.05, 5), name=st.sampled_from(sorted(KERNELS)))
def test_weights_sum_to_one_where_defined_and_to_zero_in_an_empty_window(width, name):
    _, weights, defined = kernel_pooling(QUERIES, X, Y, KERNELS[name], width)
    assert (weights >= 0).all()
    assert_close(weights.sum(dim=-1), defined.double())


@given(width=st.floats(0.05, 5), name=st.sampled_from(sorted(KERNELS)))
def test_an_estimate_never_leaves_the_range_of_the_samples(width, name):
    estimates, _, defined = kernel_pooling(QUERIES, X, Y, KERNELS[name], width)
    assert (estimates[defined] >= Y.min() - 1e-12).all()
    assert (estimates[defined] <= Y.max() + 1e-12).all()


def test_an_empty_window_is_undefined_and_has_no_part_in_the_error():
    keys = torch.tensor([0.0, 1.0], dtype=torch.float64)
    estimates, _, defined = kernel_pooling(
        torch.tensor([0.1, 0.5, 0.9]), keys, torch.tensor([2.0, 4.0]).double(), boxcar, 0.2
    )
    assert defined.tolist() == [True, False, True]
    assert mean_absolute_error(estimates, torch.tensor([2.5, 99.0, 4.0]).double(), defined) == 0.25


def test_the_constant_kernel_gives_the_plain_mean_at_every_width():
    for width in (0.05, 5.0):
        estimates, _, _ = kernel_pooling(QUERIES, X, Y, constant, width)
        assert_close(estimates, Y.mean().expand_as(estimates))


def test_leave_one_out_is_pooling_over_the_other_samples():
    estimates, defined = leave_one_out(X, Y, gaussian, 0.5)
    assert defined.all()
    for left_out in (0, 17, 39):
        rest = [k for k in range(40) if k != left_out]
        expected = brute_force("gaussian", X[left_out].item(), X[rest].tolist(), Y[rest].tolist(), 0.5)
        assert estimates[left_out].item() == pytest.approx(expected, abs=1e-13)


def test_the_best_width_is_sought_only_among_those_that_leave_no_gap():
    assert best_width([0.1, 0.5, 1.0], [0.0, 0.4, 0.3], [0.9, 1.0, 1.0]) == (1.0, 0.3)


def test_the_error_at_width_one_half_is_what_the_runs_own_samples_give():
    run = load(RUN)
    x, y = run.series["sample_x"].values, run.series["sample_y"].values
    queries = run.series["fit"].coordinates["query"]
    errors = [abs(brute_force("gaussian", q, x, y, 0.5) - (2 * math.sin(q) + q)) for q in queries]
    assert run.metrics["gaussian_error"].value == pytest.approx(sum(errors) / len(errors), abs=1e-12)


def test_the_run_marks_every_empty_window_and_coverage_counts_the_rest():
    run = load(RUN)
    defined, coverage = run.series["defined"], run.series["coverage"]
    x = np.array(run.series["sample_x"].values)
    kernels, widths, queries = (defined.coordinates[axis] for axis in defined.axes)
    for width in range(len(widths)):
        row = defined.at(kernels.index("boxcar"), width)
        assert row == [int((abs(x - query) <= widths[width]).any()) for query in queries]
        assert coverage.at(kernels.index("boxcar"), width) == [pytest.approx(sum(row) / len(row))]
        assert all(defined.at(kernels.index("gaussian"), width))
