"""What the cost is counted and timed from: scores of maps, the least of the rounds, and a crossing between points."""

from __future__ import annotations

import math

import pytest
import torch

from models.wirings import perceiver_cost
from models.wirings.perceiver import PerceiverEncoder
from models.wirings.perceiver_cost import SelfAttention, crossing, crossing_of_counts, least_seconds

pytestmark = pytest.mark.bake


def test_scores_of_a_map_are_what_the_formula_says():
    attention, perceiver = SelfAttention(16, 2), PerceiverEncoder(16, 4, 16, 2, 2)
    tokens = torch.zeros(1, 10, 16)

    read = perceiver(tokens)

    assert attention(tokens)[1][0, 0].numel() == 10**2
    assert read.cross_attention[0, 0].numel() + read.self_attention[0, :, 0].numel() == 4 * 10 + 2 * 4**2


def test_the_scores_of_both_are_as_many_where_the_counts_cross():
    length = crossing_of_counts({"num_latents": 64, "num_blocks": 2})

    assert length**2 == pytest.approx(64 * length + 2 * 64**2)


@pytest.mark.parametrize(
    ("speedup", "expected"),
    [([0.5, 2.0, 8.0], 64 * math.sqrt(2)), ([0.25, 0.5, 2.0], 128 * math.sqrt(2)), ([0.5, 1.0, 2.0], 128)],
)
def test_the_crossing_lies_on_the_line_log_against_log(speedup: list[float], expected: float):
    assert crossing((64, 128, 256), speedup) == pytest.approx(expected)


@pytest.mark.parametrize("speedup", [[0.5, 0.6, 0.7], [2.0, 3.0, 4.0]])
def test_times_that_never_cross_are_an_error(speedup: list[float]):
    with pytest.raises(ValueError, match="do not cross between 64 and 256 tokens"):
        crossing((64, 128, 256), speedup)


def test_the_least_of_all_rounds_counts_and_lengths_take_turns(monkeypatch: pytest.MonkeyPatch):
    clock, now, lengths = iter([3.0, 1.0, 5.0, 7.0, 2.0, 4.0, 9.0, 6.0]), [0.0], []
    monkeypatch.setattr(perceiver_cost, "LENGTHS", (2, 4))
    monkeypatch.setattr(perceiver_cost.time, "process_time", lambda: now[0])

    def layer(given: torch.Tensor) -> None:
        lengths.append(given.shape[1])
        now[0] += next(clock)

    told = []
    found = least_seconds({"a": layer, "b": layer}, torch.zeros(1, 4, 3), 2, lambda *at, **values: told.append(at))

    assert lengths == [2, 2, 4, 4, 2, 2, 4, 4]
    assert found == {"a": [2.0, 5.0], "b": [1.0, 6.0]}
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
