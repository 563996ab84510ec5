import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.position_code import cosine_similarities, frequencies, similarity_at_gap, turn
from models.attention.positions import sinusoidal_positions
from sitegen.runs import load

pytestmark = pytest.mark.bake

RUN = Path(__file__).parents[2] / "build/runs/position-code"
CODE = sinusoidal_positions(64, 32)


def test_similarity_is_symmetric_and_one_with_itself():
    similarities = cosine_similarities(CODE)
    assert_close(similarities, similarities.T)
    assert_close(similarities.diagonal(), torch.ones(64, dtype=torch.float64))


@pytest.mark.parametrize("d", [16, 32, 64])
@pytest.mark.parametrize("gap", [1, 7, 40])
def test_similarity_depends_on_the_gap_alone_and_is_a_mean_of_cosines(d, gap):
    at_gap = similarity_at_gap(cosine_similarities(sinusoidal_positions(64, d)), gap)
    cosines = [math.cos(gap / 10000 ** (2 * pair / d)) for pair in range(d // 2)]
    np.testing.assert_allclose(at_gap, [sum(cosines) / len(cosines)] * (64 - gap), rtol=0, atol=1e-14)


def test_gap_seven_has_similarity_0_714_at_every_start():
    run = load(RUN)
    starts = run.series["similarity_at_given_gap"].values
    assert len(starts) == 57
    assert {round(value, 3) for value in starts} == {0.714}


def test_a_gap_turns_every_pair_by_frequency_times_gap():
    omega = frequencies(32)
    for gap in (1, 7, 40):
        assert_close(turn(CODE[:-gap], omega * gap), CODE[gap:], atol=1e-13, rtol=0)


def test_turning_keeps_lengths():
    turned = turn(CODE, torch.linspace(0, 3, 16, dtype=torch.float64))
    assert_close(turned.norm(dim=-1), torch.full((64,), 4.0, dtype=torch.float64))  # √(d/2)


def test_frequencies_fall_from_one_by_equal_ratios():
    omega = frequencies(32)
    assert omega[0] == 1
    assert_close(omega[1:] / omega[:-1], torch.full((15,), 10000 ** (-2 / 32), dtype=torch.float64))


def test_the_runs_phases_are_the_angles_of_the_codes_pairs():
    run = load(RUN)
    code = np.array(run.series["code"].values).reshape(64, 32)
    phase = run.series["phase"]
    for pair, angles in zip(phase.coordinates["shown_pair"], phase.rows(), strict=True):
        np.testing.assert_allclose(np.sin(angles), code[:, 2 * pair], atol=1e-5)
        np.testing.assert_allclose(np.cos(angles), code[:, 2 * pair + 1], atol=1e-5)
