"""Patches lie row by row, blocks are pre-norm, and positions alone tell the patches apart."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from models.attention.vision import GeluFFN, VisionTransformer, ViTBlock, initialise_vision_transformer, patches

pytestmark = pytest.mark.bake


@pytest.fixture
def model():
    model = VisionTransformer(8, 2, 32, 4, 64, 2, 10).double()
    initialise_vision_transformer(model, 6)
    return model


@pytest.fixture
def images():
    return torch.rand(3, 8, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_patches_are_read_row_by_row_and_within_each_row_by_row():
    image = torch.arange(16).view(1, 4, 4)
    assert patches(image, 2).tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]]


def test_patches_hold_every_pixel_once(images):
    assert patches(images, 2).shape == (3, 16, 4)
    assert_close(patches(images, 2).flatten(1).sort().values, images.flatten(1).sort().values)


def test_shapes_are_one_row_of_logits_and_a_map_of_seventeen_tokens_for_every_head(model, images):
    found = model(images)
    assert found.logits.shape == (3, 10)
    assert found.attention.shape == (3, 2, 4, 17, 17)
    assert_close(found.attention.sum(dim=-1), torch.ones(3, 2, 4, 17, dtype=torch.float64))


def test_an_image_is_classified_alone(model, images):
    assert_close(model(images).logits[1:2], model(images[1:2]).logits)


def test_the_activation_is_the_exact_gelu():
    ffn = GeluFFN(1, 1).double()
    for name, parameter in ffn.named_parameters():
        nn.init.constant_(parameter, float(name.endswith("weight")))
    for x in (-3.0, -0.5, 0.0, 0.7, 4.0):
        expected = x * (1 + math.erf(x / math.sqrt(2))) / 2
        assert ffn(torch.tensor([[[x]]], dtype=torch.float64)).item() == pytest.approx(expected, abs=1e-15)


def test_a_block_is_torchs_encoder_layer_with_norms_first(images):
    block = ViTBlock(8, 2, 16).double()
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True, dtype=torch.float64)
    with torch.no_grad():
        attention = block.attention
        layer.self_attn.in_proj_weight.copy_(
            torch.cat([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight])
        )
        layer.self_attn.in_proj_bias.zero_()
        layer.self_attn.out_proj.weight.copy_(attention.W_o.weight)
        layer.self_attn.out_proj.bias.zero_()
        layer.linear1.load_state_dict(block.ffn.dense1.state_dict())
        layer.linear2.load_state_dict(block.ffn.dense2.state_dict())
    outputs, _ = block(images)
    assert_close(outputs, layer(images))


def test_a_block_whose_sublayers_give_nothing_passes_its_input_on_unchanged(images):
    block = ViTBlock(8, 2, 16).double()
    for parameter in (block.attention.W_o.weight, block.ffn.dense2.weight, block.ffn.dense2.bias):
        nn.init.zeros_(parameter)
    assert torch.equal(block(images)[0], images)


def test_without_positions_the_order_of_the_patches_does_not_matter(model, images):
    order = torch.randperm(16, generator=torch.Generator().manual_seed(1))
    shuffled = patches(images, 2)[:, order].view(3, 4, 4, 2, 2).transpose(2, 3).reshape(3, 8, 8)
    assert (model(images).logits - model(shuffled).logits).abs().max() > 1e-4
    nn.init.zeros_(model.positions)
    assert_close(model(images).logits, model(shuffled).logits, atol=1e-12, rtol=0)


def test_initial_weights_are_a_function_of_the_seed(model):
    again = VisionTransformer(8, 2, 32, 4, 64, 2, 10).double()
    initialise_vision_transformer(again, 6)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    assert not model.cls.any()
    assert model.positions.std().item() == pytest.approx(0.02, rel=0.1)
