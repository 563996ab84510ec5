"""The Time Machine by H. G. Wells, letters and spaces alone, as token ids; and windows of it with letters hidden.

The book is cleaned as in Dive into Deep Learning: whatever is no letter becomes a space, capitals become small, and
several spaces become one. Its last stretch is held out: no window that a model learns from touches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from models.attention.streams import Stream

FILE = "timemachine.txt"
SHA256 = "8424dbd9532ac81f7e5f0b6add90e6952baea29158309d7d1bf3884f4e12c516"
URL = "http://d2l-data.s3-accelerate.amazonaws.com/timemachine.txt"

ALPHABET = " abcdefghijklmnopqrstuvwxyz"
MASK = len(ALPHABET)  # the token that stands where a letter is hidden …
HIDDEN = "_"  # … and how it is written
VOCAB = len(ALPHABET) + 1


def cleaned(text: str) -> str:
    """Letters a … z and single spaces between them."""
    return re.sub("[^a-z]+", " ", text.lower()).strip()


def encode(text: str) -> Tensor:
    """Letters, spaces and `_` to token ids. -> (len(text),)"""
    return torch.tensor([(ALPHABET + HIDDEN).index(letter) for letter in text])


def decode(tokens: Tensor) -> str:
    """tokens: (seq,) -> text, `_` where a letter is hidden."""
    return "".join((ALPHABET + HIDDEN)[token] for token in tokens.tolist())


@dataclass(frozen=True, slots=True)
class Text:
    """The two parts of a text; neither has a letter of the other's."""

    training: Tensor  # (letters,)
    heldout: Tensor  # (letters,), what stands last

    @classmethod
    def read(cls, text: str, heldout_share: float) -> Text:
        tokens = encode(cleaned(text))
        border = len(tokens) - round(heldout_share * len(tokens))
        return cls(tokens[:border], tokens[border:])


class Masked(NamedTuple):
    """Windows, and which of their letters the model is not shown."""

    windows: Tensor  # (batch, window)
    hidden: Tensor  # (batch, window), True where a letter is hidden

    @property
    def inputs(self) -> Tensor:
        """What the model sees. -> (batch, window)"""
        return self.windows.masked_fill(self.hidden, MASK)

    @property
    def before(self) -> Tensor:
        """What a causal model sees, to say each letter from those before it: the windows moved on by one place, and the
        mask token as what stands before the first letter. -> (batch, window)"""
        start = torch.full_like(self.windows[:, :1], MASK)
        return torch.cat([start, self.windows[:, :-1]], dim=1)

    @property
    def targets(self) -> Tensor:
        """The hidden letters, window by window. -> (hidden letters,)"""
        return self.windows[self.hidden]


def windows_at(tokens: Tensor, starts: Tensor, length: int) -> Tensor:
    """The stretches of `length` letters that begin at `starts`. -> (starts, length)"""
    return tokens[starts[:, None] + torch.arange(length)]


def draw_masked(
    tokens: Tensor, seed: int, purpose: str, *, length: int, share: float, count: int, step: int = 0
) -> Masked:
    """Batch `step` of `count` windows from anywhere in `tokens`, each letter hidden with probability `share`.

    Its starts are words of the stream "<purpose>/starts", its masks of the stream "<purpose>/masks".
    """
    starts = Stream(seed, f"{purpose}/starts").integers(count, len(tokens) - length + 1, start=step * count)
    uniforms = Stream(seed, f"{purpose}/masks").uniforms(count * length, start=step * count * length)
    hidden = torch.from_numpy(uniforms < share).view(count, length)
    return Masked(windows_at(tokens, torch.from_numpy(starts), length), hidden)
