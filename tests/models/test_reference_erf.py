"""The error function against those of C and of torch."""

from __future__ import annotations

import math

import numpy as np
import torch

from models.reference.erf import erf

X = np.concatenate([np.linspace(-7, 7, 20_001), np.linspace(1.2, 1.3, 1001), np.linspace(1.9, 3.1, 1001)])


def test_it_is_within_three_units_in_the_last_place_of_cs():
    expected = np.array([math.erf(x) for x in X])

    assert np.all(np.abs(erf(X) - expected) <= 3 * np.spacing(np.abs(expected)))


def test_it_agrees_with_torchs():
    np.testing.assert_allclose(erf(X), torch.erf(torch.from_numpy(X)).numpy(), rtol=7e-16)


def test_it_is_odd_and_ends_at_one():
    assert np.array_equal(erf(-X), -erf(X))
    assert erf(np.array([0.0, 6.0, 40.0, np.inf])).tolist() == [0, 1, 1, 1]
