"""Who may read whom when sequences of several lengths share a batch: three masks, made of two primitives.

A mask is True where a query may see a key.
"""

from __future__ import annotations

from torch import Tensor

from models.attention.attention import causal_mask, padding_mask


def source_mask(valid_lens: Tensor, length: int) -> Tensor:
    """The encoder's self-attention: all of the source, but no padding. (batch,) -> (batch, 1, 1, key)"""
    return padding_mask(valid_lens, length)


def target_mask(valid_lens: Tensor, length: int) -> Tensor:
    """The decoder's self-attention: what is written so far, and no padding. (batch,) -> (batch, 1, query, key)"""
    return padding_mask(valid_lens, length) & causal_mask(length)


def cross_mask(valid_lens: Tensor, length: int) -> Tensor:
    """Cross-attention: the same keys as in the encoder. The lengths are the source's: (batch,) -> (batch, 1, 1, key)

    Nothing is causal here, as all of the source is known before the first word is written.
    """
    return padding_mask(valid_lens, length)
