"""The Perceiver of the reference and its torch twin: outputs, gradients, first updates and the tables agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from models.reference import perceiver
from models.wirings.learned_queries import learned_queries
from models.wirings.learned_queries_twin import LabelReader
from models.wirings.perceiver import PerceiverEncoder, initialise_perceiver

pytestmark = pytest.mark.bake


@pytest.fixture
def engines() -> tuple[Any, Any]:
    """The reference and its twin, as the recipe declares them, untrained."""
    torch.set_num_threads(1)
    declared = dict(learned_queries.parameters)
    return perceiver.LabelReader(0, declared), LabelReader(0, declared)


@pytest.mark.parametrize("length", [1, 11])
@torch.no_grad()
def test_the_encoder_gives_the_same_of_random_inputs(length: int):
    model = PerceiverEncoder(num_inputs_dim=7, num_latents=5, num_hiddens=12, num_heads=3, num_blocks=2).double()
    initialise_perceiver(model, seed=2)
    weights = perceiver.untrained(2, "", num_inputs_dim=7, num_latents=5, num_hiddens=12, num_blocks=2)
    inputs = np.random.default_rng(3).normal(size=(2, length, 7))

    theirs, ours = model(torch.from_numpy(inputs)), perceiver.perceiver(inputs, weights, "", num_heads=3)

    assert weights.keys() == model.state_dict().keys()
    for name, expected in theirs._asdict().items():
        np.testing.assert_allclose(getattr(ours, name), expected.numpy(), rtol=1e-11, atol=1e-13)


def test_the_first_weights_are_the_recipes(engines: tuple[Any, Any]):
    reference, twin = engines
    ours, theirs = reference.untrained(), twin.weights()

    assert ours.keys() == theirs.keys()
    assert max(float(np.abs(ours[name] - theirs[name]).max()) for name in theirs) == 0


def test_outputs_agree_on_all_cases(engines: tuple[Any, Any]):
    reference, twin = engines
    weights = twin.weights()

    for _, inputs in reference.cases():
        theirs, ours = twin.forward(weights, inputs), reference.forward(weights, inputs)
        for name in theirs:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-11, atol=1e-12)


def test_gradients_agree_with_autograd(engines: tuple[Any, Any]):
    reference, twin = engines
    weights, batch = twin.weights(), reference.batch(3, 5)

    (loss, ours), (expected, theirs) = (one.loss_and_gradients(weights, batch) for one in (reference, twin))

    assert abs(loss - expected) < 1e-13
    assert ours.keys() == theirs.keys()
    for name in theirs:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-13, err_msg=name)


def test_the_first_updates_lead_to_the_same_weights(engines: tuple[Any, Any]):
    reference, twin = engines
    training, optimiser = twin.training(), reference.optimiser()
    _, weights = next(training)

    for step in range(3):
        _, weights = reference.step(weights, optimiser, step)
        _, expected = next(training)
        assert max(float(np.abs(weights[name] - expected[name]).max()) for name in expected) < 1e-12
