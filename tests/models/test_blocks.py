"""The pre-norm block: its normalisation is torch's, its gate closes, and a mask keeps positions apart."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from models.attention.attention import causal_mask
from models.wirings.blocks import EncoderBlock, GatedFFN, RMSNorm

pytestmark = pytest.mark.bake


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def block() -> EncoderBlock:
    torch.manual_seed(0)
    return EncoderBlock(num_hiddens=16, num_heads=4, ffn_num_hiddens=24).double()


def test_rms_norm_is_torchs_own() -> None:
    ours, theirs = RMSNorm(16).double(), torch.nn.RMSNorm(16, eps=1e-6).double()
    weight = numbers(16)
    ours.load_state_dict({"weight": weight})
    theirs.load_state_dict({"weight": weight})

    assert_close(ours(numbers(3, 5, 16)), theirs(numbers(3, 5, 16)))


def test_rms_norm_does_not_see_the_size_of_a_vector() -> None:
    norm, X = RMSNorm(16).double(), 10 * numbers(3, 16)

    assert_close(norm(X), norm(7 * X), atol=1e-6, rtol=0)
    assert_close(norm(X).square().mean(dim=-1), torch.ones(3, dtype=torch.float64), atol=1e-6, rtol=0)


def test_a_closed_gate_lets_nothing_pass() -> None:
    ffn = GatedFFN(16, 24).double()
    torch.nn.init.zeros_(ffn.W_gate.weight)

    assert_close(ffn(numbers(2, 5, 16)), torch.zeros(2, 5, 16, dtype=torch.float64), atol=0, rtol=0)


def test_a_block_keeps_the_shape_and_tells_its_weights() -> None:
    Y, weights = block()(numbers(2, 5, 16))

    assert Y.shape == (2, 5, 16)
    assert weights.shape == (2, 4, 5, 5)
    assert_close(weights.sum(dim=-1), torch.ones(2, 4, 5, dtype=torch.float64))


def test_without_what_its_sublayers_say_a_block_changes_nothing() -> None:
    silent = block()
    torch.nn.init.zeros_(silent.attention.W_o.weight)
    torch.nn.init.zeros_(silent.ffn.W_down.weight)

    assert torch.equal(silent(numbers(2, 5, 16))[0], numbers(2, 5, 16))


def test_a_block_sees_both_sides_and_under_a_causal_mask_only_one() -> None:
    X = numbers(1, 6, 16)
    changed = X.clone()
    changed[0, 4] += 1
    both, causal = (block()(changed, mask)[0] - block()(X, mask)[0] for mask in (None, causal_mask(6)))

    assert (both[0].abs().amax(dim=-1) > 1e-6).all()
    assert (causal[0, :4] == 0).all()
    assert (causal[0, 4:].abs().amax(dim=-1) > 1e-6).all()
