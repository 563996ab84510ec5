"""The Perceiver of chapter two: learned latents read the inputs, then one another; and its training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from models.reference import initial, streams
from models.reference.arrays import Array, Gradients, Integers, Parameters, Weights, add
from models.reference.blocks import encoder_block, gated_ffn, rms_norm
from models.reference.layers import cross_entropy, linear, multi_head_attention
from models.reference.optimisation import Adam, clipped, falling_rate

LABELS, DIGITS = 24, 10


class Reading(NamedTuple):
    """Latents (batch, latent, num_hiddens), the maps (batch, head, latent, input) and (batch, block, head, latent,
    latent), and the way back from dlatents."""

    latents: Array
    cross_attention: Array
    self_attention: Array
    back: Callable[[Array, Gradients], None]


def perceiver(inputs: Array, weights: Weights, name: str, num_heads: int) -> Reading:
    """inputs: (batch, input, num_inputs_dim). `name` is the prefix of the encoder's weights: "" or "encoder."."""
    embedded, back_embedding = linear(inputs, weights, f"{name}embedding")
    memory, back_memory = rms_norm(embedded, weights, f"{name}inputs_norm")
    latents = weights[f"{name}latents"]
    X = np.broadcast_to(latents, (len(inputs), *latents.shape))

    asking, back_norm1 = rms_norm(X, weights, f"{name}norm1")
    Y, cross_A, back_cross = multi_head_attention(asking, memory, weights, f"{name}cross_attention", num_heads)
    X1 = X + Y
    normed, back_norm2 = rms_norm(X1, weights, f"{name}norm2")
    Z, back_ffn = gated_ffn(normed, weights, f"{name}ffn")
    X2 = X1 + Z
    backs, maps = [], []
    for block in range(sum(key.startswith(f"{name}blocks.") and key.endswith(".norm1.weight") for key in weights)):
        X2, A, back_block = encoder_block(X2, weights, f"{name}blocks.{block}", num_heads)
        backs.append(back_block)
        maps.append(A)
    out, back_norm = rms_norm(X2, weights, f"{name}norm")

    def back(dY: Array, gradients: Gradients) -> None:
        dX = back_norm(dY, gradients)
        for back_block in reversed(backs):
            dX = back_block(dX, gradients)
        dX = dX + back_norm2(back_ffn(dX, gradients), gradients)
        d_asking, d_memory = back_cross(dX, gradients)
        add(gradients, f"{name}latents", (dX + back_norm1(d_asking, gradients)).sum(axis=0))
        back_embedding(back_memory(d_memory, gradients), gradients)

    return Reading(out, cross_A, np.stack(maps, axis=1), back)


def untrained(
    seed: int, name: str, num_inputs_dim: int, num_latents: int, num_hiddens: int, num_blocks: int
) -> dict[str, Array]:
    """The weights before any training: latents nearly N(0, 1), the rest as everywhere."""
    latents = streams.normals(seed, f"initial/{name}latents", num_latents * num_hiddens)
    table = {
        f"{name}latents": latents.reshape(num_latents, num_hiddens),
        **initial.linear(seed, f"{name}embedding", num_inputs_dim, num_hiddens, False),
        **initial.attention(seed, f"{name}cross_attention", num_hiddens),
        **gates(seed, f"{name}ffn", num_hiddens),
    }
    norms = ["inputs_norm", "norm1", "norm2", "norm"]
    for block in (f"blocks.{number}" for number in range(num_blocks)):
        table |= initial.attention(seed, f"{name}{block}.attention", num_hiddens)
        table |= gates(seed, f"{name}{block}.ffn", num_hiddens)
        norms += [f"{block}.norm1", f"{block}.norm2"]
    return table | {f"{name}{norm}.weight": np.ones(num_hiddens) for norm in norms}


def gates(seed: int, name: str, num_hiddens: int) -> dict[str, Array]:
    """The three matrices of a gated network that is twice as wide inside."""
    table = {}
    for part in ("W_gate", "W_up"):
        table |= initial.linear(seed, f"{name}.{part}", num_hiddens, 2 * num_hiddens, False)
    return table | initial.linear(seed, f"{name}.W_down", 2 * num_hiddens, num_hiddens, False)


class Batch(NamedTuple):
    """Both (batch, row)."""

    labels: Integers
    digits: Integers

    def places(self, num_latents: int) -> Integers:
        """The row in which label k stands, for each latent k: (batch, latent)."""
        return np.stack([(self.labels == asked).argmax(axis=1) for asked in range(num_latents)], axis=1)

    def answers(self, num_latents: int) -> Integers:
        return np.take_along_axis(self.digits, self.places(num_latents), axis=1)


class LabelReader:
    """Learns to look up the digits under the first labels. Made from what its recipe declares."""

    twin = "models.wirings.learned_queries_twin:LabelReader"

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.steps, self.parameters = seed, parameters["steps"], parameters
        self.num_heads, self.num_latents = parameters["num_heads"], parameters["num_latents"]

    def read(
        self, weights: Weights, labels: Integers, digits: Integers
    ) -> tuple[Array, Reading, Callable[[Array], Gradients]]:
        """-> logits (batch, latent, digit), what the encoder made, and the way back from dlogits."""
        rows = np.concatenate([np.eye(LABELS)[labels], np.eye(DIGITS)[digits]], axis=-1)
        reading = perceiver(rows, weights, "encoder.", self.num_heads)
        logits, back_output = linear(reading.latents, weights, "output")

        def back(dlogits: Array) -> Gradients:
            gradients: Gradients = {}
            reading.back(back_output(dlogits, gradients), gradients)
            return gradients

        return logits, reading, back

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """labels, digits -> logits, cross_attention, self_attention."""
        logits, reading, _ = self.read(weights, *(np.asarray(inputs[name]) for name in ("labels", "digits")))
        return {"logits": logits, "cross_attention": reading.cross_attention, "self_attention": reading.self_attention}

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Inputs to compare on: tables as in training, and a few rows with labels at random."""
        labels, digits = self.tables("verify", 0, 32)
        yield "tables", {"labels": labels, "digits": digits}
        yield "short tables", {"labels": labels[:, :5], "digits": digits[:, :5]}

    # ----------------------------------------------------------------------------------------- training

    def untrained(self) -> dict[str, Array]:
        given, width = self.parameters, self.parameters["num_hiddens"]
        encoder = untrained(self.seed, "encoder.", LABELS + DIGITS, self.num_latents, width, given["num_blocks"])
        return encoder | initial.linear(self.seed, "output", width, DIGITS, False)

    def tables(self, purpose: str, start: int, count: int) -> Batch:
        """Tables start, …, start + count − 1 of a stream."""
        begin, end = start * LABELS, (start + count) * LABELS
        words = streams.words(self.seed, f"{purpose}/order", begin, end).reshape(count, LABELS)
        digits = streams.integers(self.seed, f"{purpose}/digits", begin, end, DIGITS).reshape(count, LABELS)
        return Batch(words.argsort(axis=1, kind="stable"), digits)

    def batch(self, step: int, count: int | None = None) -> Batch:
        """The tables that update `step`, counted from 0, learns from, or the first `count` of them."""
        size = self.parameters["batch_size"]
        return self.tables("batches", step * size, size if count is None else min(count, size))

    def optimiser(self) -> Adam:
        """What `step` moves on, before the first one."""
        return Adam()

    def loss_and_gradients(self, weights: Weights, batch: Batch) -> tuple[float, Gradients]:
        """Cross-entropy of the answers, in nats, and its derivative by every weight."""
        logits, _, back_to_weights = self.read(weights, *batch)
        loss, back = cross_entropy(logits, batch.answers(self.num_latents))
        return loss, back_to_weights(back())

    def step(self, weights: Weights, adam: Adam, step: int) -> tuple[float, dict[str, Array]]:
        """One whole update: the loss before it and the weights after it. Moves `adam` on."""
        loss, gradients = self.loss_and_gradients(weights, self.batch(step))
        rate = falling_rate(step, self.steps, self.parameters["learning_rate"])
        return loss, adam.update(weights, clipped(gradients, self.parameters["clip"]), rate)

    # ---------------------------------------------------------------------------------------- answering

    def recounted(
        self, checkpoints: Mapping[int, Weights], examples: Mapping[str, Any]
    ) -> Iterator[tuple[str, object]]:
        """What the run tells of answers, made again from its weights: (where the run tells it, made again)."""
        fresh = self.tables("fresh", 0, self.parameters["fresh_tables"])
        for weights in checkpoints.values():  # of the last step alone
            logits, reading, _ = self.read(weights, *fresh)
            right = logits.argmax(axis=-1) == fresh.answers(self.num_latents)
            yield "metrics.accuracy", float(right.mean())
            peaks = reading.cross_attention.mean(axis=1).argmax(axis=-1) == fresh.places(self.num_latents)
            yield "metrics.row_share", float(peaks.mean())
            table = examples["table"]
            given = Batch(np.array([table["label_numbers"]]), np.array([table["digits"]]))
            yield "examples.table.answers", self.read(weights, *given)[0][0].argmax(axis=-1).tolist()
