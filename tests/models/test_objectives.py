"""Only hidden letters are learned from; a training that was kept goes on to the same bits."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from models.attention.attention import causal_mask
from models.wirings.encoder import TransformerEncoder, initialise_encoder
from models.wirings.objectives import Objective, Training, causal_loss, masked_loss
from models.wirings.text import VOCAB, Masked, cleaned, draw_masked, encode

pytestmark = pytest.mark.bake

TEXT = encode(cleaned("the quick brown fox jumps over the lazy dog and the dog does not mind at all " * 4))
LENGTH = 12


def model(seed: int = 0) -> TransformerEncoder:
    made = TransformerEncoder(VOCAB, 16, 4, 24, 2, LENGTH)
    initialise_encoder(made, seed, embedding_std=0.1)
    return made


def batch(step: int) -> Masked:
    return draw_masked(TEXT, 0, "batches", length=LENGTH, share=0.2, count=16, step=step)


def training(objective: Objective, seed: int = 0) -> Training:
    return Training(model(seed), objective, batch, 0.01)


def test_the_masked_loss_is_the_mean_over_hidden_letters_of_what_all_that_is_shown_says():
    drawn = batch(0)
    logits = model()(drawn.inputs).logits

    assert_close(masked_loss(model(), drawn), cross_entropy(logits[drawn.hidden], drawn.windows[drawn.hidden]))


def test_the_causal_loss_is_of_the_same_letters_each_said_from_those_before_it():
    drawn = batch(0)
    logits = model()(drawn.before, causal_mask(LENGTH)).logits

    assert_close(causal_loss(model(), drawn), cross_entropy(logits[drawn.hidden], drawn.windows[drawn.hidden]))


def test_the_causal_loss_does_not_depend_on_the_letter_asked_for_or_on_later_ones_but_as_the_answer():
    drawn = batch(0)
    last = torch.zeros_like(drawn.hidden)
    last[:, 7] = True
    later = drawn.windows.clone()
    later[:, 8:] = 3

    one, other = (causal_loss(model(), Masked(windows, last)) for windows in (drawn.windows, later))
    assert one.item() == other.item()


@pytest.mark.parametrize("objective", [masked_loss, causal_loss])
def test_the_loss_falls_below_what_letter_frequencies_alone_would_give(objective):
    falling = training(objective)
    losses = [falling.update() for _ in range(200)]

    shares = torch.bincount(TEXT).double() / len(TEXT)
    entropy = -(shares[shares > 0] * shares[shares > 0].log()).sum().item()
    assert sum(losses[:10]) / 10 > entropy
    assert sum(losses[-10:]) / 10 < 0.85 * entropy
    assert falling.step == 200
    assert falling.losses == losses


def test_a_training_restored_from_its_state_goes_on_to_the_same_bits():
    unbroken = training(masked_loss)
    for _ in range(3):
        unbroken.update()
    kept = {name: value.clone() if hasattr(value, "clone") else value for name, value in unbroken.state().items()}
    resumed = training(masked_loss, seed=1)
    resumed.restore(kept)
    for each in (unbroken, resumed):
        for _ in range(3):
            each.update()

    one, other = unbroken.state(), resumed.state()
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert torch.equal(value, other[name]) if isinstance(value, torch.Tensor) else value == other[name], name
