"""A Transformer taken apart: how many numbers are trained in each part, and which shapes pass through it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from models.attention.attention import MultiHeadAttention
from models.attention.transformer import Transformer


def parameter_counts(model: Transformer) -> dict[str, Any]:
    """Trained numbers in each part of the model; `total` closes every level. Blocks are alike: one of each is given."""
    encoder, decoder = model.encoder[0], model.decoder[0]
    return {
        "embeddings": totalled({"source": size(model.source_embedding), "target": size(model.target_embedding)}),
        "encoder": totalled(
            projections(encoder.attention)
            | {"norm1": size(encoder.addnorm1), "FFN": size(encoder.ffn), "norm2": size(encoder.addnorm2)}
        ),
        "decoder": {
            "self_attention": totalled(projections(decoder.self_attention)),
            "norm1": size(decoder.addnorm1),
            "cross_attention": totalled(projections(decoder.cross_attention)),
            "norm2": size(decoder.addnorm2),
            "FFN": size(decoder.ffn),
            "norm3": size(decoder.addnorm3),
            "total": size(decoder),
        },
        "output": size(model.output),
        "total": size(model),
    }


def projections(attention: MultiHeadAttention) -> dict[str, int]:
    return {f"W_{part.upper()}": size(getattr(attention, f"W_{part}")) for part in "qkvo"}


def totalled(counts: dict[str, int]) -> dict[str, int]:
    return counts | {"total": sum(counts.values())}


def size(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@torch.no_grad()
def shapes(model: Transformer, source: Tensor) -> dict[str, list[int]]:
    """The shapes that a batch takes on its way through an encoder block, and of the logits."""
    block = model.encoder[0]
    X = model.place(model.source_embedding(source))
    prediction = model(source, model.shift(source.flip(1)))
    found = {
        "input": X,
        "heads": block.attention.split(block.attention.W_q(X)),
        "weights": prediction.encoder_attention[:, 0],
        "hidden": block.ffn.dense1(X),
        "output": block(X)[0],
        "logits": prediction.logits,
    }
    return {name: list(tensor.shape) for name, tensor in found.items()}
