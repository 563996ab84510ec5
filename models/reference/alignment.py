"""The additive score that learns to align four words with their translation, and its training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from models.reference import initial, streams
from models.reference.arrays import Array, Gradients, Integers, Parameters, Weights
from models.reference.layers import additive_scores, cross_entropy, softmax, softmax_back
from models.reference.optimisation import Adam, falling_rate

KINDS = ("begin", "determiner", "noun", "adjective", "end")
# The kind of each word of the dictionary, by its number: one determiner, five nouns, nine adjectives, the end.
OF_KIND = (1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4)
THE, CAR, RED, END = 0, 1, 6, 15
TRAINED = (THE, RED, CAR, END)
CROSSED = (0, 2, 1, 3)  # the target's words are these of the source: noun and adjective change places


def attend(
    queries: Array, keys: Array, values: Array, weights: Weights, name: str = "score"
) -> tuple[Array, Array, Array, Callable[[Array, Gradients], None]]:
    """softmax(w · tanh(W_q q + W_k k)) V: (query, q), (key, k), (key, v)
    -> outputs (query, v), weights and scores (query, key), back: dO to the weights of the score alone.
    """
    scores, back_scores = additive_scores(queries, keys, weights, name)
    A = softmax(scores)

    def back(dO: Array, gradients: Gradients) -> None:
        back_scores(softmax_back(A, dO @ values.T), gradients)

    return A @ values, A, scores, back


class Batch(NamedTuple):
    source: tuple[int, ...]  # words of the dictionary
    target: tuple[int, ...]


class Aligner:
    """Learns where to look while it writes a translation. Made from what its recipe declares."""

    twin = "models.attention.twins:Aligner"

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.steps, self.parameters = seed, parameters["steps"], parameters
        width = parameters["meaning_size"]
        directions = streams.normals(seed, "meanings", len(OF_KIND) * width).reshape(-1, width)
        self.meanings = directions / np.sqrt((directions * directions).sum(axis=1, keepdims=True))
        kinds = np.eye(len(KINDS))
        self.words = np.concatenate([kinds[list(OF_KIND)], self.meanings], axis=1)  # (word, kind + meaning)
        self.begin = np.concatenate([kinds[0], np.zeros(width)])

    def translate(
        self, weights: Weights, source: Sequence[int], written: Sequence[int]
    ) -> tuple[Array, Array, Callable[[Array], Gradients]]:
        """-> logits (len(written) + 1, word), weights (len(written) + 1, key), way back."""
        keys = self.words[list(source)]
        queries = np.stack([self.begin, *self.words[list(written)]])
        context, A, _, back_attention = attend(queries, keys, keys, weights)
        sharpness, kinds = self.parameters["sharpness"], len(KINDS)
        logits = sharpness * (context[:, kinds:] @ self.meanings.T)

        def back(dlogits: Array) -> Gradients:
            gradients: Gradients = {}
            d_context = np.zeros_like(context)
            d_context[:, kinds:] = sharpness * (dlogits @ self.meanings)
            back_attention(d_context, gradients)
            return gradients

        return logits, A, back

    def forward(self, weights: Weights, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """inputs: queries, keys, values of the attention alone; or source and written of a whole translation."""
        if "source" in inputs:
            logits, A, _ = self.translate(weights, inputs["source"], inputs["written"])
            return {"logits": logits, "weights": A}
        queries, keys, values = (np.asarray(inputs[name], float) for name in ("queries", "keys", "values"))
        outputs, A, scores, _ = attend(queries, keys, values, weights)
        return {"outputs": outputs, "weights": A, "scores": scores}

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Inputs at random to compare on: sequences of words, and what is written of their translation."""
        for case in range(16):
            drawn: Integers = streams.integers(self.seed, f"verify/words {case}", 0, 8, len(OF_KIND))
            length = 2 + case % 4
            yield f"words {case}", {"source": drawn[:length].tolist(), "written": drawn[4 : 4 + case % 3].tolist()}

    def untrained(self) -> dict[str, Array]:
        """The weights before the first update; the last layer starts at 0, so that all scores are 0."""
        size, width = self.words.shape[1], self.parameters["num_hiddens"]
        return {
            **initial.linear(self.seed, "score.W_q", size, width, False),
            **initial.linear(self.seed, "score.W_k", size, width, False),
            "score.w.weight": np.zeros((1, width)),
        }

    def batch(self, step: int, count: int | None = None) -> Batch:
        """The one pair, at every step."""
        return Batch(TRAINED, tuple(TRAINED[place] for place in CROSSED))

    def optimiser(self) -> Adam:
        """What `step` moves on, before the first one."""
        return Adam()

    def loss_and_gradients(self, weights: Weights, batch: Batch) -> tuple[float, Gradients]:
        """Cross-entropy, nats a word, with the true words so far at hand, and its derivative by the score's weights."""
        logits, _, back_to_weights = self.translate(weights, batch.source, batch.target[:-1])
        loss, back = cross_entropy(logits, np.array(batch.target))
        return loss, back_to_weights(back())

    def step(self, weights: Weights, adam: Adam, step: int) -> tuple[float, dict[str, Array]]:
        """One whole update: the loss before it and the weights after it. Moves `adam` on."""
        loss, gradients = self.loss_and_gradients(weights, self.batch(step))
        return loss, adam.update(weights, gradients, falling_rate(step, self.steps, self.parameters["learning_rate"]))

    def recounted(
        self, checkpoints: Mapping[int, Weights], examples: Mapping[str, Any]
    ) -> Iterator[tuple[str, object]]:
        """What the run tells of translating, made again from its weights: (where the run tells it, made again)."""
        english, french = ([word[tongue] for word in examples["dictionary"]] for tongue in ("english", "french"))
        weights = checkpoints[self.steps]
        told = {"pair": examples["pair"]}
        told |= {f"{part}.{place}": each for part in ("held_out", "other_order")
                 for place, each in enumerate(examples[part])}  # fmt: skip
        rights: dict[str, list[bool]] = {"held_out": [], "other_order": [], "pair": []}
        for where, each in told.items():
            source = [english.index(word) for word in each["source"]]
            written = self.write(weights, source)
            for place, word in enumerate(written):
                yield f"examples.{where}.written.{place}", french[word]
            right = [french[word] for word in written] == each["target"]
            rights[where.split(".")[0]].append(right)
            yield f"examples.{where}.translated", right
        yield "metrics.translated", int(rights["pair"][0])
        for part in ("held_out", "other_order"):
            yield f"metrics.{part}_translated", sum(rights[part]) / len(rights[part])

    def write(self, weights: Weights, source: Sequence[int]) -> list[int]:
        """As many words as the source has, each the likeliest after those it wrote itself."""
        written: list[int] = []
        for _ in source:
            written.append(int(self.translate(weights, source, written)[0][-1].argmax()))
        return written
