"""Weights to int8 with one scale a row, and what they then are: a quarter of the bytes of float32."""

from __future__ import annotations

import math
from typing import Any

from sitegen.errors import RecipeError
from sitegen.runs.weights import Quantised

LEVELS = 127  # on either side of 0


def quantised(tensor: Any, name: str) -> tuple[Quantised, Any]:
    """What is kept of a tensor, and the float32 numpy array that it stands for.

    A row is what belongs to one index of the first axis, so an output of a linear layer; its largest number becomes
    ±127, halves are rounded to even. A row of zeros has the scale 0. Vectors and numbers stay float32.
    """
    import numpy

    array = numpy.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)
    if array.dtype not in (numpy.float64, numpy.float32):
        raise RecipeError(f"weight {name!r} is of {array.dtype}", hint="quantise float64 or float32")
    with numpy.errstate(over="ignore"):  # what float32 cannot hold is told below
        single = array.astype("<f4")
    if not numpy.isfinite(single).all():
        raise RecipeError(f"weight {name!r} is not finite", hint="training went wrong before this: look at its rate")
    if array.ndim < 2:
        return Quantised(array.shape, single.tobytes(), None), single.astype(numpy.float32)
    rows = single.astype(numpy.float64).reshape(array.shape[0], math.prod(array.shape[1:]))
    scales = (numpy.abs(rows).max(axis=1, initial=0.0) / LEVELS).astype("<f4")
    divisors = numpy.where(scales > 0, scales, 1).astype(numpy.float64)
    whole = numpy.rint(rows / divisors[:, None]).clip(-LEVELS, LEVELS).astype(numpy.int8)
    whole[scales == 0] = 0
    found = scales.astype(numpy.float32)[:, None] * whole.astype(numpy.float32)
    return Quantised(array.shape, whole.tobytes(), scales.tobytes()), found.reshape(array.shape)
