"""Where a token stands, as a vector: sines and cosines of falling frequency."""

from __future__ import annotations

import torch
from torch import Tensor


def sinusoidal_positions(length: int, num_hiddens: int) -> Tensor:
    """-> (length, num_hiddens), float64: column 2j is sin(ωt), column 2j + 1 is cos(ωt), ω = 10000^(−2j / num_hiddens).

    num_hiddens is even. Vaswani et al. 2017, section 3.5.
    """
    times = torch.arange(length, dtype=torch.float64)[:, None]
    exponents = torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens
    angles = times / 10000.0**exponents  # (length, num_hiddens / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
