"""The task of reversing twelve letters: its strings, its model, its training, and what is measured of the model."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from models.attention.adam import Adam, clip_gradients, linear_decay
from models.attention.reversal import teacher_forced_loss
from models.attention.streams import Stream
from models.wirings.encoder_decoder import EncoderDecoder, initialise_embeddings

LENGTH = 12
ALPHABET = "abcdefghijklmnop"


def reverser(
    seed: int, num_hiddens: int, num_heads: int, ffn_num_hiddens: int, num_blocks: int, embedding_std: float
) -> EncoderDecoder:
    """An untrained model from letters to letters, in float64."""
    letters = len(ALPHABET)
    model = EncoderDecoder(letters, letters, num_hiddens, num_heads, ffn_num_hiddens, num_blocks, max_len=LENGTH)
    initialise_embeddings(model.double(), seed, embedding_std)
    return model


def batch(seed: int, step: int, size: int) -> Tensor:
    """The strings that update `step` learns from, counted from 0. -> (size, LENGTH)"""
    letters = Stream(seed, "batches").integers(size * LENGTH, len(ALPHABET), start=step * size * LENGTH)
    return torch.from_numpy(letters).view(size, LENGTH)


def train(model, seed, *, steps, batch_size, learning_rate, max_norm) -> Iterator[float]:
    adam = Adam(model.parameters())
    for step in range(steps + 1):
        loss = teacher_forced_loss(model, batch(seed, step, batch_size))
        yield loss.item()
        if step < steps:
            adam.forget_gradients()
            loss.backward()
            clip_gradients(adam.parameters, max_norm)
            adam.step(linear_decay(step, steps, learning_rate))
