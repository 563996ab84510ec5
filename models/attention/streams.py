"""Random numbers from a seed and a purpose: a counter-based generator of 32-bit words, the same in every language.

A stream has no state: word i is a function of (seed, purpose, i), so batch 17 can be made again without the sixteen
before it. All of it is 32-bit integer arithmetic that wraps:

    word(i) = mix(mix(i · 0x9e3779b9 + first) ^ second)
    first   = mix(mix(seed) + fnv1a(purpose)),   second = mix(first ^ 0x85ebca6b)

`mix` is the finaliser "lowbias32" (Wellons 2018, Prospecting for Hash Functions), `fnv1a` the hash of Fowler, Noll and
Vo over UTF-8 bytes. In JavaScript: `Math.imul`, `>>>` and `(a + b) >>> 0`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

GOLDEN = 0x9E3779B9  # 2³² divided by the golden ratio, odd: its multiples visit every word once
SECOND = 0x85EBCA6B


def mix(words: Words) -> Words:
    """A bijection of the 32-bit words in which every input bit changes every output bit about half the time."""
    words = words ^ (words >> 16)
    words = words * np.uint32(0x7FEB352D)
    words = words ^ (words >> 15)
    words = words * np.uint32(0x846CA68B)
    return words ^ (words >> 16)


def fnv1a(text: str) -> int:
    """The 32-bit FNV-1a hash of the text's UTF-8 bytes."""
    digest = 0x811C9DC5
    for byte in text.encode():
        digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
    return digest


@dataclass(frozen=True, slots=True)
class Stream:
    """The stream of random words that belongs to `purpose` under `seed` (0 ≤ seed < 2³²)."""

    seed: int
    purpose: str

    def words(self, count: int, start: int = 0) -> Words:
        """Words start, …, start + count − 1. -> (count,)"""
        first = mix(mix(np.array([self.seed], np.uint32)) + np.uint32(fnv1a(self.purpose)))
        second = mix(first ^ np.uint32(SECOND))
        counters = np.arange(start, start + count).astype(np.uint32)
        return mix(mix(counters * np.uint32(GOLDEN) + first) ^ second)

    def integers(self, count: int, high: int, start: int = 0) -> NDArray[np.int64]:
        """Integers 0 ≤ n < high, one a word: the upper half of word · high. -> (count,)

        No value is likelier than another by more than 2⁻³². With high ≤ 2²¹ the product fits a double exactly.
        """
        return (self.words(count, start).astype(np.uint64) * np.uint64(high) >> np.uint64(32)).astype(np.int64)

    def uniforms(self, count: int, start: int = 0) -> NDArray[np.float64]:
        """Numbers 0 ≤ u < 1, one a word, all multiples of 2⁻³². -> (count,)"""
        return self.words(count, start) / 2.0**32

    def normals(self, count: int) -> NDArray[np.float64]:
        """Nearly N(0, 1): twelve uniforms summed, less six. -> (count,)

        The sums are exact in float64, so no library's log or cosine enters and every machine gets the same bits.
        """
        return self.uniforms(12 * count).reshape(count, 12).sum(axis=1) - 6.0
