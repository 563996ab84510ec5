"""What is computed but not trained: soft lookup, kernel pooling, scores with masks, and the code of positions.

Each class answers `forward(weights, inputs)` for the run that names it as its reference; none has weights of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from models.reference.arrays import Array, Mask, Parameters, Weights
from models.reference.layers import additive_scores, sinusoidal_positions, softmax


class Untrained:
    """A reference is made from a recipe's seed and parameters."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.parameters = parameters


class SoftLookup(Untrained):
    """Answers are means of the values, weighed by softmax(q · k / temperature)."""

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """queries (query, d), keys (key, d), values (key, v) and the temperature -> scores, weights, answers."""
        queries, keys, values = (np.array(inputs[name], float) for name in ("queries", "keys", "values"))
        scores = np.einsum("qd,kd->qk", queries, keys)
        shares = softmax(scores / inputs["temperature"])
        return {"scores": scores, "weights": shares, "answers": np.einsum("qk,kv->qv", shares, values)}


class KernelPooling(Untrained):
    """Nadaraya–Watson: Σ K((x − xᵢ) / width) yᵢ / Σ K((x − xᵢ) / width)."""

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """queries (query,), keys and values (sample,), names of kernels, the width -> estimates (kernel, query)."""
        queries, keys, values = (np.array(inputs[name], float) for name in ("queries", "keys", "values"))
        estimates = np.zeros((len(inputs["kernels"]), len(queries)))
        for row, kernel in enumerate(inputs["kernels"]):
            for column, query in enumerate(queries):
                say = np.array([kernel_value(kernel, (query - key) / inputs["width"]) for key in keys])
                if say.sum() > 0:
                    estimates[row, column] = (say * values).sum() / say.sum()
        return {"estimates": estimates}


def kernel_value(kernel: str, u: float) -> float:
    """What a sample at distance u, in widths, has to say."""
    match kernel:
        case "gaussian":
            return math.exp(-u * u / 2)
        case "boxcar":
            return 1.0 if abs(u) <= 1 else 0.0
        case "constant":
            return 1.0
        case "epanechnikov":
            return max(0.0, 1 - u * u)
        case "triangular":
            return max(0.0, 1 - abs(u))
    raise ValueError(f"no kernel is called {kernel}")


class AttentionScores(Untrained):
    """Scaled dot products and additive scores, each with a softmax that padding has no part in."""

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """queries (batch, query, d), keys (batch, key, d), valid_lens (batch,), and the same for additive scores with
        their weights -> scores and weights of both (batch, query, key)."""
        given = {name: np.array(value, float) for name, value in inputs.items()}
        queries, keys = given["queries"], given["keys"]
        scores = np.einsum("bqd,bkd->bqk", queries, keys) / math.sqrt(queries.shape[-1])
        table = {name.replace("additive_", "score."): value for name, value in given.items() if ".weight" in name}
        additive, _ = additive_scores(given["additive_queries"], given["additive_keys"], table, "score")
        return {
            "scores": scores,
            "weights": masked(scores, given["valid_lens"]),
            "additive_scores": additive,
            "additive_weights": masked(additive, given["additive_lens"]),
        }


def masked(scores: Array, valid_lens: Array) -> Array:
    """Softmax over the first valid_lens keys: (batch, query, key). The rest is 0, and so is a row without any key."""
    present: Mask = np.arange(scores.shape[-1]) < valid_lens[:, None, None]
    powers = np.where(present, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = powers.sum(axis=-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


class PositionCode(Untrained):
    """The code of positions, how alike two positions at a gap are, and the turn that leads from one to the other."""

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """num_positions, num_hiddens -> code (position, d), similarity_at_gap (start,), turned (1, d)."""
        length, width, gap = inputs["num_positions"], inputs["num_hiddens"], self.parameters["gap"]
        code = sinusoidal_positions(length, width)
        norms = np.sqrt((code * code).sum(axis=1))
        similarity = (code[:-gap] * code[gap:]).sum(axis=1) / (norms[:-gap] * norms[gap:])
        angles = gap / 10000.0 ** (np.arange(0, width, 2) / width)
        sine, cosine = code[0, 0::2], code[0, 1::2]
        turned = np.empty((1, width))
        turned[0, 0::2] = sine * np.cos(angles) + cosine * np.sin(angles)
        turned[0, 1::2] = cosine * np.cos(angles) - sine * np.sin(angles)
        return {"code": code, "similarity_at_gap": similarity, "turned": turned}
