"""Two copies one bit apart: they begin at the smallest distance, see the same batches, and the step size decides."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from models.attention.reversal import reverser
from models.attention.step_size import distance, flip_last_bit, train_copies
from models.attention.transformer import Transformer

RUN = Path(__file__).parents[2] / "build/runs/step-size/run.json"


def copies() -> tuple[Transformer, Transformer]:
    pair = reverser(0, 16, 2, 32, 1), reverser(0, 16, 2, 32, 1)
    flip_last_bit(pair[1])
    return pair


def test_one_weight_is_one_bit_apart():
    one, other = copies()

    apart = [(a - b).abs() for a, b in zip(one.parameters(), other.parameters(), strict=True)]

    assert sum(int((difference > 0).sum()) for difference in apart) == 1
    weight = one.output.weight[0, 0].detach()
    assert distance(one, other) == (torch.nextafter(weight, torch.tensor(torch.inf)) - weight).item()


def test_equal_copies_stay_equal():
    pair = reverser(0, 16, 2, 32, 1), reverser(0, 16, 2, 32, 1)

    moments = list(train_copies(pair, 0, steps=3, batch_size=4, rates=[0.02] * 3, clip=1.0))

    assert [(moment.distance, moment.loss_distance) for moment in moments] == [(0, 0)] * 4


def test_a_rate_of_nothing_moves_nothing():
    pair = copies()
    before = distance(*pair)

    moments = list(train_copies(pair, 0, steps=2, batch_size=4, rates=[0.0] * 2, clip=1.0))

    assert {moment.distance for moment in moments} == {before}


def test_the_first_copy_trains_as_the_reverser_does():
    baked = json.loads(RUN.read_text("utf-8"))
    reversal = json.loads((RUN.parents[1] / "reverse-digits/run.json").read_text("utf-8"))

    assert baked["series"]["falling_loss"]["values"] == reversal["series"]["loss"]["values"]


def test_the_falling_rate_keeps_what_the_constant_one_tears_apart():
    metrics = {name: each["value"] for name, each in json.loads(RUN.read_text("utf-8"))["metrics"].items()}

    assert metrics["first_distance"] < 1e-16
    assert metrics["falling_largest_distance"] < 1e-12
    assert metrics["constant_distance"] > 0.1
    assert "falling_first_step_apart" not in metrics
