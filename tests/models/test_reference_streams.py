"""The reference's own generator gives the words of the torch side's."""

from __future__ import annotations

import numpy as np
import pytest

from models.attention.streams import Stream
from models.reference import streams


@pytest.mark.parametrize(("seed", "purpose"), [(0, "batches"), (6, "fresh"), (2**32 - 1, "initial/cls, ü")])
def test_words_are_the_same(seed: int, purpose: str):
    ours = streams.words(seed, purpose, 1000, 3000)

    assert np.array_equal(ours, Stream(seed, purpose).words(2000, start=1000))


def test_integers_uniforms_and_normals_are_the_same():
    theirs = Stream(3, "numbers")

    assert np.array_equal(streams.integers(3, "numbers", 5, 505, 10**6), theirs.integers(500, 10**6, start=5))
    assert np.array_equal(streams.uniforms(3, "numbers", 500), theirs.uniforms(500))
    assert np.array_equal(streams.normals(3, "numbers", 500), theirs.normals(500))
