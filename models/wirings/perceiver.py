"""An encoder whose queries are parameters: a few learned latents read an input of any length, then one another."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.attention.attention import MultiHeadAttention
from models.attention.initial import fill, initialise
from models.attention.streams import Stream
from models.wirings.blocks import EncoderBlock, GatedFFN, RMSNorm


class Reading(NamedTuple):
    """What the latents took from the inputs, and both kinds of attention that led there."""

    latents: Tensor  # (batch, latent, num_hiddens)
    cross_attention: Tensor  # (batch, head, latent, input)
    self_attention: Tensor  # (batch, block, head, latent, latent)


class PerceiverEncoder(nn.Module):
    """M latents read N inputs once, for M · N scores; each block among the latents then costs M², whatever N is.

    Pre-norm, as the other encoders of this chapter. Jaegle et al. 2021, section 3.
    """

    def __init__(
        self, num_inputs_dim: int, num_latents: int, num_hiddens: int, num_heads: int, num_blocks: int
    ) -> None:
        super().__init__()
        ffn_num_hiddens = 2 * num_hiddens
        self.latents = nn.Parameter(torch.zeros(num_latents, num_hiddens))
        self.embedding = nn.Linear(num_inputs_dim, num_hiddens, bias=False)
        self.inputs_norm = RMSNorm(num_hiddens)
        self.norm1 = RMSNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = RMSNorm(num_hiddens)
        self.ffn = GatedFFN(num_hiddens, ffn_num_hiddens)
        self.blocks = nn.ModuleList(EncoderBlock(num_hiddens, num_heads, ffn_num_hiddens) for _ in range(num_blocks))
        self.norm = RMSNorm(num_hiddens)

    def forward(self, inputs: Tensor) -> Reading:
        """inputs: (batch, input, num_inputs_dim) -> latents (batch, latent, num_hiddens), for any number of inputs."""
        memory = self.inputs_norm(self.embedding(inputs))
        X = self.latents.expand(len(inputs), -1, -1)
        Y, cross_attention = self.cross_attention(self.norm1(X), memory, memory)
        X = X + Y
        X = X + self.ffn(self.norm2(X))
        maps = []
        for block in self.blocks:
            X, weights = block(X)
            maps.append(weights)
        return Reading(self.norm(X), cross_attention, torch.stack(maps, dim=1))


@torch.no_grad()
def initialise_perceiver(model: nn.Module, seed: int) -> None:
    """Matrices as everywhere; the latents of each Perceiver in the model start as different queries, nearly N(0, 1)."""
    initialise(model, seed)
    for name, module in model.named_modules():
        if isinstance(module, PerceiverEncoder):
            purpose = f"initial/{name}.latents" if name else "initial/latents"
            fill(module.latents, Stream(seed, purpose).normals(module.latents.numel()))
