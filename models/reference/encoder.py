"""The encoder of chapter two, forward: learned positions, pre-norm blocks, and an embedding that is used twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from models.reference.arrays import Array, Integers, Mask, Parameters, Weights
from models.reference.blocks import encoder_block, rms_norm
from models.reference.layers import causal


class EncoderOutput(NamedTuple):
    logits: Array  # (batch, seq, vocab)
    attention: Array  # (batch, block, head, query, key)


def forward(weights: Weights, num_heads: int, tokens: Integers, mask: Mask | None = None) -> EncoderOutput:
    """tokens: (batch, seq). The logits are products with the token embedding."""
    table = weights["token_embedding.weight"]
    X = table[tokens] + weights["position_embedding.weight"][: tokens.shape[1]]
    maps = []
    for number in range(len({name.split(".")[1] for name in weights if name.startswith("blocks.")})):
        X, A, _ = encoder_block(X, weights, f"blocks.{number}", num_heads, mask)
        maps.append(A)
    normed, _ = rms_norm(X, weights, "norm")
    return EncoderOutput(normed @ table.T, np.stack(maps, axis=1))


class MaskedCharacters:
    """Says hidden letters. Its training is not repeated here: held to torch is what the trained weights give."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.num_heads = parameters["num_heads"]

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: tokens, and causal where no position may look ahead -> logits and attention."""
        tokens = np.asarray(inputs["tokens"], np.int64)
        mask = causal(tokens.shape[1]) if inputs.get("causal") else None
        return forward(weights, self.num_heads, tokens, mask)._asdict()
