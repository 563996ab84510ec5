"""Strings come from their streams, fresh ones were never trained on, and measures are taken layer by layer."""

from __future__ import annotations

import pytest
import torch

from models.attention.streams import Stream
from models.wirings.strings import (
    batch,
    fresh_strings,
    letters_of,
    measure,
    reverser,
    spelled,
    train,
    trained_strings,
)

pytestmark = pytest.mark.bake

SIZES = {"num_hiddens": 16, "num_heads": 2, "ffn_num_hiddens": 16, "embedding_std": 0.5}


def test_letters_are_numbered_from_a_to_p():
    assert letters_of("apple") == [0, 15, 15, 11, 4]
    assert spelled([0, 15, 15, 11, 4]) == "apple"


def test_batches_are_successive_stretches_of_one_stream():
    letters = Stream(3, "batches").integers(2 * 5 * 12, 16).reshape(2, 5, 12)

    assert [batch(3, step, 5).tolist() for step in range(2)] == letters.tolist()


def test_trained_strings_are_those_of_all_batches():
    found = {spelled(string) for step in range(4) for string in batch(3, step, 5).tolist()}

    assert trained_strings(3, 4, 5) == found


def test_fresh_strings_are_all_different_and_none_was_trained_on():
    first, second, *_ = map(spelled, fresh_strings(0, 5, set()).tolist())

    found = list(map(spelled, fresh_strings(0, 1000, {second}).tolist()))

    assert len(set(found)) == 1000
    assert first in found
    assert second not in found


def test_weights_and_peaks_are_told_layer_by_layer():
    model = reverser(0, num_blocks=3, **SIZES)
    found = measure(model, batch(0, 0, 20))

    assert (found.source_share.shape, found.source_weight.shape) == ((3,), (3,))
    assert found.source_weight_by_head.shape == found.source_share_by_head.shape == (3, 2)
    assert found.source_weight.tolist() == pytest.approx(found.source_weight_by_head.mean(dim=1).tolist())
    assert found.source_weight.tolist() == pytest.approx([1 / 12] * 3, abs=0.03)  # nothing is learned yet
    assert found.exact_match == 0


def test_training_lowers_the_loss_and_yields_it_before_each_update():
    model = reverser(0, num_blocks=1, **SIZES)
    losses = []
    for step, loss in enumerate(train(model, 0, steps=60, batch_size=32, learning_rate=0.01, max_norm=1.0)):
        losses.append(loss)
        if step < 3:
            assert measure(model, batch(0, step, 32)).loss == pytest.approx(loss, abs=1e-12)

    assert len(losses) == 61
    assert losses[-1] < losses[0] - 0.5


def test_a_perfect_map_has_all_its_weight_and_peaks_on_the_true_source():
    model = reverser(0, num_blocks=2, **SIZES)
    read = torch.eye(12, dtype=torch.float64).flip(1).expand(20, 2, 12, 12)
    model.decoder[1].register_forward_hook(lambda _, __, found: (*found[:2], read[:, :, : found[2].shape[2]]))

    found = measure(model, batch(0, 0, 20))

    assert (found.source_share[1].item(), found.source_weight[1].item()) == (1, 1)
    assert found.source_share[0].item() < 0.5
