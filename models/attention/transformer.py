"""The Transformer of 2017: an encoder that reads, a decoder that writes, and the blocks both are stacked from."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.attention.attention import MultiHeadAttention, causal_mask
from models.attention.positions import sinusoidal_positions


class AddNorm(nn.Module):
    """The residual connection, then layer normalisation: norm(X + Y), "post-norm". Vaswani et al. 2017, section 3.1."""

    def __init__(self, num_hiddens: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(num_hiddens)

    def forward(self, X: Tensor, Y: Tensor) -> Tensor:
        """X: what entered the sublayer, Y: what left it, both (batch, seq, num_hiddens) -> the same shape."""
        return self.norm(X + Y)


class PositionwiseFFN(nn.Module):
    """Two layers applied to every position alone, alike at all of them. Vaswani et al. 2017, eq. 2."""

    def __init__(self, num_hiddens: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.dense1 = nn.Linear(num_hiddens, ffn_num_hiddens)
        self.dense2 = nn.Linear(ffn_num_hiddens, num_hiddens)

    def forward(self, X: Tensor) -> Tensor:
        """(batch, seq, num_hiddens) -> (batch, seq, num_hiddens)."""
        return self.dense2(self.dense1(X).relu())


class TransformerBlock(nn.Module):
    """The encoder's block: every position attends to all, then passes through the FFN by itself."""

    def __init__(self, num_hiddens: int, num_heads: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(num_hiddens, num_heads)
        self.addnorm1 = AddNorm(num_hiddens)
        self.ffn = PositionwiseFFN(num_hiddens, ffn_num_hiddens)
        self.addnorm2 = AddNorm(num_hiddens)

    def forward(self, X: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """X: (batch, seq, num_hiddens) -> the same shape, and weights (batch, num_heads, query, key)."""
        Y, weights = self.attention(X, X, X, mask)
        X = self.addnorm1(X, Y)
        return self.addnorm2(X, self.ffn(X)), weights


class DecoderBlock(nn.Module):
    """The decoder's block: attend to what is written so far, then to what the encoder read, then the FFN."""

    def __init__(self, num_hiddens: int, num_heads: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.addnorm1 = AddNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.addnorm2 = AddNorm(num_hiddens)
        self.ffn = PositionwiseFFN(num_hiddens, ffn_num_hiddens)
        self.addnorm3 = AddNorm(num_hiddens)

    def forward(self, X: Tensor, memory: Tensor, source_mask: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """X: (batch, target, num_hiddens), memory: (batch, source, num_hiddens)
        -> X's shape, self weights (batch, num_heads, target, target), cross weights (batch, num_heads, target, source).
        """
        Y, self_weights = self.self_attention(X, X, X, causal_mask(X.shape[1]))
        X = self.addnorm1(X, Y)
        Y, cross_weights = self.cross_attention(X, memory, memory, source_mask)
        X = self.addnorm2(X, Y)
        return self.addnorm3(X, self.ffn(X)), self_weights, cross_weights


class Prediction(NamedTuple):
    """What the Transformer says of each next token, and every attention map that led there."""

    logits: Tensor  # (batch, target, target_vocab)
    encoder_attention: Tensor  # (batch, block, head, source, source)
    decoder_attention: Tensor  # (batch, block, head, target, target)
    cross_attention: Tensor  # (batch, block, head, target, source)


class Transformer(nn.Module):
    """Encoder and decoder. Tokens are integers; the decoder's first input is the start token, number target_vocab.

    Nothing is tied: source, target and output have a table each. Embeddings are not scaled by √num_hiddens, as
    they start with variance 1.
    """

    def __init__(
        self,
        source_vocab: int,
        target_vocab: int,
        num_hiddens: int,
        num_heads: int,
        ffn_num_hiddens: int,
        num_blocks: int,
        max_len: int,
    ) -> None:
        super().__init__()
        self.start = target_vocab
        sizes = num_hiddens, num_heads, ffn_num_hiddens
        self.source_embedding = nn.Embedding(source_vocab, num_hiddens)
        self.target_embedding = nn.Embedding(target_vocab + 1, num_hiddens)
        self.register_buffer("positions", sinusoidal_positions(max_len, num_hiddens))
        self.encoder = nn.ModuleList(TransformerBlock(*sizes) for _ in range(num_blocks))
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_blocks))
        self.output = nn.Linear(num_hiddens, target_vocab)

    def forward(self, source: Tensor, inputs: Tensor, source_mask: Tensor | None = None) -> Prediction:
        """source: (batch, source), inputs: (batch, target), the start token and then what is written so far."""
        memory, encoder_attention = self.encode(source, source_mask)
        logits, decoder_attention, cross_attention = self.decode(inputs, memory, source_mask)
        return Prediction(logits, encoder_attention, decoder_attention, cross_attention)

    def encode(self, source: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """-> memory (batch, source, num_hiddens), weights (batch, block, head, source, source)."""
        X, maps = self.place(self.source_embedding(source)), []
        for block in self.encoder:
            X, weights = block(X, mask)
            maps.append(weights)
        return X, torch.stack(maps, dim=1)

    def decode(
        self, inputs: Tensor, memory: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """-> logits (batch, target, target_vocab), self weights and cross weights (batch, block, head, target, …)."""
        X, self_maps, cross_maps = self.place(self.target_embedding(inputs)), [], []
        for block in self.decoder:
            X, self_weights, cross_weights = block(X, memory, source_mask)
            self_maps.append(self_weights)
            cross_maps.append(cross_weights)
        return self.output(X), torch.stack(self_maps, dim=1), torch.stack(cross_maps, dim=1)

    def place(self, X: Tensor) -> Tensor:
        """Adds to each embedding the code of its position. (batch, seq, num_hiddens) -> the same shape."""
        return X + self.positions[: X.shape[1]].to(X.dtype)

    def shift(self, targets: Tensor) -> Tensor:
        """The decoder's inputs when a teacher dictates: the start token, then all targets but the last."""
        start = torch.full_like(targets[:, :1], self.start)
        return torch.cat([start, targets[:, :-1]], dim=1)

    @torch.no_grad()
    def greedy_decode(self, source: Tensor, length: int, source_mask: Tensor | None = None) -> Tensor:
        """Writes `length` tokens, each the likeliest after those the model itself wrote. -> (batch, length)"""
        memory, _ = self.encode(source, source_mask)
        written = torch.full((len(source), 1), self.start)
        for _ in range(length):
            logits, _, _ = self.decode(written, memory, source_mask)
            written = torch.cat([written, logits[:, -1:].argmax(dim=-1)], dim=1)
        return written[:, 1:]
