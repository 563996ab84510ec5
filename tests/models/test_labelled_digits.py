"""Tables hold each asked label once, and a Perceiver learns which of its latents looks up which."""

from __future__ import annotations

import pytest
import torch

from models.wirings.labelled_digits import LABELS, LabelReader, Tables, long_tables, measure, reader, tables, train

pytestmark = pytest.mark.bake


def test_a_table_holds_every_label_once_and_another_order_each_time():
    given = tables(seed=7, purpose="batches", start=0, count=50)

    assert given.labels.sort(dim=1).values.tolist() == [list(range(len(LABELS)))] * 50
    assert given.digits.min() == 0
    assert given.digits.max() == 9
    assert len(set(map(tuple, given.labels.tolist()))) == 50


def test_a_part_of_a_stream_is_that_part_of_the_whole():
    whole, part = tables(7, "batches", 0, 6), tables(7, "batches", 2, 3)

    assert torch.equal(part.labels, whole.labels[2:5])
    assert torch.equal(part.digits, whole.digits[2:5])


def test_an_answer_is_the_digit_under_the_label():
    given = Tables(torch.tensor([[4, 1, 0, 2], [2, 0, 1, 3]]), torch.tensor([[5, 6, 7, 8], [9, 1, 2, 3]]))

    assert given.places(3).tolist() == [[2, 1, 3], [1, 2, 0]]
    assert given.answers(3).tolist() == [[7, 6, 8], [1, 2, 9]]


@pytest.mark.parametrize("length", [24, 50])
def test_a_longer_table_holds_each_asked_label_once(length: int):
    given = long_tables(seed=7, num_latents=6, length=length, count=20)

    assert given.labels.shape == given.digits.shape == (20, length)
    assert [(given.labels == label).sum(dim=1).unique().tolist() for label in range(6)] == [[1]] * 6
    assert given.labels.max() < len(LABELS)


def test_a_reader_that_guesses_is_measured_as_one():
    model = reader(seed=0, num_latents=6, num_hiddens=16, num_heads=2, num_blocks=1)
    found = measure(model, tables(0, "fresh", 0, 200))

    assert 0.02 < found.accuracy < 0.25
    assert 0.01 < found.row_weight < 0.15


def test_a_short_training_finds_the_rows():
    torch.set_num_threads(1)
    model: LabelReader = reader(seed=0, num_latents=6, num_hiddens=16, num_heads=1, num_blocks=1)

    losses = list(train(model, 0, steps=100, batch_size=32, learning_rate=0.02, max_norm=1.0))

    found = measure(model, tables(0, "fresh", 0, 200))
    assert losses[-1] < 0.2 * losses[0]
    assert found.accuracy > 0.95
    assert found.row_share > 0.9
