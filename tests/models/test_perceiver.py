"""Latents read any number of inputs, in any order; what comes out has their number."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from models.attention.streams import Stream
from models.wirings.perceiver import PerceiverEncoder, initialise_perceiver

pytestmark = pytest.mark.bake


@pytest.fixture
def model():
    model = PerceiverEncoder(num_inputs_dim=10, num_latents=4, num_hiddens=16, num_heads=2, num_blocks=2).double()
    initialise_perceiver(model, seed=3)
    return model


def inputs(length: int) -> torch.Tensor:
    return torch.randn(3, length, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("length", [1, 7, 40])
def test_the_number_of_latents_is_what_comes_out_however_many_inputs_there_are(model, length: int):
    read = model(inputs(length))

    assert read.latents.shape == (3, 4, 16)
    assert read.cross_attention.shape == (3, 2, 4, length)
    assert read.self_attention.shape == (3, 2, 2, 4, 4)


def test_the_shapes_of_the_page_come_out(model):
    wide = PerceiverEncoder(num_inputs_dim=256, num_latents=64, num_hiddens=256, num_heads=4, num_blocks=2)

    with torch.no_grad():
        assert wide(torch.zeros(1, 4096, 256)).latents.shape == (1, 64, 256)


def test_the_order_of_the_inputs_makes_no_difference(model):
    given = inputs(9)
    order = torch.randperm(9, generator=torch.Generator().manual_seed(1))

    shuffled, straight = model(given[:, order]), model(given)

    assert_close(shuffled.latents, straight.latents)
    assert_close(shuffled.cross_attention, straight.cross_attention[..., order])


def test_each_map_is_a_mean_over_what_it_reads(model):
    read = model(inputs(9))

    for maps in (read.cross_attention, read.self_attention):
        assert_close(maps.sum(dim=-1), torch.ones(maps.shape[:-1], dtype=torch.float64))


def test_latents_are_learned_and_start_as_different_queries(model):
    model(inputs(9)).latents.square().sum().backward()

    assert model.latents.grad.abs().max() > 0
    expected = Stream(3, "initial/latents").normals(64).reshape(4, 16)
    assert_close(model.latents.detach(), torch.from_numpy(expected))
    assert torch.pdist(model.latents.detach()).min() > 1
