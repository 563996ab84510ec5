import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.attention import scaled_dot_product_attention
from models.attention.scores import (
    AdditiveScore,
    masked_softmax,
    scaled_dot_product_scores,
    softmax_masked_with_zero,
)

pytestmark = pytest.mark.bake


@pytest.fixture
def scores() -> torch.Tensor:
    """(batch 3, query 2, key 5)"""
    return torch.randn(3, 2, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_scaled_scores_are_those_of_scaled_dot_product_attention():
    generator = torch.Generator().manual_seed(0)
    queries, keys = (torch.randn(2, n, 16, generator=generator, dtype=torch.float64) for n in (3, 5))
    _, weights = scaled_dot_product_attention(queries, keys, keys)
    assert_close(scaled_dot_product_scores(queries, keys).softmax(dim=-1), weights)


def test_rows_sum_to_one_and_padding_weighs_exactly_nothing(scores):
    weights = masked_softmax(scores, torch.tensor([5, 3, 1]))
    assert_close(weights.sum(dim=-1), torch.ones(3, 2, dtype=torch.float64))
    assert not weights[1, :, 3:].any()
    assert weights[2, :, 0].tolist() == [1, 1]


def test_masking_is_the_softmax_of_the_keys_that_are_there(scores):
    weights = masked_softmax(scores, torch.tensor([5, 3, 1]))
    assert_close(weights[1, :, :3], scores[1, :, :3].softmax(dim=-1))


def test_what_stands_in_the_padding_changes_nothing(scores):
    changed = scores.clone()
    changed[1, :, 3:] = 1e6
    lens = torch.tensor([5, 3, 1])
    assert torch.equal(masked_softmax(scores, lens), masked_softmax(changed, lens))


def test_a_row_that_is_all_padding_is_all_zero_and_harms_no_gradient(scores):
    scores.requires_grad_()
    weights = masked_softmax(scores, torch.tensor([0, 3, 5]))
    assert not weights[0].any()
    weights.square().sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()
    assert not scores.grad[0].any()


def test_masking_with_zero_lets_padding_vote(scores):
    weights = softmax_masked_with_zero(scores, torch.tensor([5, 3, 1]))
    assert_close(weights.sum(dim=-1), torch.ones(3, 2, dtype=torch.float64))
    expected = 2 / (2 + scores[1, :, :3].exp().sum(dim=-1))  # each padded key has e⁰ = 1
    assert_close(weights[1, :, 3:].sum(dim=-1), expected)


def test_the_additive_score_takes_queries_and_keys_of_different_sizes():
    score = AdditiveScore(query_size=6, key_size=4, num_hiddens=8).double()
    generator = torch.Generator().manual_seed(0)
    queries = torch.randn(2, 3, 6, generator=generator, dtype=torch.float64)
    keys = torch.randn(2, 5, 4, generator=generator, dtype=torch.float64)
    scores = score(queries, keys).detach().numpy()
    W_q, W_k, w = (layer.weight.detach().numpy() for layer in (score.W_q, score.W_k, score.w))
    assert scores.shape == (2, 3, 5)
    for batch, query, key in np.ndindex(2, 3, 5):
        hidden = [math.tanh(h) for h in W_q @ queries[batch, query].numpy() + W_k @ keys[batch, key].numpy()]
        assert scores[batch, query, key] == pytest.approx(float(w[0] @ hidden), abs=1e-14)
