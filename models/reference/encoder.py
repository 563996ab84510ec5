"""The pre-norm encoder of chapter two, forward: RMS normalisation, gated feed-forward networks, learned positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from models.reference.arrays import Array, Integers, Mask, Parameters, Weights
from models.reference.layers import causal, dot_product_attention, join, split

RMS_EPSILON = 1e-6


def rms_norm(X: Array, weights: Weights, name: str) -> Array:
    """γ X / √(mean of X² + ε) over the last axis: (…, num_hiddens) -> the same shape."""
    scaled: Array = weights[f"{name}.weight"] * X / np.sqrt((X * X).mean(axis=-1, keepdims=True) + RMS_EPSILON)
    return scaled


def silu(X: Array) -> Array:
    """X σ(X), with σ(x) = 1 / (1 + exp(−x)); exp is taken of −|x| alone, so that nothing overflows."""
    small = np.exp(-np.abs(X))
    active: Array = X * np.where(X >= 0, 1, small) / (1 + small)
    return active


def project(X: Array, weights: Weights, name: str) -> Array:
    """X Wᵀ: (…, in) -> (…, out); no layer of this encoder has a bias."""
    return X @ weights[f"{name}.weight"].T


def gated_ffn(X: Array, weights: Weights, name: str) -> Array:
    """(silu(X W_gateᵀ) ∘ X W_upᵀ) W_downᵀ: (…, num_hiddens) -> the same shape."""
    gate = silu(project(X, weights, f"{name}.W_gate"))
    return project(gate * project(X, weights, f"{name}.W_up"), weights, f"{name}.W_down")


def block(X: Array, weights: Weights, name: str, num_heads: int, mask: Mask | None = None) -> tuple[Array, Array]:
    """X + attention(norm(X)), then the same with the gated network: (batch, seq, num_hiddens) -> the same shape, and
    the weights (batch, head, query, key)."""
    normed = rms_norm(X, weights, f"{name}.norm1")
    Q, K, V = (split(project(normed, weights, f"{name}.attention.W_{each}"), num_heads) for each in "qkv")
    heads, A, _ = dot_product_attention(Q, K, V, mask)
    X = X + project(join(heads), weights, f"{name}.attention.W_o")
    return X + gated_ffn(rms_norm(X, weights, f"{name}.norm2"), weights, f"{name}.ffn"), A


class Output(NamedTuple):
    logits: Array  # (batch, seq, vocab)
    attention: Array  # (batch, block, head, query, key)


def forward(weights: Weights, num_heads: int, tokens: Integers, mask: Mask | None = None) -> Output:
    """tokens: (batch, seq). The logits are products with the token embedding, which is used twice."""
    table = weights["token_embedding.weight"]
    X = table[tokens] + weights["position_embedding.weight"][: tokens.shape[1]]
    maps = []
    for number in range(len({name.split(".")[1] for name in weights if name.startswith("blocks.")})):
        X, A = block(X, weights, f"blocks.{number}", num_heads, mask)
        maps.append(A)
    return Output(rms_norm(X, weights, "norm") @ table.T, np.stack(maps, axis=1))


class MaskedCharacters:
    """Says hidden letters. Its training is not repeated here: held to torch is what the trained weights give."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.num_heads = parameters["num_heads"]

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: tokens, num_heads, and causal where no position may look ahead -> logits and attention."""
        tokens = np.asarray(inputs["tokens"], np.int64)
        mask = causal(tokens.shape[1]) if inputs.get("causal") else None
        return forward(weights, inputs.get("num_heads", self.num_heads), tokens, mask)._asdict()
