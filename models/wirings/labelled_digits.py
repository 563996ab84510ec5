"""A lookup whose queries are learned: each latent of a Perceiver is to find the row of one label, in any order of rows.

A row is a label, one of the letters a–x that stand in every table once, and a digit. Latent k is asked for the digit
under label k; nothing tells it so but the loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from models.attention.adam import Adam, clip_gradients, linear_decay
from models.attention.streams import Stream
from models.wirings.perceiver import PerceiverEncoder, initialise_perceiver

LABELS = "abcdefghijklmnopqrstuvwx"
DIGITS = 10
SIZES = ("num_latents", "num_hiddens", "num_heads", "num_blocks")  # what a recipe declares of a model


class Tables(NamedTuple):
    """Both (batch, row); each label stands in each table once, or, beyond the asked ones, more often."""

    labels: Tensor
    digits: Tensor

    def places(self, num_latents: int) -> Tensor:
        """Where the row of each asked label stands: (batch, latent)."""
        asked = torch.arange(num_latents)
        return (self.labels[:, None] == asked[:, None]).int().argmax(dim=-1)

    def answers(self, num_latents: int) -> Tensor:
        """The digit under each asked label: (batch, latent)."""
        return self.digits.gather(1, self.places(num_latents))


class Lookup(NamedTuple):
    logits: Tensor  # (batch, latent, digit)
    cross_attention: Tensor  # (batch, head, latent, row)
    self_attention: Tensor  # (batch, block, head, latent, latent)


class LabelReader(nn.Module):
    """A Perceiver whose every latent says one digit."""

    def __init__(self, num_latents: int, num_hiddens: int, num_heads: int, num_blocks: int) -> None:
        super().__init__()
        self.encoder = PerceiverEncoder(len(LABELS) + DIGITS, num_latents, num_hiddens, num_heads, num_blocks)
        self.output = nn.Linear(num_hiddens, DIGITS, bias=False)

    def forward(self, labels: Tensor, digits: Tensor) -> Lookup:
        """labels, digits: (batch, row), in any order and of any number."""
        rows = torch.cat([one_hot(labels, len(LABELS)), one_hot(digits, DIGITS)], dim=-1)
        latents, cross_attention, self_attention = self.encoder(rows.to(self.output.weight.dtype))
        return Lookup(self.output(latents), cross_attention, self_attention)


def reader(seed: int, num_latents: int, num_hiddens: int, num_heads: int, num_blocks: int) -> LabelReader:
    """An untrained model, in float64."""
    model = LabelReader(num_latents, num_hiddens, num_heads, num_blocks).double()
    initialise_perceiver(model, seed)
    return model


def tables(seed: int, purpose: str, start: int, count: int) -> Tables:
    """Tables start, …, start + count − 1 of the stream `purpose`: rows stand in the order of random words."""
    size = len(LABELS)
    words = Stream(seed, f"{purpose}/order").words(count * size, start * size).reshape(count, size)
    digits = Stream(seed, f"{purpose}/digits").integers(count * size, DIGITS, start * size).reshape(count, size)
    return Tables(torch.from_numpy(np.argsort(words, axis=1, kind="stable")), torch.from_numpy(digits))


def long_tables(seed: int, num_latents: int, length: int, count: int) -> Tables:
    """Tables of `length` rows: the asked labels stand once in each, the others as often as it takes."""
    given = tables(seed, f"long/{length}", 0, count)
    others = len(LABELS) - num_latents
    size = count * (length - len(LABELS))
    labels = Stream(seed, f"long/{length}/labels").integers(size, others).reshape(count, -1) + num_latents
    digits = Stream(seed, f"long/{length}/more").integers(size, DIGITS).reshape(count, -1)
    more = torch.from_numpy(labels), torch.from_numpy(digits)
    order = torch.from_numpy(np.argsort(Stream(seed, f"long/{length}/places").words(count * length).reshape(count, -1)))
    joined = (torch.cat([each, extra], dim=1).gather(1, order) for each, extra in zip(given, more, strict=True))
    return Tables(*joined)


def lookup_loss(model: LabelReader, given: Tables) -> Tensor:
    """Mean cross-entropy, in nats an answer."""
    logits = model(*given).logits
    return cross_entropy(logits.flatten(0, 1), given.answers(logits.shape[1]).flatten())


def train(
    model: LabelReader, seed: int, *, steps: int, batch_size: int, learning_rate: float, max_norm: float
) -> Iterator[float]:
    """Yields, for t = 0 … steps, the loss of the weights after t updates on the tables that update t + 1 uses.

    Whoever takes the losses may look at the model in between.
    """
    adam = Adam(model.parameters())
    for step in range(steps + 1):
        loss = lookup_loss(model, tables(seed, "batches", step * batch_size, batch_size))
        yield loss.item()
        if step < steps:
            adam.forget_gradients()
            loss.backward()
            clip_gradients(adam.parameters, max_norm)
            adam.step(linear_decay(step, steps, learning_rate))


@dataclass(frozen=True, slots=True)
class Measurement:
    """How well a model looks up, and how its cross-attention agrees with where each answer stands."""

    accuracy: float  # share of answers
    row_share: (
        float  # share of latents' rows of the map that are largest on the true row, heads averaged before looking
    )
    row_weight: float  # mean weight there, heads averaged
    row_weight_by_head: Tensor  # (head,)


@torch.no_grad()
def measure(model: LabelReader, given: Tables) -> Measurement:
    found = model(*given)
    num_latents = found.logits.shape[1]
    places = given.places(num_latents)
    averaged = found.cross_attention.mean(dim=1)  # (batch, latent, row)
    by_head = found.cross_attention.gather(
        3, places[:, None, :, None].expand(-1, found.cross_attention.shape[1], -1, 1)
    )
    return Measurement(
        accuracy=share(found.logits.argmax(dim=-1) == given.answers(num_latents)),
        row_share=share(averaged.argmax(dim=-1) == places),
        row_weight=by_head.mean().item(),
        row_weight_by_head=by_head.mean(dim=(0, 2, 3)),
    )


def share(hits: Tensor) -> float:
    return hits.double().mean().item()
