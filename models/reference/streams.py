"""Random numbers from a seed and a purpose, written anew from the description of the generator:

    word(i) = mix(mix(i · 0x9e3779b9 + first) ^ second)
    first   = mix(mix(seed) + fnv1a(purpose)),   second = mix(first ^ 0x85ebca6b)

with 32-bit words that wrap. Here they are the lower halves of 64-bit integers, cut off after each product or sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.reference.arrays import Array, Integers

Words = NDArray[np.uint64]

LOW = np.uint64(0xFFFFFFFF)


def mix(words: Words) -> Words:
    """The finaliser "lowbias32": shifts by 16, 15 and 16, and between them two odd factors."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        words = ((words ^ (words >> np.uint64(shift))) * np.uint64(factor)) & LOW
    return words ^ (words >> np.uint64(16))


def fnv1a(text: str) -> int:
    """The 32-bit hash of Fowler, Noll and Vo, variant 1a."""
    value = 2166136261
    for byte in text.encode("utf-8"):
        value = ((value ^ byte) * 16777619) % 2**32
    return value


def words(seed: int, purpose: str, start: int, stop: int) -> Words:
    """Words start, …, stop − 1 of a stream."""
    first = mix((mix(np.full(1, seed, np.uint64)) + np.uint64(fnv1a(purpose))) & LOW)
    second = mix(first ^ np.uint64(0x85EBCA6B))
    places = np.arange(start, stop, dtype=np.uint64) & LOW
    spread = (places * np.uint64(0x9E3779B9) + first) & LOW
    return mix(mix(spread) ^ second)


def integers(seed: int, purpose: str, start: int, stop: int, high: int) -> Integers:
    """Integers from 0 to high − 1: the integer part of word · high / 2³²."""
    return ((words(seed, purpose, start, stop) * np.uint64(high)) >> np.uint64(32)).astype(np.int64)


def uniforms(seed: int, purpose: str, count: int) -> Array:
    """Numbers from 0 up to, but without, 1."""
    return words(seed, purpose, 0, count) * 2.0**-32


def normals(seed: int, purpose: str, count: int) -> Array:
    """Each the sum of twelve uniforms, less six: mean 0, variance 1."""
    return uniforms(seed, purpose, 12 * count).reshape(count, 12).sum(axis=-1) - 6.0
