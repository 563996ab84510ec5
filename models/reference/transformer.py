"""The Transformer of 2017 that reverses digits: encoder, decoder, the way back through both, and its training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from models.reference import initial, streams
from models.reference.arrays import Array, Back, Gradients, Integers, Mask, Parameters, Weights
from models.reference.layers import (
    causal,
    cross_entropy,
    embedding,
    ffn,
    layer_norm,
    linear,
    multi_head_attention,
    padding,
    relu,
    sinusoidal_positions,
)
from models.reference.optimisation import Adam, clipped, falling_rate

DIGITS = 10
LENGTH = 6
START = DIGITS  # the decoder's first input

BackToTwo = Callable[[Array, Gradients], tuple[Array, Array]]


def encoder_block(
    X: Array, weights: Weights, name: str, num_heads: int, mask: Mask | None = None
) -> tuple[Array, Array, Back]:
    """norm(X + attention(X)), then norm(X + ffn(X)): (batch, seq, num_hiddens) -> the same, weights, back."""
    Y, A, back_attention = multi_head_attention(X, X, weights, f"{name}.attention", num_heads, mask)
    X1, back_norm1 = layer_norm(X + Y, weights, f"{name}.addnorm1.norm")
    Z, back_ffn = ffn(X1, weights, f"{name}.ffn", relu)
    X2, back_norm2 = layer_norm(X1 + Z, weights, f"{name}.addnorm2.norm")

    def back(dX2: Array, gradients: Gradients) -> Array:
        d_sum = back_norm2(dX2, gradients)
        d_sum = back_norm1(d_sum + back_ffn(d_sum, gradients), gradients)
        d_query, d_memory = back_attention(d_sum, gradients)
        return d_sum + d_query + d_memory

    return X2, A, back


def decoder_block(
    X: Array, memory: Array, weights: Weights, name: str, num_heads: int, source_mask: Mask | None = None
) -> tuple[Array, Array, Array, BackToTwo]:
    """Three sublayers: causal self-attention, attention to the memory, ffn; after each, norm(X + what it gave)
    -> X's shape, self weights, cross weights, back: dY -> dX, dmemory."""
    Y, self_A, back_self = multi_head_attention(X, X, weights, f"{name}.self_attention", num_heads, causal(X.shape[1]))
    X1, back_norm1 = layer_norm(X + Y, weights, f"{name}.addnorm1.norm")
    Y, cross_A, back_cross = multi_head_attention(
        X1, memory, weights, f"{name}.cross_attention", num_heads, source_mask
    )
    X2, back_norm2 = layer_norm(X1 + Y, weights, f"{name}.addnorm2.norm")
    Z, back_ffn = ffn(X2, weights, f"{name}.ffn", relu)
    X3, back_norm3 = layer_norm(X2 + Z, weights, f"{name}.addnorm3.norm")

    def back(dX3: Array, gradients: Gradients) -> tuple[Array, Array]:
        d_sum = back_norm3(dX3, gradients)
        d_sum = back_norm2(d_sum + back_ffn(d_sum, gradients), gradients)
        d_query, d_memory = back_cross(d_sum, gradients)
        d_sum = back_norm1(d_sum + d_query, gradients)
        d_query, d_own = back_self(d_sum, gradients)
        return d_sum + d_query + d_own, d_memory

    return X3, self_A, cross_A, back


class Prediction(NamedTuple):
    """Logits (batch, target, digit), the maps (batch, block, head, query, key), and the way back from dlogits."""

    logits: Array
    encoder_attention: Array
    decoder_attention: Array
    cross_attention: Array
    back: Callable[[Array], Gradients]


def forward(
    weights: Weights, num_heads: int, source: Integers, inputs: Integers, source_mask: Mask | None = None
) -> Prediction:
    """source (batch, source), inputs (batch, target): the start token and what was written so far."""
    width = weights["source_embedding.weight"].shape[1]
    positions = sinusoidal_positions(max(source.shape[1], inputs.shape[1]), width)
    memory, back_source = embedding(source, weights, "source_embedding")
    memory = memory + positions[: source.shape[1]]
    encoder_backs, encoder_maps = [], []
    for block in range(count_blocks(weights, "encoder")):
        memory, A, back = encoder_block(memory, weights, f"encoder.{block}", num_heads, source_mask)
        encoder_backs.append(back)
        encoder_maps.append(A)
    X, back_inputs = embedding(inputs, weights, "target_embedding")
    X = X + positions[: inputs.shape[1]]
    decoder_backs, self_maps, cross_maps = [], [], []
    for block in range(count_blocks(weights, "decoder")):
        X, self_A, cross_A, back_two = decoder_block(X, memory, weights, f"decoder.{block}", num_heads, source_mask)
        decoder_backs.append(back_two)
        self_maps.append(self_A)
        cross_maps.append(cross_A)
    logits, back_output = linear(X, weights, "output")

    def back_to_weights(dlogits: Array) -> Gradients:
        gradients: Gradients = {}
        dX, d_memory = back_output(dlogits, gradients), np.zeros_like(memory)
        for back_two in reversed(decoder_backs):
            dX, d_read = back_two(dX, gradients)
            d_memory = d_memory + d_read
        back_inputs(dX, gradients)
        for back in reversed(encoder_backs):
            d_memory = back(d_memory, gradients)
        back_source(d_memory, gradients)
        return gradients

    maps = (np.stack(each, axis=1) for each in (encoder_maps, self_maps, cross_maps))
    return Prediction(logits, *maps, back_to_weights)


def count_blocks(weights: Weights, stack: str) -> int:
    return len({name.split(".")[1] for name in weights if name.startswith(f"{stack}.")})


def shifted(targets: Integers) -> Integers:
    """What the decoder is given while a teacher dictates: the start token, then every target but the last."""
    return np.concatenate([np.full_like(targets[:, :1], START), targets[:, :-1]], axis=1)


class Batch(NamedTuple):
    source: Integers  # (batch, LENGTH)


class Reverser:
    """Learns to write six digits in reverse. Made from what its recipe declares."""

    twin = "models.attention.twins:Reverser"

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.steps, self.parameters = seed, parameters["steps"], parameters
        self.num_heads = parameters["num_heads"]

    # ------------------------------------------------------------------------------------------ forward

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: source, inputs, and source_lens where the sources differ in length -> logits and maps."""
        source, given = (np.asarray(inputs[name], np.int64) for name in ("source", "inputs"))
        mask = padding(np.asarray(inputs["source_lens"]), source.shape[1]) if "source_lens" in inputs else None
        found = forward(weights, self.num_heads, source, given, mask)._asdict()
        return {name: array for name, array in found.items() if name != "back"}

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Inputs at random to compare on: strings that all are whole, and a ragged batch whose sources are padded."""
        count = 64
        digits = streams.integers(self.seed, "verify/strings", 0, 2 * count * LENGTH, DIGITS).reshape(2, count, LENGTH)
        lens = 1 + streams.integers(self.seed, "verify/lens", 0, count, LENGTH)
        source, targets = digits
        yield "strings", {"source": source, "inputs": shifted(targets)}
        yield "ragged strings", {"source": source, "inputs": shifted(targets)[:, :4], "source_lens": lens}

    # ----------------------------------------------------------------------------------------- training

    def untrained(self) -> dict[str, Array]:
        """The weights before the first update."""
        given, seed = self.parameters, self.seed
        width, ffn_width = given["num_hiddens"], given["ffn_num_hiddens"]
        table = {
            **initial.embedding(seed, "source_embedding", DIGITS, width),
            **initial.embedding(seed, "target_embedding", DIGITS + 1, width),
            **initial.linear(seed, "output", width, DIGITS, True),
            "positions": sinusoidal_positions(LENGTH, width),
        }
        for stack, attentions in (("encoder", ("attention",)), ("decoder", ("self_attention", "cross_attention"))):
            for name in (f"{stack}.{block}" for block in range(given["num_blocks"])):
                table |= initial.ffn(seed, f"{name}.ffn", width, ffn_width)
                for each in attentions:
                    table |= initial.attention(seed, f"{name}.{each}", width)
                for number in range(1, len(attentions) + 2):
                    table |= initial.norm(f"{name}.addnorm{number}.norm", width)
        return table

    def batch(self, step: int, count: int | None = None) -> Batch:
        """The strings that update `step`, counted from 0, learns from, or the first `count` of them."""
        words = self.parameters["batch_size"] * LENGTH
        digits = streams.integers(self.seed, "batches", step * words, (step + 1) * words, DIGITS)
        return Batch(digits.reshape(-1, LENGTH)[:count])

    def optimiser(self) -> Adam:
        """What `step` moves on, before the first one."""
        return Adam()

    def loss_and_gradients(self, weights: Weights, batch: Batch) -> tuple[float, Gradients]:
        """Cross-entropy of writing the mirrored strings, nats a digit, and its derivative by every weight."""
        targets = batch.source[:, ::-1]
        prediction = forward(weights, self.num_heads, batch.source, shifted(targets))
        loss, back = cross_entropy(prediction.logits, targets)
        return loss, prediction.back(back())

    def step(self, weights: Weights, adam: Adam, step: int) -> tuple[float, dict[str, Array]]:
        """One whole update: the loss before it and the weights after it. Moves `adam` on."""
        loss, gradients = self.loss_and_gradients(weights, self.batch(step))
        rate = falling_rate(step, self.steps, self.parameters["learning_rate"])
        return loss, adam.update(weights, clipped(gradients, self.parameters["clip"]), rate)

    # ---------------------------------------------------------------------------------------- decoding

    def write(self, weights: Weights, source: Integers) -> Integers:
        """The likeliest digit after those it wrote itself, LENGTH times: (batch, LENGTH) -> (batch, LENGTH)."""
        written = np.full((len(source), 1), START)
        for _ in range(LENGTH):
            logits = forward(weights, self.num_heads, source, written).logits
            written = np.concatenate([written, logits[:, -1:].argmax(axis=-1)], axis=1)
        return written[:, 1:]

    def fresh_strings(self, count: int) -> tuple[Integers, int]:
        """`count` different strings that no batch held, and how many draws were refused because one did."""
        places = 10 ** np.arange(LENGTH - 1, -1, -1)
        words = self.steps * self.parameters["batch_size"] * LENGTH
        trained = set((streams.integers(self.seed, "batches", 0, words, DIGITS).reshape(-1, LENGTH) @ places).tolist())
        found: list[int] = []
        seen: set[int] = set()
        refused = 0
        for number in streams.integers(self.seed, "fresh", 0, 2 * count, DIGITS**LENGTH).tolist():
            if len(found) == count:
                break
            if number in trained:
                refused += 1
            elif number not in seen:
                seen.add(number)
                found.append(number)
        return np.array(found)[:, None] // places % 10, refused

    def recounted(
        self, checkpoints: Mapping[int, Weights], examples: Mapping[str, Any]
    ) -> Iterator[tuple[str, object]]:
        """What the run tells of decoding, made again from its weights: (where the run tells it, made again)."""
        source = np.array([examples["tokens"]["source"]])
        fresh, refused = self.fresh_strings(self.parameters["fresh_strings"])
        yield "metrics.fresh_strings", len(fresh)
        yield "metrics.fresh_excluded", refused
        for step, weights in checkpoints.items():
            yield f"examples.decodes.{step}", "".join(map(str, self.write(weights, source)[0].tolist()))
            right = (self.write(weights, fresh) == fresh[:, ::-1]).all(axis=1)
            yield f"series.exact_match[checkpoint={step}]", float(right.mean())
            if step == self.steps:
                yield "metrics.exact_match", float(right.mean())


class EncoderBlock:
    """The first encoder block of a trained Reverser on tokens, with their positions and without."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        pass

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """tokens (batch, seq), num_heads -> outputs (batch, seq, num_hiddens) and maps (batch, head, query, key)."""
        X, _ = embedding(np.array(inputs["tokens"]), weights, "source_embedding")
        placed = X + sinusoidal_positions(*X.shape[1:])
        found = {}
        for name, entering in (("without", X), ("with", placed)):
            Y, A, _ = encoder_block(entering, weights, "encoder.0", inputs["num_heads"])
            found |= {name: Y, f"attention_{name}": A}
        return found
