"""The vision Transformer that recognises garments: patches as tokens, norms before the sublayers, and its training."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.reference import initial, streams
from models.reference.arrays import Array, Back, Gradients, Integers, Parameters, Weights, add
from models.reference.layers import cross_entropy, ffn, gelu, layer_norm, linear, multi_head_attention
from models.reference.optimisation import Adam, falling_rate, shrunk
from models.reference.transformer import count_blocks

GARMENTS = Path(__file__).parents[1] / "attention" / "data" / "garments.npz"
GARMENTS_SHA256 = "ef422939f7ec602ee51d3aa5e5d134a8237dd863bfa7baa2312470be3a8513a1"
SIDE, CLASSES = 8, 10
LEARNT, WATCHED, TESTED = slice(0, 5500), slice(5500, 6000), slice(6000, 8000)  # places in that file


def cut(images: Array, size: int) -> Array:
    """(batch, height, width) -> (batch, patch, size · size), patches row by row."""
    batch, height, width = images.shape
    squares = images.reshape(batch, height // size, size, width // size, size).swapaxes(2, 3)
    return squares.reshape(batch, -1, size * size)


def block(X: Array, weights: Weights, name: str, num_heads: int) -> tuple[Array, Array, Back]:
    """X + attention(norm(X)), then X + ffn(norm(X)): (batch, seq, num_hiddens) -> the same, weights, back."""
    normed, back_norm1 = layer_norm(X, weights, f"{name}.norm1")
    Y, A, back_attention = multi_head_attention(normed, normed, weights, f"{name}.attention", num_heads)
    X1 = X + Y
    normed, back_norm2 = layer_norm(X1, weights, f"{name}.norm2")
    Z, back_ffn = ffn(normed, weights, f"{name}.ffn", gelu)

    def back(dX2: Array, gradients: Gradients) -> Array:
        dX1 = dX2 + back_norm2(back_ffn(dX2, gradients), gradients)
        d_query, d_memory = back_attention(dX1, gradients)
        return dX1 + back_norm1(d_query + d_memory, gradients)

    return X1 + Z, A, back


def forward(
    weights: Weights, num_heads: int, patch_size: int, images: Array
) -> tuple[Array, Array, Callable[[Array], Gradients]]:
    """images (batch, height, width) -> logits (batch, class), maps (batch, block, head, query, key), way back."""
    patches, back_patches = linear(cut(images, patch_size), weights, "patch_embedding")
    first = np.broadcast_to(weights["cls"], (len(images), 1, patches.shape[-1]))
    X = np.concatenate([first, patches], axis=1) + weights["positions"]
    backs, maps = [], []
    for number in range(count_blocks(weights, "blocks")):
        X, A, back = block(X, weights, f"blocks.{number}", num_heads)
        backs.append(back)
        maps.append(A)
    read, back_norm = layer_norm(X[:, 0], weights, "norm")
    logits, back_head = linear(read, weights, "head")

    def back_to_weights(dlogits: Array) -> Gradients:
        gradients: Gradients = {}
        dX = np.zeros_like(X)
        dX[:, 0] = back_norm(back_head(dlogits, gradients), gradients)
        for back in reversed(backs):
            dX = back(dX, gradients)
        add(gradients, "positions", dX.sum(axis=0))
        add(gradients, "cls", dX[:, 0].sum(axis=0))
        back_patches(dX[:, 1:], gradients)
        return gradients

    return logits, np.stack(maps, axis=1), back_to_weights


class Batch(NamedTuple):
    images: Array  # (batch, 8, 8), from −1 to 1
    labels: Integers  # (batch,)


class VisionTransformer:
    """Learns to recognise garments of 8 × 8 pixels. Made from what its recipe declares."""

    twin = "models.attention.twins:VisionTransformer"

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.steps, self.parameters = seed, parameters["steps"], parameters
        self.num_heads, self.patch_size = parameters["num_heads"], parameters["patch_size"]

    @cached_property
    def garments(self) -> Batch:
        """All images and labels of the file, in its order."""
        content = GARMENTS.read_bytes()
        assert hashlib.sha256(content).hexdigest() == GARMENTS_SHA256, "the recipe takes no other file either"
        with np.load(GARMENTS) as arrays:
            return Batch(np.moveaxis(arrays["images"], -1, 0) / 127.5 - 1, arrays["labels"].astype(np.int64))

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: images -> logits, attention, and the part of it that starts at <cls>."""
        logits, maps, _ = forward(weights, self.num_heads, self.patch_size, np.asarray(inputs["images"], float))
        return {"logits": logits, "attention": maps, "cls_attention": maps[:, :, :, 0]}

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Inputs to compare on: grey levels at random, and garments of the test."""
        noise = streams.uniforms(self.seed, "verify/images", 64 * 64).reshape(64, 8, 8)
        yield "noise", {"images": 2 * noise - 1}
        yield "garments", {"images": self.garments.images[TESTED][:64]}

    def untrained(self) -> dict[str, Array]:
        """The weights before the first update: <cls> at 0, and positions nearly normal with deviation 0.02."""
        given, seed, width = self.parameters, self.seed, self.parameters["num_hiddens"]
        tokens = 1 + (SIDE // self.patch_size) ** 2
        table = {
            **initial.linear(seed, "patch_embedding", self.patch_size**2, width, True),
            **initial.norm("norm", width),
            **initial.linear(seed, "head", width, CLASSES, True),
            "cls": np.zeros(width),
            "positions": 0.02 * streams.normals(seed, "initial/positions", tokens * width).reshape(tokens, width),
        }
        for name in (f"blocks.{number}" for number in range(given["num_blocks"])):
            table |= initial.norm(f"{name}.norm1", width) | initial.norm(f"{name}.norm2", width)
            table |= initial.attention(seed, f"{name}.attention", width)
            table |= initial.ffn(seed, f"{name}.ffn", width, given["ffn_num_hiddens"])
        return table

    def batch(self, step: int, count: int | None = None) -> Batch:
        """The garments, drawn with replacement, of update `step`, counted from 0, or the first `count` of them."""
        size = self.parameters["batch_size"]
        drawn = streams.integers(self.seed, "batches", step * size, (step + 1) * size, LEARNT.stop)[:count]
        return Batch(self.garments.images[drawn], self.garments.labels[drawn])

    def optimiser(self) -> Adam:
        """What `step` moves on, before the first one."""
        return Adam()

    def loss_and_gradients(self, weights: Weights, batch: Batch) -> tuple[float, Gradients]:
        """Cross-entropy with smoothed labels, in nats, and its derivative by every weight."""
        logits, _, back_to_weights = forward(weights, self.num_heads, self.patch_size, batch.images)
        loss, back = cross_entropy(logits, batch.labels, self.parameters["label_smoothing"])
        return loss, back_to_weights(back())

    def step(self, weights: Weights, adam: Adam, step: int) -> tuple[float, dict[str, Array]]:
        """One whole update: the loss before it and the weights after it. Moves `adam` on.

        The matrices of linear layers shrink; positions, <cls>, norms and biases do not.
        """
        loss, gradients = self.loss_and_gradients(weights, self.batch(step))
        rate = falling_rate(step, self.steps, self.parameters["learning_rate"])
        matrices = tuple(name for name in weights if weights[name].ndim == 2 and name != "positions")
        smaller = shrunk(weights, matrices, rate * self.parameters["weight_decay"])
        return loss, adam.update(smaller, gradients, rate)

    def recounted(
        self, checkpoints: Mapping[int, Weights], examples: Mapping[str, Any]
    ) -> Iterator[tuple[str, object]]:
        """What the run tells of recognising, made again from its weights: (where the run tells it, made again)."""
        names, shown = examples["classes"]["names"], examples["garments"]
        for step, weights in checkpoints.items():
            said = self.recognised(weights, WATCHED)
            right = (said == self.garments.labels[WATCHED]).mean()
            yield f"series.accuracy[checkpoint={step}, split=validation]", float(right)
            if step < self.steps:
                continue
            said, labels = self.recognised(weights, TESTED), self.garments.labels[TESTED]
            yield "metrics.accuracy", float((said == labels).mean())
            yield "metrics.test_garments", len(labels)
            for place, each in enumerate(shown):
                yield f"examples.garments.{place}.predicted", names[said[each["garment"]]]
                yield f"examples.garments.{place}.true", names[labels[each["garment"]]]
            for true, name in enumerate(names):
                for predicted, other in enumerate(names):
                    count = int(((labels == true) & (said == predicted)).sum())
                    yield f"series.confusion[true={name}, predicted={other}]", count

    def recognised(self, weights: Weights, part: slice) -> Integers:
        images = self.garments.images[part]
        return forward(weights, self.num_heads, self.patch_size, images)[0].argmax(axis=-1)
