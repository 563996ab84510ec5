"""Our Adam, clipping and decay do what torch's do."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from models.attention.adam import Adam, clip_gradients, linear_decay

pytestmark = pytest.mark.bake


def twins():
    generator = torch.Generator().manual_seed(2)
    weights = [torch.randn(4, 3, dtype=torch.float64, generator=generator), torch.ones(4, dtype=torch.float64)]
    return [[nn.Parameter(weight.clone()) for weight in weights] for _ in range(2)]


def lose(parameters, step):
    """A loss whose gradient is large at first and changes its direction."""
    X = torch.linspace(-3, 3 + step, 3, dtype=torch.float64)
    return ((parameters[0] @ X + parameters[1] ** 2) - step).square().sum()


def test_torch_moves_the_parameters_to_the_same_place():
    ours, theirs = twins()
    adam = Adam(ours)
    oracle = torch.optim.Adam(theirs, lr=0.0)
    for step in range(50):
        rate = linear_decay(step, 50, 0.1)
        adam.forget_gradients()
        lose(ours, step).backward()
        norm = clip_gradients(ours, 1.0)
        adam.step(rate)

        oracle.zero_grad()
        lose(theirs, step).backward()
        expected_norm = nn.utils.clip_grad_norm_(theirs, 1.0)
        oracle.param_groups[0]["lr"] = rate
        oracle.step()
        assert norm == pytest.approx(expected_norm.item(), rel=1e-12)
    assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_a_small_gradient_is_not_clipped():
    parameter = nn.Parameter(torch.zeros(2))
    parameter.grad = torch.tensor([0.3, 0.4])
    assert clip_gradients([parameter], 1.0) == pytest.approx(0.5)
    assert parameter.grad.tolist() == torch.tensor([0.3, 0.4]).tolist()


def test_the_rate_falls_in_a_straight_line_to_nought():
    assert [linear_decay(step, 4, 0.8) for step in range(5)] == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.0])
