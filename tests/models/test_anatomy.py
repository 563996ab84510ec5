"""The counted parts of a Transformer add up to the whole."""

from __future__ import annotations

import pytest
import torch

from models.attention.anatomy import parameter_counts, shapes
from models.attention.reversal import reverser

pytestmark = pytest.mark.bake


def test_the_parts_add_up():
    model = reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)
    counts = parameter_counts(model)
    projections = {"W_Q": 256, "W_K": 256, "W_V": 256, "W_O": 256}
    assert counts["embeddings"] == {"source": 160, "target": 176, "total": 336}
    assert counts["encoder"] == projections | {"norm1": 32, "FFN": 1072, "norm2": 32, "total": 2160}
    assert counts["decoder"] == {
        "self_attention": projections | {"total": 1024},
        "norm1": 32,
        "cross_attention": projections | {"total": 1024},
        "norm2": 32,
        "FFN": 1072,
        "norm3": 32,
        "total": 3216,
    }
    assert counts["output"] == 170
    assert counts["total"] == 336 + 2160 + 3216 + 170 == sum(p.numel() for p in model.parameters())


def test_shapes_are_those_of_a_batch_on_its_way():
    model = reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)
    assert shapes(model, torch.zeros(5, 6, dtype=torch.int64)) == {
        "input": [5, 6, 16],
        "heads": [5, 2, 6, 8],
        "weights": [5, 2, 6, 6],
        "hidden": [5, 6, 32],
        "output": [5, 6, 16],
        "logits": [5, 6, 10],
    }
