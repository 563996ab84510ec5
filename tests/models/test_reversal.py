"""The task's strings come from their streams, its measures say what the maps show, and training lowers the loss."""

from __future__ import annotations

import pytest
import torch

from models.attention.reversal import (
    batch,
    digits_of,
    fresh_strings,
    measure,
    mirror_share,
    mirror_weight,
    reverser,
    train,
    trained_strings,
)
from models.attention.streams import Stream

pytestmark = pytest.mark.bake


def spelled(strings):
    return [int("".join(map(str, string))) for string in strings.tolist()]


def test_batches_are_successive_stretches_of_one_stream():
    digits = Stream(3, "batches").integers(2 * 5 * 6, 10).reshape(2, 5, 6)
    assert [batch(3, step, 5).tolist() for step in range(2)] == digits.tolist()


def test_trained_strings_are_those_of_all_batches():
    assert trained_strings(3, 4, 5) == {number for step in range(4) for number in spelled(batch(3, step, 5))}


def test_fresh_strings_are_all_different_and_none_was_trained_on():
    trained = trained_strings(0, 600, 128)
    fresh = fresh_strings(0, 1000, trained)
    numbers = spelled(fresh.sources)
    assert len(set(numbers)) == 1000
    assert not trained & set(numbers)


def test_excluded_strings_are_counted():
    drawn = Stream(0, "fresh").integers(20, 10**6).tolist()
    fresh = fresh_strings(0, 10, {drawn[0], drawn[5]})
    assert fresh.excluded == 2
    assert spelled(fresh.sources) == [*drawn[1:5], *drawn[6:12]]


def test_numbers_are_spelled_with_leading_noughts():
    assert digits_of(1203) == [0, 0, 1, 2, 0, 3]


def test_a_perfect_anti_diagonal_has_all_its_weight_and_rows_on_the_mirror():
    mirror = torch.eye(6, dtype=torch.float64).flip(1).expand(4, 6, 6)
    assert (mirror_share(mirror).item(), mirror_weight(mirror).item()) == (1.0, 1.0)
    half = 0.4 * mirror + 0.6 * torch.eye(6, dtype=torch.float64)
    assert (mirror_share(half).item(), mirror_weight(half).item()) == (0.0, pytest.approx(0.4))


def test_an_untrained_model_reverses_nothing_and_training_lowers_the_loss():
    model = reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)
    source = batch(0, 999, 50)
    before = measure(model, source)
    losses = list(train(model, 0, steps=60, batch_size=64, learning_rate=0.01, max_norm=1.0))
    after = measure(model, source)
    assert before.exact_match == 0
    assert len(losses) == 61
    assert after.loss < before.loss / 2
    assert after.teacher_forced_accuracy > before.teacher_forced_accuracy + 0.3
    assert losses[-1] < losses[0] / 2


def test_the_yielded_loss_is_that_of_the_weights_at_that_moment():
    model = reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)
    for step, loss in enumerate(train(model, 0, steps=3, batch_size=8, learning_rate=0.01, max_norm=1.0)):
        source = batch(0, step, 8)
        assert measure(model, source).loss == pytest.approx(loss, abs=1e-12)
