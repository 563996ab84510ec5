"""What the heads of a trained Transformer look at, told by formulas; and what its encoder block does to a shuffle."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from models.attention.entropy import entropy
from models.attention.transformer import Transformer

ATTENTIONS = ("encoder", "decoder", "cross")

# For each formula the key that a query at position t is asked about, in a sequence of n; it may lie outside.
FORMULAS: Mapping[str, Callable[[int, int], int]] = {
    "mirror": lambda t, n: n - 1 - t,
    "self": lambda t, n: t,
    "previous": lambda t, n: t - 1,
    "next": lambda t, n: t + 1,
    "first": lambda t, n: 0,
}


@torch.no_grad()
def attention_maps(model: Transformer, sources: Tensor) -> Tensor:
    """All heads of the last blocks while the reversal is dictated, in the order of ATTENTIONS.

    (batch, seq) -> (batch, attention, head, query, key)
    """
    _, *maps = model(sources, model.shift(sources.flip(1)))
    return torch.stack([weights[:, -1] for weights in maps], dim=1)


def visible_keys(attention: str, length: int) -> Tensor:
    """-> (query, key), True where a query may look: everywhere, but for the decoder's own causal attention."""
    everywhere = torch.ones(length, length, dtype=torch.bool)
    return everywhere.tril() if attention == "decoder" else everywhere


def asked_cells(formula: str, visible: Tensor) -> Tensor:
    """-> (query, key), True at the key that the formula asks about, for the queries that have a choice and may see it.

    A query that sees one key only has no choice: the softmax gives that key 1, whatever was learned.
    """
    length = len(visible)
    asked = torch.zeros_like(visible)
    for t in range(length):
        key = FORMULAS[formula](t, length)
        if 0 <= key < length:
            asked[t, key] = True
    return asked & visible & (visible.sum(dim=1, keepdim=True) > 1)


def share_on(maps: Tensor, asked: Tensor) -> Tensor:
    """The mean weight on the cells asked about: (batch, head, query, key) -> (head,). 0 where none is asked about."""
    if not asked.any():
        return torch.zeros(maps.shape[1], dtype=maps.dtype)
    return maps[:, :, asked].mean(dim=(0, 2))


def share_by_chance(visible: Tensor, asked: Tensor) -> Tensor:
    """The share that a head gets which weighs all it sees alike."""
    even = visible.double() / visible.sum(dim=1, keepdim=True)
    return share_on(even[None, None], asked)[0]


def mean_entropy(maps: Tensor, visible: Tensor) -> tuple[Tensor, Tensor]:
    """(batch, head, query, key) -> entropy in nats (head,), and as a share of log n, n the keys a query sees (head,).

    0 is a head that reads one place, 1 one that reads all alike. Queries without a choice do not count.
    """
    counts = visible.double().sum(dim=1)
    chosen = counts > 1
    nats = entropy(maps)[:, :, chosen]  # (batch, head, query)
    return nats.mean(dim=(0, 2)), (nats / counts[chosen].log()).mean(dim=(0, 2))


def tags(shares: Tensor, chances: Tensor) -> list[str]:
    """(head, formula), (formula,) -> for each head the formula whose share exceeds chance the most."""
    names = list(FORMULAS)
    return [names[place] for place in (shares - chances).argmax(dim=-1).tolist()]


@torch.no_grad()
def encode_block(model: Transformer, tokens: Tensor, *, positions: bool) -> tuple[Tensor, Tensor]:
    """The first encoder block on the embeddings of tokens (batch, seq), with their positions' codes or without.

    -> outputs (batch, seq, num_hiddens), weights (batch, head, query, key)
    """
    X = model.source_embedding(tokens)
    return model.encoder[0](model.place(X) if positions else X)


def shuffle_differences(model: Transformer, tokens: Tensor, orders: Tensor, *, positions: bool) -> Tensor:
    """|f(Px) − P f(x)|, largest over the features: tokens (seq,), orders (order, seq) -> (order, seq).

    P puts token orders[i] in place i, before the block f or after it. Without positions attention sees a set, so it is
    the same; what remains is rounding.
    """
    shuffled_first, _ = encode_block(model, tokens[orders], positions=positions)
    shuffled_last = encode_block(model, tokens[None], positions=positions)[0][0][orders]
    return (shuffled_first - shuffled_last).abs().amax(dim=-1)
