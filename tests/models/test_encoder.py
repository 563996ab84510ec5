"""The encoder reads both sides, or under a causal mask the left one alone; its embedding is used twice."""

from __future__ import annotations

import math

import pytest
import torch
from torch.testing import assert_close

from models.attention.attention import causal_mask
from models.wirings.encoder import TransformerEncoder, initialise_encoder, waves

VOCAB, LENGTH = 7, 10

pytestmark = pytest.mark.bake


def encoder(seed: int = 0) -> TransformerEncoder:
    model = TransformerEncoder(VOCAB, 16, 4, 24, 3, LENGTH).double()
    initialise_encoder(model, seed, embedding_std=0.5)
    return model


@pytest.fixture
def tokens() -> torch.Tensor:
    return torch.randint(VOCAB, (5, LENGTH), generator=torch.Generator().manual_seed(1))


def test_logits_and_attention_have_the_shapes_they_say(tokens: torch.Tensor) -> None:
    logits, attention = encoder()(tokens)

    assert logits.shape == (5, LENGTH, VOCAB)
    assert attention.shape == (5, 3, 4, LENGTH, LENGTH)
    assert_close(attention.sum(dim=-1), torch.ones(5, 3, 4, LENGTH, dtype=torch.float64))


def test_a_late_token_moves_early_outputs_but_none_before_it_under_a_causal_mask(tokens: torch.Tensor) -> None:
    model, changed = encoder(), tokens.clone()
    changed[:, 7] = (changed[:, 7] + 1) % VOCAB
    both, causal = (
        (model(changed, mask).logits - model(tokens, mask).logits).abs().amax(dim=(0, 2))
        for mask in (None, causal_mask(LENGTH))
    )

    assert (both > 1e-6).all()
    assert (causal[:7] == 0).all()
    assert (causal[7:] > 1e-6).all()


def test_asked_for_some_positions_it_says_there_what_it_says_when_asked_for_all(tokens: torch.Tensor) -> None:
    model = encoder()
    asked = torch.rand(tokens.shape, generator=torch.Generator().manual_seed(2)) < 0.3

    for mask in (None, causal_mask(LENGTH)):
        assert_close(model.logits_at(tokens, asked, mask), model(tokens, mask).logits[asked])


def test_without_positions_shuffled_tokens_give_shuffled_logits(tokens: torch.Tensor) -> None:
    model, order = encoder(), torch.randperm(LENGTH, generator=torch.Generator().manual_seed(3))
    placed = model(tokens[:, order]).logits - model(tokens).logits[:, order]
    torch.nn.init.zeros_(model.position_embedding.weight)

    assert placed.abs().max() > 1e-3
    assert_close(model(tokens[:, order]).logits, model(tokens).logits[:, order])


def test_shorter_texts_use_the_first_positions(tokens: torch.Tensor) -> None:
    assert encoder()(tokens[:, :4]).logits.shape == (5, 4, VOCAB)


def test_the_head_is_the_embedding(tokens: torch.Tensor) -> None:
    model = encoder()
    names = {name for name, _ in model.named_parameters()}

    assert not any("head" in name or "output" in name for name in names)
    model(tokens).logits[..., 3].sum().backward()
    assert model.token_embedding.weight.grad is not None
    assert model.token_embedding.weight.grad[3].abs().sum() > 0


def test_initial_embeddings_have_the_size_asked_for_and_weights_come_from_the_seed() -> None:
    wide = TransformerEncoder(28, 128, 4, 16, 1, 64)
    initialise_encoder(wide, 0, embedding_std=0.02)

    for table in (wide.token_embedding.weight, wide.position_embedding.weight):
        assert math.isclose(table.square().mean().sqrt().item(), 0.02, rel_tol=0.05)
    one, again, other = (encoder(seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["blocks.0.attention.W_q.weight"], other["blocks.0.attention.W_q.weight"])


def test_positions_that_begin_as_waves_tell_every_gap_wherever_it_starts():
    code = waves(64, 32)
    products = code @ code.T / 32

    assert_close(products.diagonal(), torch.ones(64, dtype=torch.float64))
    for gap in (1, 5, 20):
        assert products.diagonal(gap).max() - products.diagonal(gap).min() < 1e-12
    assert (products[0, :5].diff() < -0.01).all()
