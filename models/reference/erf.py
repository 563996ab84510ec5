"""The error function, which NumPy lacks: erf(x) = 2/√π ∫₀ˣ e^(−t²) dt, good to three units in the last place."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from models.reference.arrays import Array

SERIES_UP_TO = 1.25
FRACTION_DEPTHS = ((1.25, 120), (2.0, 44), (3.0, 20), (6.0, 0))  # from x on, so many levels settle the last bit
ONE_FROM = FRACTION_DEPTHS[-1][0]  # 1 − erf(6) = 2·10⁻¹⁷, less than half of the last bit of 1

# 2/√π (−1)ⁿ / (n! (2n + 1)), n = 0, 1, …; the first one left out is below 2⁻⁵³ of the sum at 1.25
COEFFICIENTS = [2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(24)]


def erf(x: Array) -> Array:
    """Odd; Taylor's series near 0, beyond it 1 − erfc by a continued fraction."""
    size = np.abs(x)
    result = np.ones_like(size)
    near = size < SERIES_UP_TO
    result[near] = taylor_series(size[near])
    for (start, depth), (stop, _) in pairwise(FRACTION_DEPTHS):
        here = (size >= start) & (size < stop)
        result[here] = 1.0 - complement(size[here], depth)
    return np.copysign(result, x)


def taylor_series(x: Array) -> Array:
    """2/√π (x − x³/3 + x⁵/10 − …), summed from its small end."""
    square = x * x
    total = np.zeros_like(x)
    for coefficient in reversed(COEFFICIENTS[1:]):
        total = (total + coefficient) * square
    return x * COEFFICIENTS[0] + x * total


def complement(x: Array, depth: int) -> Array:
    """erfc(x) = e^(−x²) / √π · 1/(x + ½/(x + 1/(x + 3⁄2/(x + …)))), from its inner end, for x not near 0."""
    fraction = x.copy()
    for n in range(depth, 0, -1):
        fraction = x + n / 2 / fraction
    return np.exp(-x * x) / (math.sqrt(math.pi) * fraction)
