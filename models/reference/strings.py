"""The encoder–decoder of chapter two that reverses strings of letters: forward, the way back, and its training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from models.reference import initial, streams
from models.reference.arrays import Array, Gradients, Integers, Parameters, Weights
from models.reference.blocks import decoder_block, encoder_block, rms_norm
from models.reference.layers import causal, cross_entropy, embedding, linear, padding
from models.reference.optimisation import Adam, clipped, falling_rate
from models.reference.transformer import count_blocks

ALPHABET = "abcdefghijklmnop"
LETTERS = len(ALPHABET)
LENGTH = 12
START = LETTERS  # the decoder's first input


class Prediction(NamedTuple):
    """Logits (batch, target, letter), the maps (batch, block, head, query, key), and the way back from dlogits."""

    logits: Array
    encoder_attention: Array
    decoder_attention: Array
    cross_attention: Array
    back: Callable[[Array], Gradients]


def forward(
    weights: Weights,
    num_heads: int,
    source: Integers,
    inputs: Integers,
    source_valid: Integers | None = None,
    target_valid: Integers | None = None,
) -> Prediction:
    """source (batch, source), inputs (batch, target), and how many of each row are no padding (batch,); all, if None.

    Padding is never a key. A row of padding still asks, and what it is told is of no use to anyone.
    """
    source_mask = None if source_valid is None else padding(source_valid, source.shape[1])
    target_mask = causal(inputs.shape[1])
    if target_valid is not None:
        target_mask = target_mask & padding(target_valid, inputs.shape[1])

    memory, back_source = placed(source, weights, "source")
    encoder_backs, encoder_maps = [], []
    for block in range(count_blocks(weights, "encoder")):
        memory, A, back = encoder_block(memory, weights, f"encoder.{block}", num_heads, source_mask)
        encoder_backs.append(back)
        encoder_maps.append(A)
    memory, back_memory = rms_norm(memory, weights, "encoder_norm")

    X, back_inputs = placed(inputs, weights, "target")
    decoder_backs, self_maps, cross_maps = [], [], []
    for block in range(count_blocks(weights, "decoder")):
        X, self_A, cross_A, back_two = decoder_block(
            X, memory, weights, f"decoder.{block}", num_heads, target_mask, source_mask
        )
        decoder_backs.append(back_two)
        self_maps.append(self_A)
        cross_maps.append(cross_A)
    X, back_norm = rms_norm(X, weights, "decoder_norm")
    logits, back_output = linear(X, weights, "output")

    def back_to_weights(dlogits: Array) -> Gradients:
        gradients: Gradients = {}
        dX, d_memory = back_norm(back_output(dlogits, gradients), gradients), np.zeros_like(memory)
        for back_two in reversed(decoder_backs):
            dX, d_read = back_two(dX, gradients)
            d_memory = d_memory + d_read
        back_inputs(dX, gradients)
        d_memory = back_memory(d_memory, gradients)
        for back in reversed(encoder_backs):
            d_memory = back(d_memory, gradients)
        back_source(d_memory, gradients)
        return gradients

    maps = (np.stack(each, axis=1) for each in (encoder_maps, self_maps, cross_maps))
    return Prediction(logits, *maps, back_to_weights)


def answers(weights: Weights, num_heads: int, inputs: Mapping[str, Any]) -> dict[str, Array]:
    """`forward` of inputs by name, without the way back."""
    given = [inputs.get(name) for name in ("source", "inputs", "source_valid", "target_valid")]
    found = forward(weights, num_heads, *(None if each is None else np.asarray(each) for each in given))
    return {name: array for name, array in found._asdict().items() if name != "back"}


def placed(tokens: Integers, weights: Weights, side: str) -> tuple[Array, Callable[[Array, Gradients], None]]:
    """Each token's row and each place's row, added: (batch, seq) -> (batch, seq, num_hiddens)."""
    X, back_tokens = embedding(tokens, weights, f"{side}_embedding")
    places, back_places = embedding(np.arange(tokens.shape[1]), weights, f"{side}_positions")

    def back(dX: Array, gradients: Gradients) -> None:
        back_tokens(dX, gradients)
        back_places(dX.sum(axis=0), gradients)

    return X + places, back


def shifted(targets: Integers) -> Integers:
    """What the decoder is given while a teacher dictates: the start token, then every target but the last."""
    return np.concatenate([np.full_like(targets[:, :1], START), targets[:, :-1]], axis=1)


class Batch(NamedTuple):
    source: Integers  # (batch, LENGTH)


class StringReverser:
    """Learns to write twelve letters in reverse. Made from what its recipe declares."""

    twin = "models.wirings.twins:StringReverser"

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.steps, self.parameters = seed, parameters["steps"], parameters
        self.num_heads = parameters["num_heads"]

    # ------------------------------------------------------------------------------------------ forward

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: source, inputs, and source_valid and target_valid where lengths differ -> logits and maps."""
        return answers(weights, self.num_heads, inputs)

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Inputs at random to compare on: strings that all are whole, and a batch ragged on both sides."""
        count = 32
        letters = streams.integers(self.seed, "verify/strings", 0, 2 * count * LENGTH, LETTERS)
        source, targets = letters.reshape(2, count, LENGTH)
        lens = 1 + streams.integers(self.seed, "verify/lens", 0, 2 * count, LENGTH).reshape(2, count)
        inputs = {"source": source, "inputs": shifted(targets)}
        yield "strings", inputs
        yield "ragged strings", {**inputs, "source_valid": lens[0], "target_valid": lens[1]}

    # ----------------------------------------------------------------------------------------- training

    def untrained(self) -> dict[str, Array]:
        """The weights before the first update."""
        given, seed = self.parameters, self.seed
        width, ffn_width = given["num_hiddens"], given["ffn_num_hiddens"]
        table = {
            **initial.embedding(seed, "source_embedding", LETTERS, width),
            **initial.embedding(seed, "source_positions", LENGTH, width),
            **initial.embedding(seed, "target_embedding", LETTERS + 1, width),
            **initial.embedding(seed, "target_positions", LENGTH, width),
        }
        table = {name: given["embedding_std"] * rows for name, rows in table.items()}
        table |= initial.linear(seed, "output", width, LETTERS, False)
        norms = ["encoder_norm", "decoder_norm"]
        for stack, attentions in (("encoder", ("attention",)), ("decoder", ("self_attention", "cross_attention"))):
            for name in (f"{stack}.{block}" for block in range(given["num_blocks"])):
                for part in ("W_gate", "W_up"):
                    table |= initial.linear(seed, f"{name}.ffn.{part}", width, ffn_width, False)
                table |= initial.linear(seed, f"{name}.ffn.W_down", ffn_width, width, False)
                for each in attentions:
                    table |= initial.attention(seed, f"{name}.{each}", width)
                norms += [f"{name}.norm{number}" for number in range(1, len(attentions) + 2)]
        return table | {f"{name}.weight": np.ones(width) for name in norms}

    def batch(self, step: int, count: int | None = None) -> Batch:
        """The strings that update `step`, counted from 0, learns from, or the first `count` of them."""
        words = self.parameters["batch_size"] * LENGTH
        letters = streams.integers(self.seed, "batches", step * words, (step + 1) * words, LETTERS)
        return Batch(letters.reshape(-1, LENGTH)[:count])

    def optimiser(self) -> Adam:
        """What `step` moves on, before the first one."""
        return Adam()

    def loss_and_gradients(self, weights: Weights, batch: Batch) -> tuple[float, Gradients]:
        """Cross-entropy of writing the mirrored strings, nats a letter, and its derivative by every weight."""
        targets = batch.source[:, ::-1]
        prediction = forward(weights, self.num_heads, batch.source, shifted(targets))
        loss, back = cross_entropy(prediction.logits, targets)
        return loss, prediction.back(back())

    def step(self, weights: Weights, adam: Adam, step: int) -> tuple[float, dict[str, Array]]:
        """One whole update: the loss before it and the weights after it. Moves `adam` on."""
        loss, gradients = self.loss_and_gradients(weights, self.batch(step))
        rate = falling_rate(step, self.parameters["steps"], self.parameters["learning_rate"])
        return loss, adam.update(weights, clipped(gradients, self.parameters["clip"]), rate)

    # ---------------------------------------------------------------------------------------- decoding

    def write(self, weights: Weights, source: Integers) -> Integers:
        """The likeliest letter after those it wrote itself, LENGTH times: (batch, LENGTH) -> (batch, LENGTH)."""
        written = np.full((len(source), 1), START)
        for _ in range(LENGTH):
            logits = forward(weights, self.num_heads, source, written).logits
            written = np.concatenate([written, logits[:, -1:].argmax(axis=-1)], axis=1)
        return written[:, 1:]

    def fresh_strings(self, count: int) -> Integers:
        """`count` different strings that no batch held: (count, LENGTH)."""
        words = self.parameters["steps"] * self.parameters["batch_size"] * LENGTH
        trained = set(map(tuple, streams.integers(self.seed, "batches", 0, words, LETTERS).reshape(-1, LENGTH)))
        drawn = streams.integers(self.seed, "fresh", 0, 2 * count * LENGTH, LETTERS).reshape(-1, LENGTH)
        found = list(dict.fromkeys(letters for letters in map(tuple, drawn) if letters not in trained))
        return np.array(found[:count])

    def recounted(
        self, checkpoints: Mapping[int, Weights], examples: Mapping[str, Any]
    ) -> Iterator[tuple[str, object]]:
        """What the run tells of decoding, made again from its weights: (where the run tells it, made again)."""
        source = np.array([[ALPHABET.index(letter) for letter in examples["tokens"]["source"]]])
        fresh = self.fresh_strings(self.parameters["fresh_strings"])
        yield "metrics.fresh_strings", len(fresh)
        for step, weights in checkpoints.items():
            written = "".join(ALPHABET[letter] for letter in self.write(weights, source)[0])
            yield f"examples.decodes.{step}", written
            right = float((self.write(weights, fresh) == fresh[:, ::-1]).all(axis=1).mean())
            yield f"series.exact_match[checkpoint={step}]", right
            yield "metrics.exact_match", right


class DeepStringReverser(StringReverser):
    """The same with four blocks each way. All of its training would take this engine minutes: it follows the start."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        super().__init__(seed, parameters)
        self.steps = parameters["followed"]


class RaggedBatch:
    """An untrained encoder–decoder on a batch whose sequences differ in length."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.num_heads = parameters["num_heads"]

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: source, inputs, source_valid, target_valid -> logits and maps."""
        return answers(weights, self.num_heads, inputs)
