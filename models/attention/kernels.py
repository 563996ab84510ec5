"""Kernels: a distance, measured in widths, to the say that a sample has.

Each takes u = (query − key) / width and gives a number ≥ 0. Only ratios matter, as the weights are divided by their
sum, so no kernel carries the constant that would make it a density. The width is the same σ for all of them: of the
Gaussian it is the standard deviation, of boxcar, Epanechnikov and triangular half the window.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Kernel = Callable[[Tensor], Tensor]


def gaussian(u: Tensor) -> Tensor:
    """exp(−u²/2): never quite 0, so every sample always has some say."""
    return torch.exp(-(u**2) / 2)


def boxcar(u: Tensor) -> Tensor:
    """1 where |u| ≤ 1, else 0: all neighbours alike, nobody else."""
    return (u.abs() <= 1).to(u.dtype)


def constant(u: Tensor) -> Tensor:
    """1 everywhere: distance does not count, so neither does the width."""
    return torch.ones_like(u)


def epanechnikov(u: Tensor) -> Tensor:
    """max(0, 1 − u²): a parabola, cut at the window's edge. Epanechnikov 1969."""
    return (1 - u**2).clamp(min=0)


def triangular(u: Tensor) -> Tensor:
    """max(0, 1 − |u|): falls in a straight line. Dive into Deep Learning's code names this one Epanechnikov."""
    return (1 - u.abs()).clamp(min=0)


KERNELS: dict[str, Kernel] = {
    "gaussian": gaussian,
    "boxcar": boxcar,
    "constant": constant,
    "epanechnikov": epanechnikov,
    "triangular": triangular,
}
