"""The vision Transformer: an image is cut into patches, and the patches are read as the tokens of a sentence."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from models.attention.attention import MultiHeadAttention
from models.attention.initial import fill, initialise
from models.attention.streams import Stream
from models.attention.transformer import PositionwiseFFN


def patches(images: Tensor, size: int) -> Tensor:
    """(batch, height, width) -> (batch, patch, size · size): row by row, and row by row within each patch."""
    return images.unfold(1, size, size).unfold(2, size, size).flatten(3).flatten(1, 2)


class GeluFFN(PositionwiseFFN):
    """The position-wise network with x · Φ(x), Φ the normal distribution's, for the ReLU. Hendrycks and Gimpel 2016."""

    def forward(self, X: Tensor) -> Tensor:
        """(batch, seq, num_hiddens) -> (batch, seq, num_hiddens)."""
        return self.dense2(gelu(self.dense1(X)))


class ViTBlock(nn.Module):
    """The encoder's block with the norms before the sublayers, "pre-norm". Dosovitskiy et al. 2020, eq. 2 and 3.

    What enters is added to what leaves and never normalised on the way, so the gradient has a straight path back.
    """

    def __init__(self, num_hiddens: int, num_heads: int, ffn_num_hiddens: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(num_hiddens)
        self.attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = nn.LayerNorm(num_hiddens)
        self.ffn = GeluFFN(num_hiddens, ffn_num_hiddens)

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """X: (batch, seq, num_hiddens) -> the same shape, and weights (batch, num_heads, query, key)."""
        Y = self.norm1(X)
        Y, weights = self.attention(Y, Y, Y)
        X = X + Y
        return X + self.ffn(self.norm2(X)), weights


class Classification(NamedTuple):
    """What the vision Transformer says of each image, and the attention that led there."""

    logits: Tensor  # (batch, class)
    attention: Tensor  # (batch, block, head, query, key); position 0 is <cls>, then the patches row by row


class VisionTransformer(nn.Module):
    """Patches become tokens, a learned <cls> token is put before them, and the class is read from where it stood.

    Positions are learned: nothing tells the model that patches lie in a grid. Dosovitskiy et al. 2020, section 3.1.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_hiddens: int,
        num_heads: int,
        ffn_num_hiddens: int,
        num_blocks: int,
        num_classes: int,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.patch_embedding = nn.Linear(patch_size**2, num_hiddens)
        self.cls = nn.Parameter(torch.zeros(num_hiddens))
        self.positions = nn.Parameter(torch.zeros(1 + num_patches, num_hiddens))
        sizes = num_hiddens, num_heads, ffn_num_hiddens
        self.blocks = nn.ModuleList(ViTBlock(*sizes) for _ in range(num_blocks))
        self.norm = nn.LayerNorm(num_hiddens)
        self.head = nn.Linear(num_hiddens, num_classes)

    def forward(self, images: Tensor) -> Classification:
        """images: (batch, image_size, image_size)."""
        X = self.patch_embedding(patches(images, self.patch_size))
        cls = self.cls.expand(len(X), 1, -1)
        X = torch.cat([cls, X], dim=1) + self.positions
        maps = []
        for block in self.blocks:
            X, weights = block(X)
            maps.append(weights)
        return Classification(self.head(self.norm(X[:, 0])), torch.stack(maps, dim=1))


@torch.no_grad()
def initialise_vision_transformer(model: VisionTransformer, seed: int) -> None:
    """Matrices as everywhere in this package; positions start small, nearly N(0, 0.02²), and <cls> starts at 0."""
    initialise(model, seed)
    fill(model.positions, 0.02 * Stream(seed, "initial/positions").normals(model.positions.numel()))
