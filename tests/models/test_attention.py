"""Attention is a weighted mean, masks hide what they hide, and torch's own attention agrees."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.testing import assert_close

from models.attention.attention import MultiHeadAttention, causal_mask, padding_mask, scaled_dot_product_attention

pytestmark = pytest.mark.bake


@pytest.fixture
def draw():
    generator = torch.Generator().manual_seed(4)
    return lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=generator)


def test_outputs_are_means_of_the_values_weighted_by_rows_that_sum_to_one(draw):
    outputs, weights = scaled_dot_product_attention(draw(2, 3, 4, 8), draw(2, 3, 5, 8), values := draw(2, 3, 5, 6))
    assert (outputs.shape, weights.shape) == ((2, 3, 4, 6), (2, 3, 4, 5))
    assert_close(weights.sum(-1), torch.ones(2, 3, 4, dtype=torch.float64))
    assert_close(outputs, torch.einsum("bhqk,bhkv->bhqv", weights, values))


def test_torch_computes_the_same_attention(draw):
    queries, keys, values = draw(2, 3, 6, 8), draw(2, 3, 6, 8), draw(2, 3, 6, 8)
    for mask in (None, causal_mask(6), padding_mask(torch.tensor([2, 6]), 6)):
        outputs, _ = scaled_dot_product_attention(queries, keys, values, mask)
        assert_close(outputs, functional.scaled_dot_product_attention(queries, keys, values, mask))


def test_a_masked_cell_has_exactly_no_weight(draw):
    _, weights = scaled_dot_product_attention(draw(2, 6, 4), draw(2, 6, 4), draw(2, 6, 4), causal_mask(6))
    assert (weights.triu(1) == 0).all()
    assert (weights[:, 0, 0] == 1).all()


def test_padding_is_never_read(draw):
    queries, keys, values = draw(2, 1, 4, 8), draw(2, 1, 5, 8), draw(2, 1, 5, 8)
    mask = padding_mask(torch.tensor([3, 5]), 5)
    before, weights = scaled_dot_product_attention(queries, keys, values, mask)
    keys[0, :, 3:], values[0, :, 3:] = 1e3, -1e3
    after, _ = scaled_dot_product_attention(queries, keys, values, mask)
    assert (weights[0, :, :, 3:] == 0).all()
    assert_close(before, after)


@pytest.mark.parametrize("num_heads", [1, 2, 4])
def test_torch_computes_the_same_multi_head_attention(draw, num_heads):
    queries, memory = draw(2, 4, 16), draw(2, 5, 16)
    ours = MultiHeadAttention(16, num_heads).double()
    oracle = nn.MultiheadAttention(16, num_heads, bias=False, batch_first=True).double()
    with torch.no_grad():
        oracle.in_proj_weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
        oracle.out_proj.weight.copy_(ours.W_o.weight)
    outputs, weights = ours(queries, memory, memory)
    expected, expected_weights = oracle(queries, memory, memory, average_attn_weights=False)
    assert_close((outputs, weights), (expected, expected_weights))


def test_no_projection_has_a_bias():
    assert {name for name, _ in MultiHeadAttention(16, 2).named_parameters()} == {
        "W_q.weight",
        "W_k.weight",
        "W_v.weight",
        "W_o.weight",
    }


def test_without_positions_a_permutation_of_the_inputs_permutes_the_outputs(draw):
    attention, X = MultiHeadAttention(16, 2).double(), draw(1, 6, 16)
    order = torch.tensor([3, 1, 5, 0, 2, 4])
    (plain, _), (permuted, _) = attention(X, X, X), attention(*[X[:, order]] * 3)
    assert_close(permuted, plain[:, order], rtol=0, atol=1e-12)
