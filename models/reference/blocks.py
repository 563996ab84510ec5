"""The blocks of chapter two: norms before the sublayers, by the root mean square alone, and a network with a gate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.reference.arrays import Array, Back, Gradients, Mask, Weights, add
from models.reference.layers import linear, multi_head_attention

NORM_EPSILON = 1e-6

BackToTwo = Callable[[Array, Gradients], tuple[Array, Array]]


def rms_norm(X: Array, weights: Weights, name: str) -> tuple[Array, Back]:
    """Y = γ X / √(mean of X² + ε) over the last axis: (…, num_hiddens) -> the same shape.

    Back, the normalised vector cannot grow, so what the gradient has along it is taken out.
    """
    gamma = weights[f"{name}.weight"]
    scale = 1 / np.sqrt((X * X).mean(axis=-1, keepdims=True) + NORM_EPSILON)
    normalised = X * scale

    def back(dY: Array, gradients: Gradients) -> Array:
        add(gradients, f"{name}.weight", (dY * normalised).sum(axis=tuple(range(dY.ndim - 1))))
        dN = dY * gamma
        return scale * (dN - normalised * (dN * normalised).mean(axis=-1, keepdims=True))

    return normalised * gamma, back


def silu(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    """X σ(X), σ the logistic function. Its derivative is σ(X) (1 + X (1 − σ(X)))."""
    gate = 1 / (1 + np.exp(-X))
    return X * gate, lambda dY: dY * gate * (1 + X * (1 - gate))


def gated_ffn(X: Array, weights: Weights, name: str) -> tuple[Array, Back]:
    """W_down (silu(W_gate x) · W_up x), at each position alone: (…, num_hiddens) -> the same shape."""
    gate, back_gate = linear(X, weights, f"{name}.W_gate")
    up, back_up = linear(X, weights, f"{name}.W_up")
    opened, back_silu = silu(gate)
    Y, back_down = linear(opened * up, weights, f"{name}.W_down")

    def back(dY: Array, gradients: Gradients) -> Array:
        d_hidden = back_down(dY, gradients)
        return back_gate(back_silu(d_hidden * up), gradients) + back_up(d_hidden * opened, gradients)

    return Y, back


def encoder_block(
    X: Array, weights: Weights, name: str, num_heads: int, mask: Mask | None = None
) -> tuple[Array, Array, Back]:
    """X + attention(norm(X)), then X + ffn(norm(X)): (batch, seq, num_hiddens) -> the same, weights, back."""
    normed, back_norm1 = rms_norm(X, weights, f"{name}.norm1")
    Y, A, back_attention = multi_head_attention(normed, normed, weights, f"{name}.attention", num_heads, mask)
    X1 = X + Y
    normed, back_norm2 = rms_norm(X1, weights, f"{name}.norm2")
    Z, back_ffn = gated_ffn(normed, weights, f"{name}.ffn")

    def back(dX2: Array, gradients: Gradients) -> Array:
        dX1 = dX2 + back_norm2(back_ffn(dX2, gradients), gradients)
        d_query, d_memory = back_attention(dX1, gradients)
        return dX1 + back_norm1(d_query + d_memory, gradients)

    return X1 + Z, A, back


def decoder_block(
    X: Array,
    memory: Array,
    weights: Weights,
    name: str,
    num_heads: int,
    target_mask: Mask,
    cross_mask: Mask | None = None,
) -> tuple[Array, Array, Array, BackToTwo]:
    """Three sublayers that each read the normalised sum and add to it: attention to itself, to the memory, ffn
    -> X's shape, self weights, cross weights, back: dY -> dX, dmemory."""
    normed, back_norm1 = rms_norm(X, weights, f"{name}.norm1")
    Y, self_A, back_self = multi_head_attention(
        normed, normed, weights, f"{name}.self_attention", num_heads, target_mask
    )
    X1 = X + Y
    asking, back_norm2 = rms_norm(X1, weights, f"{name}.norm2")
    Y, cross_A, back_cross = multi_head_attention(
        asking, memory, weights, f"{name}.cross_attention", num_heads, cross_mask
    )
    X2 = X1 + Y
    normed, back_norm3 = rms_norm(X2, weights, f"{name}.norm3")
    Z, back_ffn = gated_ffn(normed, weights, f"{name}.ffn")

    def back(dX3: Array, gradients: Gradients) -> tuple[Array, Array]:
        dX2 = dX3 + back_norm3(back_ffn(dX3, gradients), gradients)
        d_asking, d_read = back_cross(dX2, gradients)
        dX1 = dX2 + back_norm2(d_asking, gradients)
        d_query, d_own = back_self(dX1, gradients)
        return dX1 + back_norm1(d_query + d_own, gradients), d_read

    return X2 + Z, self_A, cross_A, back
