"""The whole models of the reference and their torch twins: outputs, gradients and first updates agree."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from models.attention import twins
from models.reference.alignment import Aligner
from models.reference.transformer import EncoderBlock, Reverser
from models.reference.vision import VisionTransformer

RUNS = Path(__file__).parents[2] / "build" / "runs"
TRAINED = {"reverse-digits": Reverser, "bahdanau-alignment": Aligner, "garment-vit": VisionTransformer}


def declared(run: str) -> dict[str, Any]:
    return json.loads((RUNS / run / "run.json").read_text("utf-8"))


def engines(run: str) -> tuple[Any, Any]:
    """A reference and its twin, as the run declares them; the twin's weights are untrained."""
    torch.set_num_threads(1)
    made = declared(run)
    reference = TRAINED[run](made["seed"], made["parameters"])
    module, _, name = reference.twin.partition(":")
    return reference, getattr(importlib.import_module(module), name)(made["seed"], made["parameters"])


@pytest.mark.parametrize("run", TRAINED)
def test_outputs_agree_on_all_cases(run: str):
    reference, twin = engines(run)
    weights = twin.weights()

    for _, inputs in reference.cases():
        theirs, ours = twin.forward(weights, inputs), reference.forward(weights, inputs)
        for name in theirs:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("run", TRAINED)
def test_gradients_agree_with_autograd(run: str):
    reference, twin = engines(run)
    weights, batch = twin.weights(), reference.batch(0, 8)

    (loss, ours), (expected, theirs) = (one.loss_and_gradients(weights, batch) for one in (reference, twin))

    assert abs(loss - expected) < 1e-13
    assert ours.keys() == theirs.keys()
    for name in theirs:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("run", TRAINED)
def test_the_first_updates_lead_to_the_same_weights(run: str):
    reference, twin = engines(run)
    training, optimiser = twin.training(), reference.optimiser()
    _, weights = next(training)

    for step in range(3):
        _, weights = reference.step(weights, optimiser, step)
        _, expected = next(training)
        assert max(float(np.abs(weights[name] - expected[name]).max()) for name in expected) < 1e-12


def test_a_dropped_mask_would_show(monkeypatch: pytest.MonkeyPatch):
    reference, twin = engines("reverse-digits")
    _, inputs = next(reference.cases())
    weights = twin.weights()
    monkeypatch.setattr("models.attention.transformer.causal_mask", lambda length: torch.ones(length, length).bool())

    apart = np.abs(twin.forward(weights, inputs)["logits"] - reference.forward(weights, inputs)["logits"]).max()

    assert apart > 0.01


def test_padding_is_never_read():
    reference, twin = engines("reverse-digits")
    *_, (_, inputs) = reference.cases()
    weights, changed = twin.weights(), {**inputs, "source": inputs["source"].copy()}
    for row, length in enumerate(inputs["source_lens"]):
        changed["source"][row, length:] = 0

    before, after = reference.forward(weights, inputs), reference.forward(weights, changed)

    assert np.array_equal(before["logits"], after["logits"])


def test_fresh_strings_are_those_of_the_recipe():
    from models.attention.reversal import fresh_strings, trained_strings

    reference, _ = engines("reverse-digits")
    given = reference.parameters
    trained = trained_strings(reference.seed, given["steps"], given["batch_size"])
    expected = fresh_strings(reference.seed, 100, trained)

    found, _ = reference.fresh_strings(100)

    assert np.array_equal(found, expected.sources.numpy())


def test_the_garments_are_those_of_the_recipe():
    from models.attention.fashion_mnist import SUBSET, load_subset

    reference, _ = engines("garment-vit")
    kept = load_subset(SUBSET)

    assert np.array_equal(np.rint((reference.garments.images + 1) * 127.5), kept.images)
    assert np.array_equal(reference.garments.labels, kept.labels)


def test_a_block_alone_reads_its_tokens_with_and_without_their_places():
    made = declared("reverse-digits")
    twin = twins.Reverser(made["seed"], made["parameters"])
    inputs = {"tokens": [[1, 2, 3], [3, 2, 1]], "num_heads": 2}

    found = EncoderBlock(0, {}).forward(twin.weights(), inputs)

    np.testing.assert_allclose(found["without"][0], found["without"][1][::-1], atol=1e-14)
    assert np.abs(found["with"][0] - found["with"][1][::-1]).max() > 0.1


@pytest.mark.parametrize("run", TRAINED)
def test_the_first_weights_have_the_same_bits(run: str):
    reference, twin = engines(run)

    ours, theirs = reference.untrained(), twin.weights()

    assert ours.keys() == theirs.keys()
    drawn = theirs.keys() - {"positions"} if run == "reverse-digits" else theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in drawn)
    np.testing.assert_allclose(ours.get("positions", 0), theirs.get("positions", 0), rtol=0, atol=1e-15)
