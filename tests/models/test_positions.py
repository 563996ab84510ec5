"""The position code is the published one, and likeness falls with the gap alone."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn.functional import cosine_similarity
from torch.testing import assert_close

from models.attention.positions import sinusoidal_positions

pytestmark = pytest.mark.bake


def test_columns_are_sines_and_cosines_of_falling_frequency():
    code = sinusoidal_positions(50, 8)
    assert (code.shape, code.dtype) == ((50, 8), torch.float64)
    expected = [math.sin(7), math.cos(7), math.sin(0.7), math.cos(0.7), math.sin(0.07), math.cos(0.07)]
    assert_close(code[7, :6], torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-15)


@pytest.mark.parametrize(("num_hiddens", "expected"), [(16, 0.7365), (32, 0.71418), (64, 0.7270)])
def test_positions_seven_apart_are_alike_wherever_they_stand(num_hiddens, expected):
    code = sinusoidal_positions(60, num_hiddens)
    similarity = cosine_similarity(code[:-7], code[7:])
    assert_close(similarity, similarity[:1].expand(53), rtol=0, atol=1e-12)
    assert similarity[0].item() == pytest.approx(expected, abs=5e-5)


def test_all_codes_have_one_length():
    assert_close(sinusoidal_positions(20, 32).norm(dim=1), torch.full((20,), 4.0, dtype=torch.float64))
