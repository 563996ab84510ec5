"""An encoder that reads on both sides, and a decoder that writes from left to right and looks up what was read."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.attention.attention import MultiHeadAttention
from models.attention.initial import initialise
from models.attention.transformer import Prediction
from models.wirings.blocks import EncoderBlock, GatedFFN, RMSNorm
from models.wirings.masks import cross_mask, source_mask, target_mask


class DecoderBlock(nn.Module):
    """The encoder's block with one more sublayer: after what is written so far, it reads what the encoder made."""

    def __init__(self, num_hiddens: int, num_heads: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.norm1 = RMSNorm(num_hiddens)
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = RMSNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm3 = RMSNorm(num_hiddens)
        self.ffn = GatedFFN(num_hiddens, ffn_num_hiddens)

    def forward(
        self, X: Tensor, memory: Tensor, target_mask: Tensor, cross_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """X: (batch, target, num_hiddens), memory: (batch, source, num_hiddens)
        -> X's shape, self weights (batch, num_heads, target, target), cross weights (batch, num_heads, target, source).
        """
        normed = self.norm1(X)
        Y, self_weights = self.self_attention(normed, normed, normed, target_mask)
        X = X + Y
        Y, cross_weights = self.cross_attention(self.norm2(X), memory, memory, cross_mask)
        X = X + Y
        return X + self.ffn(self.norm3(X)), self_weights, cross_weights


class EncoderDecoder(nn.Module):
    """Vaswani et al. 2017, figure 1, of pre-norm blocks with learned positions; what either stack gives is normalised.

    Tokens are integers; the decoder's first input is the start token, number target_vocab. Nothing is tied.
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
        self.source_positions = nn.Embedding(max_len, num_hiddens)
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in range(num_blocks))
        self.encoder_norm = RMSNorm(num_hiddens)
        self.target_embedding = nn.Embedding(target_vocab + 1, num_hiddens)
        self.target_positions = nn.Embedding(max_len, num_hiddens)
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in range(num_blocks))
        self.decoder_norm = RMSNorm(num_hiddens)
        self.output = nn.Linear(num_hiddens, target_vocab, bias=False)

    def forward(
        self,
        source: Tensor,
        inputs: Tensor,
        source_valid: Tensor | None = None,
        target_valid: Tensor | None = None,
    ) -> Prediction:
        """source: (batch, source), inputs: (batch, target), the start token and then what is written so far.

        source_valid, target_valid: (batch,), how many tokens of each row are no padding; all, if left out.
        """
        memory, encoder_attention = self.encode(source, source_valid)
        logits, decoder_attention, cross_attention = self.decode(inputs, memory, source_valid, target_valid)
        return Prediction(logits, encoder_attention, decoder_attention, cross_attention)

    def encode(self, source: Tensor, source_valid: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """-> memory (batch, source, num_hiddens), weights (batch, block, head, source, source)."""
        length = source.shape[1]
        mask = source_mask(lens_of(source, source_valid), length)
        X, maps = self.source_embedding(source) + self.source_positions.weight[:length], []
        for block in self.encoder:
            X, weights = block(X, mask)
            maps.append(weights)
        return self.encoder_norm(X), torch.stack(maps, dim=1)

    def decode(
        self, inputs: Tensor, memory: Tensor, source_valid: Tensor | None = None, target_valid: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """-> logits (batch, target, target_vocab), self weights and cross weights (batch, block, head, target, …)."""
        length = inputs.shape[1]
        own_mask = target_mask(lens_of(inputs, target_valid), length)
        read_mask = cross_mask(lens_of(memory, source_valid), memory.shape[1])
        X, self_maps, cross_maps = self.target_embedding(inputs) + self.target_positions.weight[:length], [], []
        for block in self.decoder:
            X, self_weights, cross_weights = block(X, memory, own_mask, read_mask)
            self_maps.append(self_weights)
            cross_maps.append(cross_weights)
        return self.output(self.decoder_norm(X)), torch.stack(self_maps, dim=1), torch.stack(cross_maps, dim=1)

    def shift(self, targets: Tensor) -> Tensor:
        """The decoder's inputs when a teacher dictates: the start token, then all targets but the last."""
        start = torch.full_like(targets[:, :1], self.start)
        return torch.cat([start, targets[:, :-1]], dim=1)

    @torch.no_grad()
    def greedy_decode(self, source: Tensor, length: int, source_valid: Tensor | None = None) -> Tensor:
        """Writes `length` tokens, each the likeliest after those the model itself wrote. -> (batch, length)"""
        memory, _ = self.encode(source, source_valid)
        written = torch.full((len(source), 1), self.start)
        for _ in range(length):
            logits, _, _ = self.decode(written, memory, source_valid)
            written = torch.cat([written, logits[:, -1:].argmax(dim=-1)], dim=1)
        return written[:, 1:]


def lens_of(sequences: Tensor, valid_lens: Tensor | None) -> Tensor:
    """sequences: (batch, seq, …) -> (batch,), the lengths given, or the whole length for each."""
    return torch.full((len(sequences),), sequences.shape[1]) if valid_lens is None else valid_lens


@torch.no_grad()
def initialise_embeddings(model: EncoderDecoder, seed: int, embedding_std: float) -> None:
    """As `initialise`, but tokens and positions are embedded with the standard deviation given."""
    initialise(model, seed)
    for table in (model.source_embedding, model.source_positions, model.target_embedding, model.target_positions):
        table.weight.mul_(embedding_std)
