"""The names that the other modules use for their arrays, and how gradients of weights add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

Weights = Mapping[str, Array]  # "encoder.0.ffn.dense1.weight" -> its values
Gradients = dict[str, Array]  # the same names -> the derivative of the loss by them
Back = Callable[[Array, Gradients], Array]  # dY, table of gradients -> dX
Parameters = Mapping[str, Any]  # what a recipe declares


def add(gradients: Gradients, name: str, gradient: Array) -> None:
    """A weight that is used twice has the sum of both gradients."""
    gradients[name] = gradients[name] + gradient if name in gradients else gradient
