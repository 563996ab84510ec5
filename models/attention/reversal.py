"""The task of reversing six digits: its strings, its model, its training, and what is measured of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.attention.adam import Adam, clip_gradients, linear_decay
from models.attention.initial import initialise
from models.attention.streams import Stream
from models.attention.transformer import Transformer

LENGTH = 6
DIGITS = 10


def reverser(seed: int, num_hiddens: int, num_heads: int, ffn_num_hiddens: int, num_blocks: int) -> Transformer:
    """An untrained Transformer from digits to digits, in float64."""
    model = Transformer(DIGITS, DIGITS, num_hiddens, num_heads, ffn_num_hiddens, num_blocks, max_len=LENGTH).double()
    initialise(model, seed)
    return model


def batch(seed: int, step: int, size: int) -> Tensor:
    """The strings that update `step` learns from, counted from 0: each step has its own stretch of one stream.

    -> (size, LENGTH)
    """
    digits = Stream(seed, "batches").integers(size * LENGTH, DIGITS, start=step * size * LENGTH)
    return torch.from_numpy(digits).view(size, LENGTH)


@dataclass(frozen=True, slots=True)
class FreshStrings:
    """Strings the model never trained on, all different. `excluded` were drawn on the way and had been trained on."""

    sources: Tensor  # (count, LENGTH)
    excluded: int


def fresh_strings(seed: int, count: int, trained: set[int]) -> FreshStrings:
    """The first `count` strings of the stream "fresh" that are not among the numbers `trained` and not yet drawn."""
    taken: dict[int, None] = {}  # a set that keeps the order
    excluded = 0
    for number in Stream(seed, "fresh").integers(2 * count, DIGITS**LENGTH).tolist():
        if len(taken) == count:
            break
        if number in trained:
            excluded += 1
        else:
            taken[number] = None
    assert len(taken) == count, "training sees too few of the million strings to exclude half of the draws"
    return FreshStrings(torch.tensor([digits_of(number) for number in taken]), excluded)


def trained_strings(seed: int, steps: int, size: int) -> set[int]:
    """The number that each string of the first `steps` batches spells."""
    digits = Stream(seed, "batches").integers(steps * size * LENGTH, DIGITS).reshape(-1, LENGTH)
    return set((digits @ [DIGITS**place for place in reversed(range(LENGTH))]).tolist())


def digits_of(number: int) -> list[int]:
    return [int(digit) for digit in f"{number:0{LENGTH}d}"]


def teacher_forced_loss(model: Transformer, source: Tensor) -> Tensor:
    """Mean cross-entropy, in nats a digit, of writing the mirrored strings with the true digits so far at hand."""
    targets = source.flip(1)
    logits = model(source, model.shift(targets)).logits
    return cross_entropy(logits.flatten(0, 1), targets.flatten())


def train(
    model: Transformer, seed: int, *, steps: int, batch_size: int, learning_rate: float, max_norm: float
) -> Iterator[float]:
    """Yields, for t = 0 … steps, the loss of the weights after t updates on the batch that update t + 1 uses.

    Whoever takes the losses may look at the model in between.
    """
    adam = Adam(model.parameters())
    for step in range(steps + 1):
        loss = teacher_forced_loss(model, batch(seed, step, batch_size))
        yield loss.item()
        if step < steps:
            adam.forget_gradients()
            loss.backward()
            clip_gradients(adam.parameters, max_norm)
            adam.step(linear_decay(step, steps, learning_rate))


@dataclass(frozen=True, slots=True)
class Measurement:
    """How well a model reverses some strings. Weights and peaks are of the cross-attention's rows, teacher forced."""

    loss: float
    teacher_forced_accuracy: float  # share of digits
    exact_match: float  # share of strings that the model reverses wholly when it feeds on its own digits
    written: Tensor  # (count, LENGTH), what it wrote
    mirror_weight: float  # mean weight on the mirror position, heads averaged
    mirror_share: float  # share of rows whose largest weight is there, heads averaged before looking
    mirror_weight_by_head: Tensor  # (head,)
    mirror_share_by_head: Tensor  # (head,)


@torch.no_grad()
def measure(model: Transformer, source: Tensor) -> Measurement:
    """source: (count, LENGTH). Row t of the cross-attention should peak at key LENGTH − 1 − t, the mirror position."""
    targets = source.flip(1)
    prediction = model(source, model.shift(targets))
    written = model.greedy_decode(source, LENGTH)
    maps = prediction.cross_attention[:, -1]  # (count, head, target, source)
    heads = maps.transpose(0, 1)
    return Measurement(
        loss=cross_entropy(prediction.logits.flatten(0, 1), targets.flatten()).item(),
        teacher_forced_accuracy=share(prediction.logits.argmax(dim=-1) == targets).item(),
        exact_match=share((written == targets).all(dim=1)).item(),
        written=written,
        mirror_weight=mirror_weight(maps.mean(dim=1)).item(),
        mirror_share=mirror_share(maps.mean(dim=1)).item(),
        mirror_weight_by_head=torch.stack([mirror_weight(head) for head in heads]),
        mirror_share_by_head=torch.stack([mirror_share(head) for head in heads]),
    )


def mirror_weight(maps: Tensor) -> Tensor:
    """maps: (count, query, key) -> the mean weight on the anti-diagonal."""
    return maps.flip(-1).diagonal(dim1=-2, dim2=-1).mean()


def mirror_share(maps: Tensor) -> Tensor:
    """maps: (count, query, key) -> the share of rows that are largest on the anti-diagonal."""
    return share(maps.argmax(dim=-1) == torch.arange(maps.shape[-1]).flip(0))


def share(hits: Tensor) -> Tensor:
    return hits.double().mean()
