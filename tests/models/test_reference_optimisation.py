"""Clipping, Adam and the falling rate, against torch.optim."""

from __future__ import annotations

import numpy as np
import torch

from models.reference.optimisation import Adam, clipped, falling_rate, shrunk

RANDOM = np.random.default_rng(2)


def test_adam_moves_as_torchs_does():
    start, gradients = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((20, 3, 4))
    parameter = torch.nn.Parameter(torch.from_numpy(start.copy()))
    theirs, ours, weights = torch.optim.Adam([parameter], lr=0.01), Adam(), {"w": start}

    for gradient in gradients:
        parameter.grad = torch.from_numpy(gradient.copy())
        theirs.step()
        weights = ours.update(weights, {"w": gradient}, 0.01)

    np.testing.assert_allclose(weights["w"], parameter.detach().numpy(), rtol=1e-13)


def test_the_first_step_of_adam_is_the_rate_whatever_the_gradient():
    moved = Adam().update({"w": np.zeros(2)}, {"w": np.array([1e-3, -50.0])}, 0.1)

    np.testing.assert_allclose(moved["w"], [-0.1, 0.1], rtol=1e-4)


def test_a_weight_without_a_gradient_stays():
    weights = {"w": np.ones(2), "positions": np.ones(3)}

    assert Adam().update(weights, {"w": np.ones(2)}, 0.1)["positions"] is weights["positions"]


def test_gradients_are_clipped_by_one_factor_as_torch_clips_them():
    gradients = {"a": RANDOM.standard_normal(5), "b": RANDOM.standard_normal((2, 2))}
    parameters = [
        torch.nn.Parameter(torch.zeros(gradient.shape, dtype=torch.float64)) for gradient in gradients.values()
    ]
    for parameter, gradient in zip(parameters, gradients.values(), strict=True):
        parameter.grad = torch.from_numpy(gradient.copy())
    torch.nn.utils.clip_grad_norm_(parameters, 0.5)

    for ours, theirs in zip(clipped(gradients, 0.5).values(), parameters, strict=True):
        np.testing.assert_allclose(ours, theirs.grad.numpy(), rtol=1e-14)
    assert all(np.array_equal(clipped(gradients, 100)[name], gradients[name]) for name in gradients)


def test_the_rate_falls_in_a_straight_line_to_nothing():
    assert [falling_rate(step, 4, 0.8) for step in range(5)] == [0.8, 0.8 * 3 / 4, 0.4, 0.2, 0]


def test_only_the_named_weights_shrink():
    weights = {"a": np.array([2.0]), "b": np.array([2.0])}

    assert {name: value.tolist() for name, value in shrunk(weights, ("a",), 0.25).items()} == {"a": [1.5], "b": [2.0]}
