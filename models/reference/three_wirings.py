"""The three wirings of chapter two: one stack without a mask and under the causal one, and the encoder–decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reference import encoder, strings
from models.reference.arrays import Array, Parameters, Weights
from models.reference.layers import causal


class ThreeWirings:
    """Untrained models on one sentence."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.num_heads = parameters["num_heads"]

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """tokens (batch, word), inputs (batch, target) -> logits and maps of all three."""
        tokens, given = (np.asarray(inputs[name], np.int64) for name in ("tokens", "inputs"))
        found: dict[str, Array] = {}
        for name, mask in (("encoder", None), ("decoder", causal(tokens.shape[1]))):
            said = encoder.forward(weights, self.num_heads, tokens, mask)
            found |= {f"{name}_logits": said.logits, f"{name}_attention": said.attention}
        written = strings.forward(weights, self.num_heads, tokens, given)
        return {
            **found,
            "target_logits": written.logits,
            "target_attention": written.decoder_attention,
            "cross_attention": written.cross_attention,
        }
