"""The hand-written blocks of chapter two: each way back against differences, and torch's own layers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from models.reference import blocks, layers
from models.reference.arrays import Array, Gradients
from models.wirings import twins

pytestmark = pytest.mark.bake

RANDOM = np.random.default_rng(2)


def normal(*shape: int) -> Array:
    return RANDOM.standard_normal(shape)


def attention(name: str) -> dict[str, Array]:
    return {f"{name}.{each}.weight": normal(4, 4) for each in ("W_q", "W_k", "W_v", "W_o")}


def ffn(name: str) -> dict[str, Array]:
    shapes = {"W_gate": (3, 4), "W_up": (3, 4), "W_down": (4, 3)}
    return {f"{name}.{each}.weight": normal(*shape) for each, shape in shapes.items()}


WEIGHTS = {
    "norm.weight": normal(4), **ffn("ffn"),
    **attention("encoder.attention"), **ffn("encoder.ffn"), "encoder.norm1.weight": normal(4),
    "encoder.norm2.weight": normal(4),
    **attention("decoder.self_attention"), **attention("decoder.cross_attention"), **ffn("decoder.ffn"),
    **{f"decoder.norm{number}.weight": normal(4) for number in (1, 2, 3)},
}  # fmt: skip


def slope(function: Callable[[Array], float], at: Array) -> Array:
    """Central differences of a function of an array."""
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        ahead, behind = at.copy(), at.copy()
        ahead[place] += 1e-5
        behind[place] -= 1e-5
        found[place] = (function(ahead) - function(behind)) / 2e-5
    return found


ONE_INPUT = {
    "norm": lambda X, w: blocks.rms_norm(X, w, "norm"),
    "ffn": lambda X, w: blocks.gated_ffn(X, w, "ffn"),
    "encoder": lambda X, w: blocks.encoder_block(X, w, "encoder", 2, layers.causal(3))[::2],
}


@pytest.mark.parametrize("name", ONE_INPUT)
def test_the_way_back_is_the_slope_of_the_way_forward(name: str):
    layer, X = ONE_INPUT[name], normal(2, 3, 4)
    Y, back = layer(X, WEIGHTS)
    dY, gradients = normal(*Y.shape), {}

    dX = back(dY, gradients)

    np.testing.assert_allclose(dX, slope(lambda each: float((layer(each, WEIGHTS)[0] * dY).sum()), X), atol=1e-7)
    assert set(gradients) == {each for each in WEIGHTS if each.startswith(f"{name}.")}
    for each, gradient in gradients.items():
        expected = slope(lambda W, each=each: float((layer(X, {**WEIGHTS, each: W})[0] * dY).sum()), WEIGHTS[each])
        np.testing.assert_allclose(gradient, expected, atol=1e-7)


def test_the_decoder_leads_back_to_what_is_written_and_to_what_was_read():
    X, memory = normal(2, 3, 4), normal(2, 5, 4)
    masks = layers.causal(3), layers.padding(np.array([2, 5]), 5)

    def forward(X: Array, memory: Array, weights: dict[str, Array]) -> Array:
        return blocks.decoder_block(X, memory, weights, "decoder", 2, *masks)[0]

    Y, _, _, back = blocks.decoder_block(X, memory, WEIGHTS, "decoder", 2, *masks)
    dY = normal(*Y.shape)
    gradients: Gradients = {}
    dX, d_memory = back(dY, gradients)

    np.testing.assert_allclose(dX, slope(lambda each: float((forward(each, memory, WEIGHTS) * dY).sum()), X), atol=1e-7)
    expected = slope(lambda each: float((forward(X, each, WEIGHTS) * dY).sum()), memory)
    np.testing.assert_allclose(d_memory, expected, atol=1e-7)
    assert (d_memory[0, 2:] == 0).all()
    for each, gradient in gradients.items():
        expected = slope(
            lambda W, each=each: float((forward(X, memory, {**WEIGHTS, each: W}) * dY).sum()), WEIGHTS[each]
        )
        np.testing.assert_allclose(gradient, expected, atol=1e-7)


@pytest.mark.parametrize("opinion", [twins.on_rms_norm, twins.on_gated_ffn])
def test_torchs_own_layers_agree(opinion: Callable):
    torch.set_num_threads(1)
    for _, ours, theirs in opinion():
        np.testing.assert_allclose(ours, theirs, atol=1e-13, rtol=1e-12)
