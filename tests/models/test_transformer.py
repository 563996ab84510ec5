"""The Transformer keeps shapes, never looks ahead, agrees with torch's layers, and decodes what it would be taught."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from models.attention.attention import causal_mask, padding_mask
from models.attention.initial import initialise
from models.attention.transformer import DecoderBlock, Transformer, TransformerBlock

pytestmark = pytest.mark.bake

SOURCE = torch.tensor([[7, 2, 5, 0, 8, 3], [1, 1, 4, 9, 6, 0]])
INPUTS = torch.tensor([[10, 3, 8, 0], [10, 0, 6, 9]])


@pytest.fixture
def model():
    model = Transformer(10, 10, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=2, max_len=6).double()
    initialise(model, seed=1)
    return model


@pytest.fixture
def draw():
    generator = torch.Generator().manual_seed(4)
    return lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=generator)


def test_shapes_are_what_the_docstrings_say(model):
    prediction = model(SOURCE, INPUTS)
    shapes = {name: tuple(tensor.shape) for name, tensor in prediction._asdict().items()}
    assert shapes == {
        "logits": (2, 4, 10),
        "encoder_attention": (2, 2, 2, 6, 6),
        "decoder_attention": (2, 2, 2, 4, 4),
        "cross_attention": (2, 2, 2, 4, 6),
    }


def test_a_later_token_changes_nothing_before_it(model):
    changed = INPUTS.clone()
    changed[:, 2] = 5
    before, after = model(SOURCE, INPUTS).logits, model(SOURCE, changed).logits
    assert_close(after[:, :2], before[:, :2], rtol=0, atol=0)
    assert not torch.allclose(after[:, 2], before[:, 2])


def test_padding_of_the_source_changes_nothing(model):
    mask = padding_mask(torch.tensor([4, 6]), 6)
    padded = SOURCE.clone()
    padded[0, 4:] = 9
    before, after = model(SOURCE, INPUTS, mask), model(padded, INPUTS, mask)
    assert_close(after.logits, before.logits)
    assert (after.cross_attention[0, ..., 4:] == 0).all()
    assert (after.encoder_attention[0, ..., 4:] == 0).all()


def test_torch_computes_the_same_encoder_block(draw):
    ours = TransformerBlock(16, 2, 32).double()
    oracle = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).double()
    copy_attention(ours.attention, oracle.self_attn)
    oracle.linear1.load_state_dict(ours.ffn.dense1.state_dict())
    oracle.linear2.load_state_dict(ours.ffn.dense2.state_dict())
    X = draw(2, 5, 16)
    assert_close(ours(X)[0], oracle(X))


def test_torch_computes_the_same_decoder_block(draw):
    ours = DecoderBlock(16, 2, 32).double()
    oracle = nn.TransformerDecoderLayer(16, 2, 32, dropout=0.0, batch_first=True).double()
    copy_attention(ours.self_attention, oracle.self_attn)
    copy_attention(ours.cross_attention, oracle.multihead_attn)
    oracle.linear1.load_state_dict(ours.ffn.dense1.state_dict())
    oracle.linear2.load_state_dict(ours.ffn.dense2.state_dict())
    X, memory = draw(2, 4, 16), draw(2, 6, 16)
    assert_close(ours(X, memory)[0], oracle(X, memory, tgt_mask=~causal_mask(4)))


@torch.no_grad()
def copy_attention(ours, oracle):
    oracle.in_proj_weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
    oracle.in_proj_bias.zero_()
    oracle.out_proj.weight.copy_(ours.W_o.weight)
    oracle.out_proj.bias.zero_()


def test_layer_norm_leaves_mean_nought_and_variance_one(draw):
    outputs, _ = TransformerBlock(16, 2, 32).double()(draw(2, 5, 16))
    assert outputs.mean(-1).abs().max() < 1e-12
    assert_close(outputs.var(-1, correction=0), torch.ones(2, 5, dtype=torch.float64), rtol=0, atol=1e-3)


def test_positions_are_all_that_tells_the_encoder_one_order_from_another(model):
    order = torch.tensor([3, 1, 5, 0, 2, 4])
    with_positions = model.encode(SOURCE[:, order])[0], model.encode(SOURCE)[0][:, order]
    assert (with_positions[0] - with_positions[1]).abs().max() > 1e-2
    model.positions.zero_()
    assert_close(model.encode(SOURCE[:, order])[0], model.encode(SOURCE)[0][:, order], rtol=0, atol=1e-12)


def test_decoding_writes_what_the_logits_over_its_own_writing_say(model):
    written = model.greedy_decode(SOURCE, 6)
    assert_close(model(SOURCE, model.shift(written)).logits.argmax(-1), written)


def test_shifting_puts_the_start_token_first_and_drops_the_last(model):
    assert model.shift(torch.tensor([[3, 8, 0]])).tolist() == [[10, 3, 8]]
