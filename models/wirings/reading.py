"""What trained models make of hidden letters: how right they are, where in a window, and word for word."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from models.attention.attention import causal_mask
from models.attention.streams import Stream
from models.wirings.encoder import TransformerEncoder
from models.wirings.text import ALPHABET, Masked, decode, encode

AT_ONCE = 64  # windows that are read together

Reader = Callable[[Masked], Tensor]  # a batch -> logits (hidden letters, vocab)


def both_sides(model: TransformerEncoder) -> Reader:
    """Reads all that is shown, left and right of a hidden letter."""
    return lambda batch: model.logits_at(batch.inputs, batch.hidden)


def left_side(model: TransformerEncoder) -> Reader:
    """Reads only what stands before the letter; of that, nothing is hidden."""
    return lambda batch: model.logits_at(batch.before, batch.hidden, causal_mask(batch.windows.shape[1]))


@dataclass(frozen=True, slots=True)
class Answers:
    """A loss and a verdict for each hidden letter, and where in its window it stood. All (hidden letters,)."""

    losses: Tensor  # −log p(letter), nats
    right: Tensor  # True where no other letter was likelier
    positions: Tensor

    @property
    def accuracy(self) -> float:
        return self.right.double().mean().item()


@torch.no_grad()
def answers(reader: Reader, asked: Masked) -> Answers:
    losses, right = [], []
    for windows, hidden in zip(asked.windows.split(AT_ONCE), asked.hidden.split(AT_ONCE), strict=True):
        batch = Masked(windows, hidden)
        logits = reader(batch)
        losses.append(-logits.log_softmax(dim=-1).gather(1, batch.targets[:, None])[:, 0])
        right.append(logits.argmax(dim=-1) == batch.targets)
    return Answers(torch.cat(losses), torch.cat(right), asked.hidden.nonzero()[:, 1])


class ByPosition(NamedTuple):
    """The mean loss of the letters hidden at each position, and its 95 % interval. All (position,)."""

    mean: Tensor
    low: Tensor
    high: Tensor

    @property
    def interior(self) -> float:
        """The mean over the positions that have letters on both sides."""
        return self.mean[1:-1].mean().item()


def by_position(found: Answers, length: int) -> ByPosition:
    """The interval is the mean ± 1.96 standard errors, its letters taken as independent."""
    means, halves = [], []
    for position in range(length):
        here = found.losses[found.positions == position].double()
        means.append(here.mean())
        halves.append(1.96 * here.std() / math.sqrt(len(here)))
    mean, half = torch.stack(means), torch.stack(halves)
    return ByPosition(mean, mean - half, mean + half)


# ------------------------------------------------------------------------------------------------ sentences


@dataclass(frozen=True, slots=True)
class Sentence:
    """A window with one letter hidden, and whether models learn from the stretch that it comes from."""

    text: str
    place: int
    trained: bool

    @property
    def truth(self) -> str:
        return self.text[self.place]

    @property
    def shown(self) -> str:
        return f"{self.text[: self.place]}_{self.text[self.place + 1 :]}"


def batch_of(sentences: list[Sentence]) -> Masked:
    """One row a sentence; they are of one length."""
    windows = torch.stack([encode(sentence.text) for sentence in sentences])
    places = torch.tensor([sentence.place for sentence in sentences])
    return Masked(windows, torch.arange(windows.shape[1]) == places[:, None])


@torch.no_grad()
def probabilities(reader: Reader, sentences: list[Sentence]) -> Tensor:
    """What is held likely to stand in each gap. -> (sentence, letter), the mask token left out, in float64."""
    logits = reader(batch_of(sentences))[:, : len(ALPHABET)]
    return logits.double().softmax(dim=-1)


def likeliest(row: Tensor, count: int) -> list[dict[str, str | float]]:
    """row: (letter,) -> the `count` likeliest letters, the likeliest first."""
    best = row.argsort(descending=True, stable=True)[:count].tolist()
    return [{"letter": ALPHABET[letter], "probability": row[letter].item()} for letter in best]


def drawn_sentences(tokens: Tensor, seed: int, count: int, length: int) -> Iterator[Sentence]:
    """`count` windows of a text by a rule that looks at no model: one from each of `count` equal stretches.

    In each stretch a place is drawn, and the window begins with the next word; in the window a place is drawn, and the
    next letter that is no space is hidden.
    """
    text = decode(tokens)
    room = len(text) // count - 2 * length  # a window begins before and ends in its own stretch
    starts = Stream(seed, "sentences/starts").integers(count, room).tolist()
    places = Stream(seed, "sentences/places").integers(count, length).tolist()
    for number, (start, place) in enumerate(zip(starts, places, strict=True)):
        begin = text.index(" ", number * (len(text) // count) + start) + 1
        window = text[begin : begin + length]
        yield Sentence(window, next(at for at in [*range(place, length), *range(length)] if window[at] != " "), False)


# ----------------------------------------------------------------------------------------------- a late token


@torch.no_grad()
def moved(reader: Reader, window: Tensor, place: int, letter: int) -> Tensor:
    """How far the logits for each letter of the window move, at most, when the letter at `place` becomes another.

    Each letter is asked for in turn, with nothing else hidden. -> (position,), in float64. At `place` itself nothing
    moves, because the letter asked for is never shown.
    """
    changed = window.clone()
    changed[place] = letter
    asked = torch.eye(len(window), dtype=torch.bool)
    before, after = (reader(Masked(each.expand(len(window), -1), asked)) for each in (window, changed))
    return (after - before).abs().amax(dim=-1).double()
