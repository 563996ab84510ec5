"""The run of act 1: masks are literal grids, and a late word moves what it may and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from models.wirings.three_wirings import TARGET_WORDS, WORDS, moved, sentence, translation, with_late
from sitegen import runs

pytestmark = pytest.mark.bake

FOLDER = Path(__file__).resolve().parents[2] / "build/runs/three-wirings"


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


def grid(run, name: str) -> list[str]:
    """A mask as rows of 0 and 1."""
    return ["".join(map(str, row)) for row in run.series[name].rows()]


def test_the_masks_are_those_of_the_three_wirings(run):
    assert grid(run, "encoder_mask") == ["111111"] * 6
    assert grid(run, "decoder_mask") == ["100000", "110000", "111000", "111100", "111110", "111111"]
    assert grid(run, "target_mask") == ["10000", "11000", "11100", "11110", "11111"]
    assert grid(run, "cross_mask") == ["111111"] * 5


@pytest.mark.parametrize("wiring", ["encoder", "decoder", "target", "cross"])
def test_attention_is_left_where_the_mask_is_open_and_nowhere_else(run, wiring: str):
    maps, mask = run.series[f"{wiring}_attention"], run.series[f"{wiring}_mask"]
    weights, seen = np.reshape(maps.values, maps.shape), np.reshape(mask.values, mask.shape)

    assert ((weights > 0) == seen).all()
    assert np.allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert {axis: maps.coordinates[axis] for axis in mask.axes} == mask.coordinates


def test_a_late_word_moves_every_earlier_output_or_exactly_none(run):
    both, causal, source, target = (
        run.series[f"moved_{name}"].values for name in ("bidirectional", "causal", "by_source", "by_target")
    )

    assert min(both) > 0.1
    assert causal[:-1] == [0.0] * 5
    assert causal[-1] > 0.1
    assert min(source) > 0.1
    assert target[:-1] == [0.0] * 4
    assert run.metrics["moved_causal_before"].value == run.metrics["moved_by_target_before"].value == 0
    assert run.metrics["moved_bidirectional_first"].value == both[0]


def test_only_the_last_word_becomes_another():
    changed = with_late(sentence(), WORDS.index("noon"))

    assert [WORDS[token] for token in changed[0].tolist()] == ["the", "tide", "comes", "in", "at", "noon"]
    assert [TARGET_WORDS[token] for token in translation()[0].tolist()] == ["la", "marée", "monte", "à", "l'aube"]
    assert moved(torch.zeros(1, 2, 3), torch.tensor([[[0.0, -2.0, 1.0], [0, 0, 0]]])).tolist() == [2.0, 0.0]
