"""How spread a row of attention weights is."""

from __future__ import annotations

import torch
from torch import Tensor


def entropy(weights: Tensor) -> Tensor:
    """-Σ α log α in nats over the last axis: 0 where one weight is 1, log n where n weights are alike."""
    return torch.special.entr(weights).sum(dim=-1)
