"""The hand-written layers: forward against torch's, and each way back against differences of what went forward."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from models.attention import opinions
from models.reference import layers
from models.reference.arrays import Array, Gradients

RANDOM = np.random.default_rng(1)


def normal(*shape: int) -> Array:
    return RANDOM.standard_normal(shape)


WEIGHTS = {
    "dense.weight": normal(3, 4), "dense.bias": normal(3),
    "norm.weight": normal(4), "norm.bias": normal(4),
    "ffn.dense1.weight": normal(5, 4), "ffn.dense1.bias": normal(5),
    "ffn.dense2.weight": normal(4, 5), "ffn.dense2.bias": normal(4),
    "table.weight": normal(6, 4),
    "score.W_q.weight": normal(3, 4), "score.W_k.weight": normal(3, 2), "score.w.weight": normal(1, 3),
    **{f"heads.{name}.weight": normal(4, 4) for name in ("W_q", "W_k", "W_v", "W_o")},
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
    "linear": lambda X, w: layers.linear(X, w, "dense"),
    "layer norm": lambda X, w: layers.layer_norm(X, w, "norm"),
    "ffn with relu": lambda X, w: layers.ffn(X, w, "ffn", layers.relu),
    "ffn with gelu": lambda X, w: layers.ffn(X, w, "ffn", layers.gelu),
}
USED = {"linear": "dense.", "layer norm": "norm.", "ffn with relu": "ffn.", "ffn with gelu": "ffn."}


@pytest.mark.parametrize("name", ONE_INPUT)
def test_the_way_back_is_the_slope_of_the_way_forward(name: str):
    layer, X = ONE_INPUT[name], normal(2, 3, 4)
    Y, back = layer(X, WEIGHTS)
    dY = normal(*Y.shape)
    gradients: Gradients = {}

    dX = back(dY, gradients)

    np.testing.assert_allclose(dX, slope(lambda each: float((layer(each, WEIGHTS)[0] * dY).sum()), X), atol=1e-8)
    assert set(gradients) == {each for each in WEIGHTS if each.startswith(USED[name])}
    for each, gradient in gradients.items():
        expected = slope(lambda W, each=each: float((layer(X, {**WEIGHTS, each: W})[0] * dY).sum()), WEIGHTS[each])
        np.testing.assert_allclose(gradient, expected, atol=1e-8)


@pytest.mark.parametrize("mask", [None, layers.causal(3)], ids=["unmasked", "causal"])
def test_attention_of_many_heads_leads_back_to_queries_and_memory(mask: Array | None):
    X, memory = normal(2, 3, 4), normal(2, 3, 4)

    def forward(X: Array, memory: Array, weights: dict[str, Array]) -> Array:
        return layers.multi_head_attention(X, memory, weights, "heads", 2, mask)[0]

    Y, _, back = layers.multi_head_attention(X, memory, WEIGHTS, "heads", 2, mask)
    dY, gradients = normal(*Y.shape), {}
    dX, d_memory = back(dY, gradients)

    np.testing.assert_allclose(dX, slope(lambda each: float((forward(each, memory, WEIGHTS) * dY).sum()), X), atol=1e-8)
    expected = slope(lambda each: float((forward(X, each, WEIGHTS) * dY).sum()), memory)
    np.testing.assert_allclose(d_memory, expected, atol=1e-8)
    name = "heads.W_k.weight"
    expected = slope(lambda W: float((forward(X, memory, {**WEIGHTS, name: W}) * dY).sum()), WEIGHTS[name])
    np.testing.assert_allclose(gradients[name], expected, atol=1e-8)


def test_additive_scores_lead_back_to_queries_keys_and_weights():
    queries, keys = normal(3, 4), normal(5, 2)
    scores, back = layers.additive_scores(queries, keys, WEIGHTS, "score")
    dS, gradients = normal(*scores.shape), {}

    dq, dk = back(dS, gradients)

    def total(q: Array, k: Array) -> float:
        return float((layers.additive_scores(q, k, WEIGHTS, "score")[0] * dS).sum())

    np.testing.assert_allclose(dq, slope(lambda each: total(each, keys), queries), atol=1e-8)
    np.testing.assert_allclose(dk, slope(lambda each: total(queries, each), keys), atol=1e-8)
    assert {name: gradient.shape for name, gradient in gradients.items()} == {
        "score.W_q.weight": (3, 4), "score.W_k.weight": (3, 2), "score.w.weight": (1, 3),
    }  # fmt: skip


def test_a_row_of_an_embedding_collects_what_each_of_its_uses_got():
    tokens, gradients = np.array([[1, 1, 5]]), {}
    _, back = layers.embedding(tokens, WEIGHTS, "table")

    back(np.array([[[1.0, 2, 3, 4], [1, 1, 1, 1], [0, 0, 0, 7]]]), gradients)

    assert gradients["table.weight"].tolist() == [[0] * 4, [2, 3, 4, 5], [0] * 4, [0] * 4, [0] * 4, [0, 0, 0, 7]]


@pytest.mark.parametrize(
    "opinion", [opinions.on_attention, opinions.on_encoder_block, opinions.on_gelu, opinions.on_loss,
                opinions.on_smoothed_loss]
)  # fmt: skip
def test_torchs_own_layers_agree(opinion: Callable):
    torch.set_num_threads(1)
    for _, ours, theirs in opinion():
        np.testing.assert_allclose(ours, theirs, atol=1e-13, rtol=1e-12)


def test_a_masked_key_weighs_exactly_nothing():
    Q, K, V = normal(1, 3, 4), normal(1, 3, 4), normal(1, 3, 4)

    _, A, _ = layers.dot_product_attention(Q, K, V, layers.causal(3))

    assert A[0][~layers.causal(3)].tolist() == [0, 0, 0]
    np.testing.assert_allclose(A.sum(axis=-1), 1, rtol=1e-15)
