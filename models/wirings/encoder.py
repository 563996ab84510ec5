"""A bidirectional Transformer encoder: tokens to one vector a position that has read both sides.

Given a causal mask, the very same model is a decoder-only one: each position reads itself and what came before it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.attention.initial import initialise
from models.wirings.blocks import EncoderBlock, RMSNorm


class EncoderOutput(NamedTuple):
    logits: Tensor  # (batch, seq, vocab)
    attention: Tensor  # (batch, block, head, query, key)


class TransformerEncoder(nn.Module):
    """Token and position embeddings, blocks, a last normalisation; logits by the token embedding once more."""

    def __init__(
        self, vocab: int, num_hiddens: int, num_heads: int, ffn_num_hiddens: int, num_blocks: int, max_len: int
    ) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab, num_hiddens)
        self.position_embedding = nn.Embedding(max_len, num_hiddens)
        self.blocks = nn.ModuleList(EncoderBlock(num_hiddens, num_heads, ffn_num_hiddens) for _ in range(num_blocks))
        self.norm = RMSNorm(num_hiddens)

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> EncoderOutput:
        """tokens: (batch, seq), mask: True where a query may see a key, broadcasts to (batch, head, query, key)."""
        X, attention = self.read(tokens, mask)
        return EncoderOutput(self.say(X), torch.stack(attention, dim=1))

    def logits_at(self, tokens: Tensor, asked: Tensor, mask: Tensor | None = None) -> Tensor:
        """The logits of the positions where `asked` (batch, seq) is True alone, row by row. -> (positions, vocab)

        They are what `forward` gives there. What comes after the last attention is done at each position alone, so
        that a training which asks for 15 % of the positions need not pay for the rest.
        """
        X, _ = self.read(tokens, mask)
        return self.say(X[asked])

    def read(self, tokens: Tensor, mask: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """All that reads other positions: every block but the last one's feed-forward network.

        -> (batch, seq, num_hiddens) and of each block the weights (batch, head, query, key).
        """
        X = self.token_embedding(tokens) + self.position_embedding(torch.arange(tokens.shape[1]))
        *earlier, last = self.blocks
        attention = []
        for block in earlier:
            X, weights = block(X, mask)
            attention.append(weights)
        X, weights = last.attend(X, mask)
        return X, [*attention, weights]

    def say(self, X: Tensor) -> Tensor:
        """The rest: (…, num_hiddens) -> (…, vocab), how well each token's embedding fits. Press and Wolf 2017."""
        last = self.blocks[-1]
        return self.norm(last.feed_forward(X)) @ self.token_embedding.weight.T


@torch.no_grad()
def initialise_encoder(model: TransformerEncoder, seed: int, embedding_std: float) -> None:
    """As `initialise`, but both embeddings have the root mean square given, as tied logits would else start far apart,
    and positions begin as waves: they are learned, but what a neighbour is need not be learned place by place."""
    initialise(model, seed)
    model.token_embedding.weight.mul_(embedding_std)
    model.position_embedding.weight.copy_(embedding_std * waves(*model.position_embedding.weight.shape))


def waves(length: int, num_hiddens: int) -> Tensor:
    """(length, num_hiddens), float64: pairs of √2 sin ωt and √2 cos ωt, ω from 1 down to nearly 1/100.

    The sinusoidal code of Vaswani et al. 2017, section 3.5, with 100 in the place of 10,000: over a window of a few
    dozen places, the slower half of theirs would hardly change.
    """
    shares = torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 100.0**shares
    return math.sqrt(2) * torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
