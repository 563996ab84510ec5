"""Scores and their softmax: how well a query fits a key, and how padding is kept from having a say."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def scaled_dot_product_scores(queries: Tensor, keys: Tensor) -> Tensor:
    """q · k / √d: (…, query, d), (…, key, d) -> (…, query, key). Vaswani et al. 2017, section 3.2.1."""
    return queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])


class AdditiveScore(nn.Module):
    """w · tanh(W_q q + W_k k): a small network that scores queries and keys of different sizes.

    Bahdanau et al. 2014, section A.1.2.
    """

    def __init__(self, query_size: int, key_size: int, num_hiddens: int) -> None:
        super().__init__()
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.w = nn.Linear(num_hiddens, 1, bias=False)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """(batch, query, query_size), (batch, key, key_size) -> (batch, query, key)."""
        hidden = self.W_q(queries)[:, :, None] + self.W_k(keys)[:, None]  # (batch, query, key, num_hiddens)
        return self.w(torch.tanh(hidden)).squeeze(-1)


def valid_keys(valid_lens: Tensor, num_keys: int) -> Tensor:
    """(batch,) -> (batch, 1, key), True at the first valid_lens keys; the rest is padding."""
    return (torch.arange(num_keys) < valid_lens[:, None])[:, None]


def masked_softmax(scores: Tensor, valid_lens: Tensor) -> Tensor:
    """Softmax over the keys that are there: (batch, query, key), (batch,) -> (batch, query, key).

    A padded key scores −∞ and weighs exactly 0. Where every key is padding there is nothing to read: the row is
    defined as all 0, so that it reads the zero vector. A row of −∞ alone would be 0/0, so it is not made: with it one
    empty sequence would turn the gradients of the whole batch into NaN.
    """
    seen = valid_keys(valid_lens, scores.shape[-1])
    padding = ~seen & seen.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(padding, -math.inf), dim=-1).where(seen, 0.0)


def softmax_masked_with_zero(scores: Tensor, valid_lens: Tensor) -> Tensor:
    """The classic bug, kept to be looked at: a score of 0 is a score like any other, and e⁰ = 1 takes its share."""
    seen = valid_keys(valid_lens, scores.shape[-1])
    return torch.softmax(scores.masked_fill(~seen, 0.0), dim=-1)
