"""The block of today's encoders: normalisation stands before each sublayer, by the root mean square alone, and the
feed-forward network has a gate."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from models.attention.attention import MultiHeadAttention


class RMSNorm(nn.Module):
    """Divides each vector by its root mean square, and scales each feature. Zhang and Sennrich 2019, eq. 4."""

    def __init__(self, num_hiddens: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_hiddens))
        self.eps = eps

    def forward(self, X: Tensor) -> Tensor:
        """(…, num_hiddens) -> the same shape."""
        mean_square = X.square().mean(dim=-1, keepdim=True)
        return X * torch.rsqrt(mean_square + self.eps) * self.weight


class GatedFFN(nn.Module):
    """Two projections, of which one, through SiLU, says how much of the other passes: SwiGLU. Shazeer 2020, eq. 6."""

    def __init__(self, num_hiddens: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.W_gate = nn.Linear(num_hiddens, ffn_num_hiddens, bias=False)
        self.W_up = nn.Linear(num_hiddens, ffn_num_hiddens, bias=False)
        self.W_down = nn.Linear(ffn_num_hiddens, num_hiddens, bias=False)

    def forward(self, X: Tensor) -> Tensor:
        """(…, num_hiddens) -> the same shape; each position by itself."""
        return self.W_down(silu(self.W_gate(X)) * self.W_up(X))


class EncoderBlock(nn.Module):
    """Self-attention, then a gated feed-forward network; each reads what is normalised and adds to what is not.

    Pre-norm as in Xiong et al. 2020, figure 1b: the sum that runs through all blocks is itself never normalised.
    """

    def __init__(self, num_hiddens: int, num_heads: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.norm1 = RMSNorm(num_hiddens)
        self.attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = RMSNorm(num_hiddens)
        self.ffn = GatedFFN(num_hiddens, ffn_num_hiddens)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """X: (batch, seq, num_hiddens) -> the same shape, and the weights (batch, num_heads, query, key).

        `mask` is True where a query may see a key; without one each position sees all, on both sides.
        """
        X, weights = self.attend(X, mask)
        return self.feed_forward(X), weights

    def attend(self, X: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The first sublayer, in which positions read each other."""
        normed = self.norm1(X)
        Y, weights = self.attention(normed, normed, normed, mask)
        return X + Y, weights

    def feed_forward(self, X: Tensor) -> Tensor:
        """The second sublayer, which each position goes through alone: (…, num_hiddens) -> the same shape."""
        return X + self.ffn(self.norm2(X))
