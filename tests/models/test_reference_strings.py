"""The string reverser of the reference and its torch twin: first weights, outputs, gradients and updates agree."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from models.reference.strings import DeepStringReverser, RaggedBatch, StringReverser
from models.wirings import strings
from models.wirings.twins import StringReverser as Twin

pytestmark = pytest.mark.bake

GIVEN = {
    "steps": 5, "batch_size": 8, "learning_rate": 0.01, "clip": 1.0, "num_hiddens": 16, "num_heads": 4,
    "ffn_num_hiddens": 24, "num_blocks": 2, "embedding_std": 0.5, "fresh_strings": 20, "followed": 2,
}  # fmt: skip


@pytest.fixture
def engines():
    torch.set_num_threads(1)
    return StringReverser(3, GIVEN), Twin(3, GIVEN)


def test_the_first_weights_have_the_same_bits(engines):
    ours, theirs = engines[0].untrained(), engines[1].weights()

    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_outputs_agree_on_whole_and_on_ragged_strings(engines):
    reference, twin = engines
    weights = twin.weights()

    names = []
    for name, inputs in reference.cases():
        names.append(name)
        theirs, ours = twin.forward(weights, inputs), reference.forward(weights, inputs)
        assert ours.keys() == theirs.keys()
        for output in theirs:
            np.testing.assert_allclose(ours[output], theirs[output], rtol=1e-11, atol=1e-12)

    assert names == ["strings", "ragged strings"]


def test_gradients_agree_with_autograd(engines):
    reference, twin = engines
    weights, batch = twin.weights(), reference.batch(0, 4)

    (loss, ours), (expected, theirs) = (one.loss_and_gradients(weights, batch) for one in engines)

    assert abs(loss - expected) < 1e-13
    assert ours.keys() == theirs.keys() == weights.keys()
    for name in theirs:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-13, err_msg=name)


def test_all_updates_lead_to_the_same_weights(engines):
    reference, twin = engines
    optimiser, weights = reference.optimiser(), reference.untrained()

    for step, (loss, expected) in enumerate(twin.training()):
        assert max(float(np.abs(weights[name] - expected[name]).max()) for name in expected) < 1e-12
        if step < GIVEN["steps"]:
            before, weights = reference.step(weights, optimiser, step)
            assert before == pytest.approx(loss, abs=1e-13)


def test_batches_and_fresh_strings_are_those_of_the_recipe(engines):
    reference, _ = engines
    trained = strings.trained_strings(3, 5, 8)

    assert np.array_equal(reference.batch(2).source, strings.batch(3, 2, 8).numpy())
    assert np.array_equal(reference.fresh_strings(20), strings.fresh_strings(3, 20, trained).numpy())


def test_decoding_is_recounted_from_weights(engines):
    reference, twin = engines
    fresh = strings.fresh_strings(3, 20, strings.trained_strings(3, 5, 8))
    source = torch.tensor([strings.letters_of("genealogical")])

    found = dict(reference.recounted({5: twin.weights()}, {"tokens": {"source": "genealogical"}}))

    written = strings.spelled(twin.model.greedy_decode(source, 12)[0].tolist())
    exact = strings.measure(twin.model, fresh).exact_match
    assert found == {
        "metrics.fresh_strings": 20,
        "examples.decodes.5": written,
        "series.exact_match[checkpoint=5]": exact,
        "metrics.exact_match": exact,
    }


def test_of_the_deep_training_only_the_start_is_followed(engines):
    deep = DeepStringReverser(3, GIVEN)

    assert deep.steps == 2
    weights = deep.untrained()
    moved = [one.step(weights, one.optimiser(), 1)[1] for one in (deep, engines[0])]
    assert all(np.array_equal(moved[0][name], moved[1][name]) for name in weights)  # at the rate of all five


def test_a_ragged_batch_is_answered_as_the_model_answers(engines):
    reference, twin = engines
    *_, (_, inputs) = reference.cases()

    found = RaggedBatch(0, {"num_heads": 4}).forward(twin.weights(), inputs)

    np.testing.assert_allclose(found["logits"], twin.forward(twin.weights(), inputs)["logits"], atol=1e-12)
