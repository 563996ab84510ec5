"""The committed masks are those of the contract, nothing is read through them, and padding moves nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from models.wirings.ragged_masks import PAD, ragged
from sitegen import runs

pytestmark = pytest.mark.bake

FOLDER = Path(__file__).resolve().parents[2] / "build/runs/ragged-masks"


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


def grid(run, name):
    series = run.series[name]
    return np.array(series.values).reshape(series.shape)


def test_the_six_masks_are_these_grids(run):
    assert grid(run, "source_masks").astype(int).tolist() == [[[1, 1, 1, 0, 0]] * 5, [[1, 1, 1, 1, 1]] * 5]
    assert grid(run, "target_masks").astype(int).tolist() == [
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]],
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]],
    ]
    assert grid(run, "cross_masks").astype(int).tolist() == [[[1, 1, 1, 0, 0]] * 4, [[1, 1, 1, 1, 1]] * 4]


def test_lengths_are_those_of_the_words(run):
    tokens = run.examples["tokens"]

    assert [(one["source_valid"], one["target_valid"]) for one in tokens] == [(3, 3), (5, 4)]
    for one in tokens:
        for side, valid in (("source", "source_valid"), ("inputs", "target_valid")):
            assert [word == PAD for word in one[side]] == [place >= one[valid] for place in range(len(one[side]))]


@pytest.mark.parametrize(
    ("attention", "mask"),
    [
        ("encoder_attention", "source_masks"),
        ("decoder_attention", "target_masks"),
        ("cross_attention", "cross_masks"),
    ],
)
def test_weights_stand_only_where_the_mask_is_open_and_each_row_sums_to_one(run, attention, mask):
    weights, visible = grid(run, attention), grid(run, mask)[:, None].astype(bool)

    assert (weights[np.broadcast_to(~visible, weights.shape)] == 0).all()
    assert (weights[np.broadcast_to(visible, weights.shape)] > 0).all()
    assert np.abs(weights.sum(-1) - 1).max() < 1e-5


def test_padding_moves_nothing_but_would_without_the_masks(run):
    metrics = {name: metric.value for name, metric in run.metrics.items()}

    assert metrics["padding_moved"] == 0
    assert metrics["alone_moved"] < 1e-13
    assert metrics["unmasked_moved"] > 0.1


def test_shorter_sentences_are_padded_to_the_longest():
    batch = ragged([["a"], ["b", "a"]], ["a", "b", PAD])

    assert batch.tokens.tolist() == [[0, 2], [1, 0]]
    assert batch.valid_lens.tolist() == [1, 2]
    assert batch.words(0) == ["a", PAD]
    assert torch.equal(batch.with_other_padding(), torch.tensor([[0, 0], [1, 0]]))
