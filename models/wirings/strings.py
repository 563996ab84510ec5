"""The task of reversing twelve letters: its strings, its model, its training, and what is measured of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.attention.adam import Adam, clip_gradients, linear_decay
from models.attention.reversal import mirror_share, mirror_weight, share, teacher_forced_loss
from models.attention.streams import Stream
from models.wirings.encoder_decoder import EncoderDecoder, initialise_embeddings

LENGTH = 12
ALPHABET = "abcdefghijklmnop"
SIZES = (
    "num_hiddens",
    "num_heads",
    "ffn_num_hiddens",
    "num_blocks",
    "embedding_std",
)  # what a recipe declares of a model


def reverser(
    seed: int, num_hiddens: int, num_heads: int, ffn_num_hiddens: int, num_blocks: int, embedding_std: float
) -> EncoderDecoder:
    """An untrained model from letters to letters, in float64."""
    letters = len(ALPHABET)
    model = EncoderDecoder(letters, letters, num_hiddens, num_heads, ffn_num_hiddens, num_blocks, max_len=LENGTH)
    initialise_embeddings(model.double(), seed, embedding_std)
    return model


def letters_of(text: str) -> list[int]:
    return [ALPHABET.index(letter) for letter in text]


def spelled(tokens: Iterable[int]) -> str:
    return "".join(ALPHABET[token] for token in tokens)


def batch(seed: int, step: int, size: int) -> Tensor:
    """The strings that update `step` learns from, counted from 0: each step has its own stretch of one stream.

    -> (size, LENGTH)
    """
    letters = Stream(seed, "batches").integers(size * LENGTH, len(ALPHABET), start=step * size * LENGTH)
    return torch.from_numpy(letters).view(size, LENGTH)


def trained_strings(seed: int, steps: int, size: int) -> set[str]:
    """All strings of the first `steps` batches."""
    letters = Stream(seed, "batches").integers(steps * size * LENGTH, len(ALPHABET)).reshape(-1, LENGTH)
    return set(map(spelled, letters.tolist()))


def fresh_strings(seed: int, count: int, trained: set[str]) -> Tensor:
    """The first `count` different strings of the stream "fresh" that are not in `trained`. -> (count, LENGTH)"""
    letters = Stream(seed, "fresh").integers(2 * count * LENGTH, len(ALPHABET)).reshape(-1, LENGTH)
    drawn = dict.fromkeys(map(spelled, letters.tolist()))  # a set that keeps the order
    found = [letters_of(text) for text in drawn if text not in trained][:count]
    assert len(found) == count, "of 16¹² strings hardly one is drawn twice"
    return torch.tensor(found)


def train(
    model: EncoderDecoder, seed: int, *, steps: int, batch_size: int, learning_rate: float, max_norm: float
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
    exact_match: float  # share of strings that are reversed wholly when the model feeds on its own letters
    written: Tensor  # (count, LENGTH)
    source_weight: Tensor  # (layer,), mean weight on the true source, heads averaged
    source_share: Tensor  # (layer,), share of rows whose largest weight is there, heads averaged before looking
    source_weight_by_head: Tensor  # (layer, head)
    source_share_by_head: Tensor  # (layer, head)


@torch.no_grad()
def measure(model: EncoderDecoder, source: Tensor) -> Measurement:
    """source: (count, LENGTH). What is written at place t has its true source at place LENGTH − 1 − t."""
    targets = source.flip(1)
    prediction = model(source, model.shift(targets))
    written = model.greedy_decode(source, LENGTH)
    layers = prediction.cross_attention.unbind(1)  # of (count, head, query, key) each
    return Measurement(
        loss=cross_entropy(prediction.logits.flatten(0, 1), targets.flatten()).item(),
        exact_match=share((written == targets).all(dim=1)).item(),
        written=written,
        source_weight=torch.stack([mirror_weight(maps.mean(dim=1)) for maps in layers]),
        source_share=torch.stack([mirror_share(maps.mean(dim=1)) for maps in layers]),
        source_weight_by_head=by_head(mirror_weight, layers),
        source_share_by_head=by_head(mirror_share, layers),
    )


def by_head(measured: Callable[[Tensor], Tensor], layers: Sequence[Tensor]) -> Tensor:
    """What is measured of maps (count, query, key), for each head of each layer. -> (layer, head)"""
    return torch.stack([torch.stack([measured(head) for head in maps.unbind(1)]) for maps in layers])
