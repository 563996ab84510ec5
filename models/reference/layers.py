"""The layers: each gives its output and the function that takes a gradient back through it.

`weights` is the model's whole table, `name` the prefix of the layer's own entries in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from models.reference.arrays import Array, Back, Gradients, Integers, Mask, Weights, add
from models.reference.erf import erf

NORM_EPSILON = 1e-5


def linear(X: Array, weights: Weights, name: str) -> tuple[Array, Back]:
    """Y = X Wᵀ + b: (…, in) -> (…, out), with W (out, in). The bias b (out,) may be missing."""
    W, b = weights[f"{name}.weight"], weights.get(f"{name}.bias")
    Y = X @ W.T if b is None else X @ W.T + b

    def back(dY: Array, gradients: Gradients) -> Array:
        rows, inputs = dY.reshape(-1, W.shape[0]), X.reshape(-1, W.shape[1])
        add(gradients, f"{name}.weight", rows.T @ inputs)
        if b is not None:
            add(gradients, f"{name}.bias", rows.sum(axis=0))
        return dY @ W

    return Y, back


def embedding(tokens: Integers, weights: Weights, name: str) -> tuple[Array, Callable[[Array, Gradients], None]]:
    """Row `token` of the table for each token: (…) -> (…, num_hiddens). Back, each row collects what its uses got."""
    table = weights[f"{name}.weight"]

    def back(dY: Array, gradients: Gradients) -> None:
        collected = np.zeros_like(table)
        np.add.at(collected, tokens, dY)
        add(gradients, f"{name}.weight", collected)

    return table[tokens], back


def sinusoidal_positions(length: int, num_hiddens: int) -> Array:
    """(length, num_hiddens): entry (t, 2j) is sin(t / 10000^(2j/num_hiddens)), entry (t, 2j + 1) the cosine."""
    code = np.empty((length, num_hiddens))
    for pair in range(num_hiddens // 2):
        angle = np.arange(length) / 10000.0 ** (2 * pair / num_hiddens)
        code[:, 2 * pair], code[:, 2 * pair + 1] = np.sin(angle), np.cos(angle)
    return code


def layer_norm(X: Array, weights: Weights, name: str) -> tuple[Array, Back]:
    """Y = γ (X − mean) / √(variance + ε) + β over the last axis: (…, num_hiddens) -> the same shape.

    Back, the normalised vector cannot grow or shift, so what the gradient has along 1 and along it is taken out.
    """
    gamma, beta = weights[f"{name}.weight"], weights[f"{name}.bias"]
    centred = X - X.mean(axis=-1, keepdims=True)
    scale = 1 / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + NORM_EPSILON)
    normalised = centred * scale

    def back(dY: Array, gradients: Gradients) -> Array:
        outer = tuple(range(dY.ndim - 1))
        add(gradients, f"{name}.weight", (dY * normalised).sum(axis=outer))
        add(gradients, f"{name}.bias", dY.sum(axis=outer))
        dN = dY * gamma
        along_one = dN.mean(axis=-1, keepdims=True)
        along_itself = (dN * normalised).mean(axis=-1, keepdims=True)
        return scale * (dN - along_one - normalised * along_itself)

    return normalised * gamma + beta, back


def relu(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    """max(X, 0)."""
    positive = X > 0
    return X * positive, lambda dY: dY * positive


def gelu(X: Array) -> tuple[Array, Callable[[Array], Array]]:
    """X Φ(X), Φ the normal distribution: half of 1 + erf(X / √2). Its derivative is Φ(X) + X φ(X)."""
    below = 0.5 * (1.0 + erf(X / math.sqrt(2)))

    def back(dY: Array) -> Array:
        density = np.exp(-0.5 * X * X) / math.sqrt(2 * math.pi)
        return dY * (below + X * density)

    return X * below, back


Activation = Callable[[Array], tuple[Array, Callable[[Array], Array]]]


def ffn(X: Array, weights: Weights, name: str, activation: Activation) -> tuple[Array, Back]:
    """Two linear layers with an activation between them, at each position alone: (batch, seq, num_hiddens) -> same."""
    hidden, back1 = linear(X, weights, f"{name}.dense1")
    active, back_activation = activation(hidden)
    Y, back2 = linear(active, weights, f"{name}.dense2")

    def back(dY: Array, gradients: Gradients) -> Array:
        return back1(back_activation(back2(dY, gradients)), gradients)

    return Y, back


def softmax(scores: Array) -> Array:
    """exp(s) / Σ exp(s) over the last axis; the largest score is taken off first, so that nothing overflows."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_back(probabilities: Array, dP: Array) -> Array:
    """The gradient by the scores: p (dp − Σ p dp)."""
    return probabilities * (dP - (probabilities * dP).sum(axis=-1, keepdims=True))


def dot_product_attention(
    Q: Array, K: Array, V: Array, mask: Mask | None = None
) -> tuple[Array, Array, Callable[[Array], tuple[Array, Array, Array]]]:
    """softmax(Q Kᵀ / √d) V with Q (…, query, d), K (…, key, d), V (…, key, v)
    -> outputs (…, query, v), weights (…, query, key), back: dO -> dQ, dK, dV.

    `mask` is False where a query must not look; there the weight is exactly 0, and so is its gradient.
    """
    shrink = 1 / math.sqrt(Q.shape[-1])
    scores = (Q @ np.swapaxes(K, -1, -2)) * shrink
    A = softmax(scores if mask is None else np.where(mask, scores, -np.inf))

    def back(dO: Array) -> tuple[Array, Array, Array]:
        dS = softmax_back(A, dO @ np.swapaxes(V, -1, -2)) * shrink
        return dS @ K, np.swapaxes(dS, -1, -2) @ Q, np.swapaxes(A, -1, -2) @ dO

    return A @ V, A, back


def multi_head_attention(
    X: Array, memory: Array, weights: Weights, name: str, num_heads: int, mask: Mask | None = None
) -> tuple[Array, Array, Callable[[Array, Gradients], tuple[Array, Array]]]:
    """Queries from X (batch, query, num_hiddens), keys and values from memory (batch, key, num_hiddens)
    -> Y like X, weights (batch, head, query, key), back: dY -> dX, dmemory. Head h has the h-th slice of each vector.
    """
    Q, back_q = linear(X, weights, f"{name}.W_q")
    K, back_k = linear(memory, weights, f"{name}.W_k")
    V, back_v = linear(memory, weights, f"{name}.W_v")
    heads, A, back_attention = dot_product_attention(*(split(each, num_heads) for each in (Q, K, V)), mask)
    Y, back_o = linear(join(heads), weights, f"{name}.W_o")

    def back(dY: Array, gradients: Gradients) -> tuple[Array, Array]:
        dQ, dK, dV = (join(each) for each in back_attention(split(back_o(dY, gradients), num_heads)))
        return back_q(dQ, gradients), back_k(dK, gradients) + back_v(dV, gradients)

    return Y, A, back


def split(X: Array, num_heads: int) -> Array:
    """(batch, seq, num_hiddens) -> (batch, head, seq, head_dim)."""
    batch, length, width = X.shape
    return X.reshape(batch, length, num_heads, width // num_heads).transpose(0, 2, 1, 3)


def join(heads: Array) -> Array:
    """(batch, head, seq, head_dim) -> (batch, seq, num_hiddens)."""
    batch, num_heads, length, width = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, length, num_heads * width)


def causal(length: int) -> Mask:
    """(query, key), True where the key does not come after the query."""
    places = np.arange(length)
    return places[None, :] <= places[:, None]


def padding(valid_lens: Integers, length: int) -> Mask:
    """(batch,) -> (batch, 1, 1, key), True at the keys that are there."""
    return (np.arange(length) < valid_lens[:, None])[:, None, None, :]


def additive_scores(
    queries: Array, keys: Array, weights: Weights, name: str
) -> tuple[Array, Callable[[Array, Gradients], tuple[Array, Array]]]:
    """w · tanh(W_q q + W_k k) for each pair: (…, query, q), (…, key, k) -> scores (…, query, key)."""
    of_queries, back_q = linear(queries, weights, f"{name}.W_q")
    of_keys, back_k = linear(keys, weights, f"{name}.W_k")
    hidden = np.tanh(of_queries[..., :, None, :] + of_keys[..., None, :, :])  # (…, query, key, num_hiddens)
    scores, back_w = linear(hidden, weights, f"{name}.w")

    def back(dS: Array, gradients: Gradients) -> tuple[Array, Array]:
        d_sum = back_w(dS[..., None], gradients) * (1 - hidden * hidden)
        return back_q(d_sum.sum(axis=-2), gradients), back_k(d_sum.sum(axis=-3), gradients)

    return scores[..., 0], back


def cross_entropy(logits: Array, targets: Integers, smoothing: float = 0.0) -> tuple[float, Callable[[], Array]]:
    """The mean over all rows of −Σ q log p, p the softmax of the logits (…, class), targets (…).

    q is 1 − smoothing on the target and smoothing / classes on every class. Back: (p − q) / rows, as Σ q = 1.
    """
    classes = logits.shape[-1]
    rows = logits.reshape(-1, classes)
    wanted = np.full_like(rows, smoothing / classes)
    wanted[np.arange(len(rows)), targets.reshape(-1)] += 1 - smoothing
    shifted = rows - rows.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    loss = -(wanted * log_p).sum() / len(rows)

    def back() -> Array:
        return ((np.exp(log_p) - wanted) / len(rows)).reshape(logits.shape)

    return float(loss), back
