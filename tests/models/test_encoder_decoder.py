"""The encoder–decoder keeps shapes, looks neither ahead nor at padding, and decodes what it would be taught."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from models.attention.attention import causal_mask
from models.wirings.encoder_decoder import DecoderBlock, EncoderDecoder, initialise_embeddings

pytestmark = pytest.mark.bake

SOURCE = torch.tensor([[7, 2, 5, 0, 8, 3], [1, 1, 4, 9, 6, 0]])
INPUTS = torch.tensor([[10, 3, 8, 0], [10, 0, 6, 9]])
SOURCE_LENS, TARGET_LENS = torch.tensor([4, 6]), torch.tensor([2, 4])


@pytest.fixture
def model():
    model = EncoderDecoder(10, 10, num_hiddens=16, num_heads=2, ffn_num_hiddens=24, num_blocks=2, max_len=6).double()
    initialise_embeddings(model, seed=1, embedding_std=1.0)
    return model


@pytest.fixture
def draw():
    generator = torch.Generator().manual_seed(4)
    return lambda *shape: torch.randn(*shape, dtype=torch.float64, generator=generator)


def test_shapes_are_what_the_docstrings_say(model):
    prediction = model(SOURCE, INPUTS, SOURCE_LENS, TARGET_LENS)

    assert {name: tuple(tensor.shape) for name, tensor in prediction._asdict().items()} == {
        "logits": (2, 4, 10),
        "encoder_attention": (2, 2, 2, 6, 6),
        "decoder_attention": (2, 2, 2, 4, 4),
        "cross_attention": (2, 2, 2, 4, 6),
    }


def test_without_lengths_nothing_is_padding(model):
    whole = model(SOURCE, INPUTS, torch.tensor([6, 6]), torch.tensor([4, 4]))

    for name, tensor in model(SOURCE, INPUTS)._asdict().items():
        assert_close(tensor, getattr(whole, name), rtol=0, atol=0)


def test_a_later_input_changes_nothing_before_it(model):
    changed = INPUTS.clone()
    changed[:, 2] = 5

    before, after = model(SOURCE, INPUTS).logits, model(SOURCE, changed).logits

    assert_close(after[:, :2], before[:, :2], rtol=0, atol=0)
    assert not torch.allclose(after[:, 2], before[:, 2])


def test_a_late_source_token_moves_the_first_output(model):
    changed = SOURCE.clone()
    changed[:, 5] = 4

    assert (model(changed, INPUTS).logits - model(SOURCE, INPUTS).logits)[:, 0].abs().amax(dim=-1).min() > 1e-3


def test_padding_is_never_read(model):
    source, inputs = SOURCE.clone(), INPUTS.clone()
    source[0, 4:], inputs[0, 2:] = 9, 9

    before, after = (model(*given, SOURCE_LENS, TARGET_LENS) for given in ((SOURCE, INPUTS), (source, inputs)))

    assert_close(after.logits[0, :2], before.logits[0, :2], rtol=0, atol=0)
    assert_close(after.logits[1], before.logits[1], rtol=0, atol=0)
    assert (before.encoder_attention[0, ..., 4:] == 0).all()
    assert (before.cross_attention[0, ..., 4:] == 0).all()
    assert (before.decoder_attention[0, ..., 2:] == 0).all()


def test_a_padded_sequence_is_read_as_it_is_alone(model):
    batch = model(SOURCE, INPUTS, SOURCE_LENS, TARGET_LENS).logits[0, :2]

    assert_close(model(SOURCE[:1, :4], INPUTS[:1, :2]).logits[0], batch, rtol=0, atol=1e-13)


def test_torch_computes_the_same_decoder_block(draw, monkeypatch):
    """torch's block has layer norms and no gate: with both put in, and the norms' shift at 0, it is ours."""
    ours = DecoderBlock(16, 2, 24).double()
    oracle = nn.TransformerDecoderLayer(16, 2, 24, dropout=0.0, batch_first=True, norm_first=True).double()
    for name, number in (("norm1", 1), ("norm2", 2), ("norm3", 3)):
        norm = nn.RMSNorm(16, eps=1e-6, dtype=torch.float64)
        norm.weight.data = 1 + 0.1 * draw(16)
        getattr(ours, f"norm{number}").weight.data = norm.weight.data.clone()
        setattr(oracle, name, norm)
    for attention, theirs in ((ours.self_attention, oracle.self_attn), (ours.cross_attention, oracle.multihead_attn)):
        theirs.in_proj_weight.data = torch.cat([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]).data
        theirs.in_proj_bias.data.zero_()
        theirs.out_proj.weight.data = attention.W_o.weight.data
        theirs.out_proj.bias.data.zero_()
    monkeypatch.setattr(oracle, "_ff_block", lambda each: ours.ffn(each))
    X, memory = draw(2, 4, 16), draw(2, 6, 16)

    assert_close(ours(X, memory, causal_mask(4))[0], oracle(X, memory, tgt_mask=~causal_mask(4)))


def test_decoding_writes_what_the_logits_over_its_own_writing_say(model):
    written = model.greedy_decode(SOURCE, 6)

    assert_close(model(SOURCE, model.shift(written)).logits.argmax(-1), written)


def test_decoding_reads_no_padding_of_the_source(model):
    padded = SOURCE.clone()
    padded[0, 4:] = 9

    assert_close(model.greedy_decode(padded, 6, SOURCE_LENS), model.greedy_decode(SOURCE, 6, SOURCE_LENS))


def test_shifting_puts_the_start_token_first_and_drops_the_last(model):
    assert model.shift(torch.tensor([[3, 8, 0]])).tolist() == [[10, 3, 8]]


def test_embeddings_start_with_the_deviation_that_is_given(model):
    tables = [name for name, _ in model.named_parameters() if "embedding" in name or "positions" in name]
    wide = {name: value.clone() for name, value in model.state_dict().items()}
    initialise_embeddings(model, seed=1, embedding_std=0.02)

    assert len(tables) == 4
    for name, value in model.state_dict().items():
        assert_close(value, 0.02 * wide[name] if name in tables else wide[name])
