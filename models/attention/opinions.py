"""Third opinions: what torch's own layers say of the primitives that `models/reference/` and this package write out.

Each function yields (what, as the reference computes it, as torch's own layer does).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.reference import layers, streams
from models.reference.erf import erf
from models.reference.transformer import encoder_block

Array = NDArray[Any]
Opinion = tuple[str, Array, Array]

BATCH, LENGTH, WIDTH, HEADS = 8, 7, 16, 2
SEED = 0


def drawn(purpose: str, *shape: int) -> Array:
    """Nearly normal numbers of a stream of their own."""
    return streams.normals(SEED, f"opinions/{purpose}", int(np.prod(shape))).reshape(shape)


def tensor(array: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


@torch.no_grad()
def on_attention() -> Iterator[Opinion]:
    """torch.nn.functional.scaled_dot_product_attention and torch.nn.MultiheadAttention, with each kind of mask."""
    lens = 1 + np.arange(BATCH) % LENGTH
    causal = layers.causal(LENGTH)
    masks = {"unmasked": None, "causal": causal, "padded": layers.padding(lens, LENGTH)}
    Q, K, V = (drawn(name, BATCH, HEADS, LENGTH, WIDTH // HEADS) for name in ("queries", "keys", "values"))
    for name, mask in masks.items():
        ours = layers.dot_product_attention(Q, K, V, mask)[0]
        seen = None if mask is None else tensor(np.broadcast_to(mask, (BATCH, HEADS, LENGTH, LENGTH)))
        theirs = functional.scaled_dot_product_attention(tensor(Q), tensor(K), tensor(V), attn_mask=seen)
        yield f"scaled_dot_product_attention, {name}", ours, theirs.numpy()
    X, memory = drawn("inputs", BATCH, LENGTH, WIDTH), drawn("memory", BATCH, LENGTH, WIDTH)
    weights = projections("a")
    many = multihead(weights, "a")
    for name, mask in masks.items():
        Y, A, _ = layers.multi_head_attention(X, memory, weights, "a", HEADS, mask)
        hidden = None if mask is not causal else tensor(~causal)
        empty = tensor(~(np.arange(LENGTH) < lens[:, None])) if name == "padded" else None
        theirs, maps = many(
            tensor(X), tensor(memory), tensor(memory), attn_mask=hidden, key_padding_mask=empty,
            average_attn_weights=False,
        )  # fmt: skip
        yield f"MultiheadAttention, {name}", Y, theirs.numpy()
        yield f"MultiheadAttention's weights, {name}", A, maps.numpy()


@torch.no_grad()
def on_encoder_block() -> Iterator[Opinion]:
    """torch.nn.LayerNorm, and torch.nn.TransformerEncoderLayer for the whole block."""
    X = drawn("inputs", BATCH, LENGTH, WIDTH)
    table = {"norm.weight": 1 + 0.1 * drawn("gamma", WIDTH), "norm.bias": drawn("beta", WIDTH)}
    norm = nn.LayerNorm(WIDTH, dtype=torch.float64)
    norm.weight.copy_(tensor(table["norm.weight"]))
    norm.bias.copy_(tensor(table["norm.bias"]))
    yield "LayerNorm", layers.layer_norm(X, table, "norm")[0], norm(tensor(X)).numpy()

    weights = projections("b.attention")
    whole = nn.TransformerEncoderLayer(WIDTH, HEADS, 2 * WIDTH, dropout=0.0, batch_first=True, dtype=torch.float64)
    for name, layer in (("ffn.dense1", whole.linear1), ("ffn.dense2", whole.linear2)):
        weights[f"b.{name}.weight"] = drawn(name, *layer.weight.shape) / 4
        weights[f"b.{name}.bias"] = drawn(f"{name} bias", *layer.bias.shape)
        layer.weight.copy_(tensor(weights[f"b.{name}.weight"]))
        layer.bias.copy_(tensor(weights[f"b.{name}.bias"]))
    for name, layer in (("addnorm1.norm", whole.norm1), ("addnorm2.norm", whole.norm2)):
        weights[f"b.{name}.weight"], weights[f"b.{name}.bias"] = layer.weight.numpy(), layer.bias.numpy()
    whole.self_attn = multihead(weights, "b.attention")
    Y = encoder_block(X, weights, "b", HEADS)[0]
    yield "TransformerEncoderLayer", Y, whole(tensor(X)).numpy()


def on_gelu() -> Iterator[Opinion]:
    """torch.erf and torch.nn.functional.gelu, over all that float64 tells from −1, 0 and 1."""
    X = np.linspace(-9, 9, 20_001)
    yield "erf", erf(X), torch.erf(tensor(X)).numpy()
    yield "gelu", layers.gelu(X)[0], functional.gelu(tensor(X)).numpy()
    given = tensor(X).requires_grad_()
    functional.gelu(given).sum().backward()
    assert given.grad is not None, "backward reaches its leaf"
    yield "gelu's derivative", layers.gelu(X)[1](np.ones_like(X)), given.grad.numpy()


def on_loss() -> Iterator[Opinion]:
    """torch.nn.functional.cross_entropy."""
    yield from _cross_entropy(0.0)


def on_smoothed_loss() -> Iterator[Opinion]:
    """torch.nn.functional.cross_entropy with label smoothing."""
    yield from _cross_entropy(0.1)


def _cross_entropy(smoothing: float) -> Iterator[Opinion]:
    logits, targets = 3 * drawn("logits", 32, 10), streams.integers(SEED, "opinions/targets", 0, 32, 10)
    loss, back = layers.cross_entropy(logits, targets, smoothing)
    given = tensor(logits).requires_grad_()
    theirs = functional.cross_entropy(given, tensor(targets), label_smoothing=smoothing)
    theirs.backward()
    assert given.grad is not None, "backward reaches its leaf"
    name = "cross_entropy with label smoothing" if smoothing else "cross_entropy"
    yield name, np.array(loss), theirs.detach().numpy()
    yield f"{name}, its derivative", back(), given.grad.numpy()


def projections(name: str) -> dict[str, Array]:
    """The four matrices of an attention with many heads."""
    return {f"{name}.{each}.weight": drawn(each, WIDTH, WIDTH) / 4 for each in ("W_q", "W_k", "W_v", "W_o")}


def multihead(weights: dict[str, Array], name: str) -> nn.MultiheadAttention:
    """torch's own layer with the same matrices; it keeps those of queries, keys and values in one."""
    layer = nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True, dtype=torch.float64)
    joined = np.concatenate([weights[f"{name}.{each}.weight"] for each in ("W_q", "W_k", "W_v")])
    with torch.no_grad():
        layer.in_proj_weight.copy_(tensor(joined))
        layer.out_proj.weight.copy_(tensor(weights[f"{name}.W_o.weight"]))
    return layer
