"""Attention: queries, keys and values to weighted means of the values, with masks and with many heads."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """queries: (…, query, d), keys: (…, key, d), values: (…, key, v) -> outputs (…, query, v), weights (…, query, key).

    `mask` is True where a query may see a key, and broadcasts to (…, query, key); each query must see a key.
    Vaswani et al. 2017, eq. 1.
    """
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


def causal_mask(length: int) -> Tensor:
    """(query, key), True where key ≤ query: a position sees itself and what came before it."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding_mask(valid_lens: Tensor, length: int) -> Tensor:
    """valid_lens: (batch,) -> (batch, 1, 1, key), True at the first valid_lens keys: padding is never read."""
    return (torch.arange(length) < valid_lens[:, None])[:, None, None]


class MultiHeadAttention(nn.Module):
    """Attention done num_heads times side by side, each in its own slice of the projected vectors.

    Vaswani et al. 2017, section 3.2.2. No projection has a bias: one on the keys would add the same number to all
    scores of a query, which softmax cannot see; its gradient is nothing but rounding, and Adam would make steps of it.
    """

    def __init__(self, num_hiddens: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """queries: (batch, query, num_hiddens), keys, values: (batch, key, num_hiddens)
        -> outputs (batch, query, num_hiddens), weights (batch, num_heads, query, key)."""
        queries, keys, values = self.W_q(queries), self.W_k(keys), self.W_v(values)
        heads, weights = scaled_dot_product_attention(self.split(queries), self.split(keys), self.split(values), mask)
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights

    def split(self, X: Tensor) -> Tensor:
        """(batch, seq, num_hiddens) -> (batch, num_heads, seq, head_dim)."""
        return X.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
