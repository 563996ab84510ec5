"""The streams are the published 32-bit arithmetic: these vectors are what a twin in another language must give."""

from __future__ import annotations

import numpy as np
import pytest

from models.attention.streams import Stream, fnv1a, mix

pytestmark = pytest.mark.bake


def test_mix_and_hash_give_the_published_words():
    assert mix(np.array([0, 1, 0xFFFFFFFF], np.uint32)).tolist() == [0, 1753845952, 1734902346]
    assert (fnv1a(""), fnv1a("batches"), fnv1a("é")) == (0x811C9DC5, 3328449387, 513665217)


@pytest.mark.parametrize(
    ("seed", "purpose", "start", "words"),
    [
        (0, "batches", 0, [0xFE4EB63A, 0x421EA7B8, 0x8F90B670, 0xAC7B85CF]),
        (4294967295, "fresh", 1_000_000, [0xB7C74ADF, 0x382F3490, 0x9951BE6C]),
        (1, "", 4294967295, [0xD4F1BE51, 0xAB4C3E70]),
    ],
)
def test_a_stream_gives_the_published_words(seed, purpose, start, words):
    assert Stream(seed, purpose).words(len(words), start).tolist() == words


def test_integers_and_numbers_are_the_published_ones():
    assert Stream(0, "batches").integers(12, 10).tolist() == [9, 2, 5, 6, 2, 9, 7, 4, 9, 9, 5, 7]
    assert Stream(7, "noise").uniforms(2).tolist() == [0.07085176417604089, 0.8663990304339677]
    assert Stream(7, "noise").normals(2).tolist() == [0.6101155737414956, -0.9298769608139992]


def test_plain_integers_give_the_same_words():
    def plain_mix(word):
        word ^= word >> 16
        word = word * 0x7FEB352D & 0xFFFFFFFF
        word ^= word >> 15
        word = word * 0x846CA68B & 0xFFFFFFFF
        return word ^ word >> 16

    first = plain_mix(plain_mix(12) + fnv1a("here") & 0xFFFFFFFF)
    second = plain_mix(first ^ 0x85EBCA6B)
    expected = [plain_mix(plain_mix(i * 0x9E3779B9 + first & 0xFFFFFFFF) ^ second) for i in range(1000)]
    assert Stream(12, "here").words(1000).tolist() == expected


def test_a_stretch_of_a_stream_does_not_depend_on_what_was_drawn_before():
    stream = Stream(3, "batches")
    assert stream.integers(100, 10, start=40).tolist() == stream.integers(140, 10)[40:].tolist()


def test_streams_of_other_seeds_and_purposes_share_no_stretch():
    """Two streams of 10,000 words have at most a few words in common, as chance has it, and never in a row."""
    one = Stream(0, "batches").words(10_000)
    for other in (Stream(1, "batches").words(10_000), Stream(0, "fresh").words(10_000)):
        common = np.isin(one, other)
        assert common.sum() <= 3
        assert not (common[1:] & common[:-1]).any()


def test_digits_are_as_frequent_and_as_independent_as_chance_has_it():
    digits = Stream(5, "digits").integers(200_000, 10).reshape(-1, 2)
    pairs = np.bincount(digits @ [10, 1], minlength=100)
    chi_squared = ((pairs - 1000) ** 2 / 1000).sum()
    assert 50 < chi_squared < 160  # 99 degrees of freedom: 99 ± 14


def test_normals_have_mean_nought_and_variance_one():
    normals = Stream(9, "normals").normals(50_000)
    assert abs(normals.mean()) < 0.02
    assert abs(normals.var() - 1) < 0.03
    assert abs((np.abs(normals) < 1).mean() - 0.6827) < 0.01
