"""What is computed but not trained: the reference gives the outputs that torch baked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.reference import lookups

RUNS = Path(__file__).parents[2] / "build" / "runs"
REFERENCES = {
    "soft-lookup": lookups.SoftLookup,
    "kernel-pooling": lookups.KernelPooling,
    "dot-product-variance": lookups.AttentionScores,
    "position-code": lookups.PositionCode,
}


def baked(run: str) -> dict[str, Any]:
    return json.loads((RUNS / run / "run.json").read_text("utf-8"))


@pytest.mark.parametrize("run", REFERENCES)
def test_the_probe_comes_out_the_same(run: str):
    made = baked(run)

    found = REFERENCES[run](made["seed"], made["parameters"]).forward({}, made["probe"]["inputs"])

    assert found.keys() >= made["probe"]["outputs"].keys()
    for name, expected in made["probe"]["outputs"].items():
        np.testing.assert_allclose(found[name].ravel(), expected["values"], rtol=1e-12, atol=1e-14)


def test_a_row_without_a_key_weighs_nothing():
    weights = lookups.masked(np.zeros((2, 1, 3)), np.array([0, 2]))

    assert weights.tolist() == [[[0, 0, 0]], [[0.5, 0.5, 0]]]


def test_no_kernel_but_these_has_a_value():
    with pytest.raises(ValueError, match="no kernel is called cosine"):
        lookups.kernel_value("cosine", 0.0)
