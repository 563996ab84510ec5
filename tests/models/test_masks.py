"""The three masks of a ragged batch, as literal grids: 1 where a query may see a key."""

from __future__ import annotations

import pytest
import torch

from models.wirings.masks import cross_mask, source_mask, target_mask
from models.wirings.ragged_masks import grids

pytestmark = pytest.mark.bake

SOURCE_LENS, TARGET_LENS = torch.tensor([3, 5]), torch.tensor([3, 4])

SHORT_SOURCE = """
11100
11100
11100
11100
11100
"""
LONG_SOURCE = """
11111
11111
11111
11111
11111
"""
SHORT_TARGET = """
1000
1100
1110
1110
"""
LONG_TARGET = """
1000
1100
1110
1111
"""
SHORT_CROSS = """
11100
11100
11100
11100
"""
LONG_CROSS = """
11111
11111
11111
11111
"""


def drawn(mask, queries):
    """Each example's grid as text."""
    return ["\n" + "\n".join("".join(f"{int(cell)}" for cell in row) for row in grid) + "\n"
            for grid in grids(mask, queries).tolist()]  # fmt: skip


def test_the_encoder_reads_the_source_and_no_padding():
    assert drawn(source_mask(SOURCE_LENS, 5), 5) == [SHORT_SOURCE, LONG_SOURCE]


def test_the_decoder_reads_what_is_written_so_far_and_no_padding():
    assert drawn(target_mask(TARGET_LENS, 4), 4) == [SHORT_TARGET, LONG_TARGET]


def test_cross_attention_reads_the_source_without_padding_at_every_step_of_writing():
    assert drawn(cross_mask(SOURCE_LENS, 5), 4) == [SHORT_CROSS, LONG_CROSS]


def test_masks_broadcast_over_heads_and_over_queries_that_see_the_same():
    masks = source_mask(SOURCE_LENS, 5), target_mask(TARGET_LENS, 4), cross_mask(SOURCE_LENS, 5)

    assert [tuple(mask.shape) for mask in masks] == [(2, 1, 1, 5), (2, 1, 4, 4), (2, 1, 1, 5)]
    assert all(mask.dtype == torch.bool for mask in masks)


def test_every_query_sees_a_key_even_one_that_is_padding():
    assert target_mask(torch.tensor([1]), 4).any(dim=-1).all()
