"""The text is letters and single spaces, its two parts share none of them, and masks come from the stream."""

from __future__ import annotations

import pytest
import torch

from models.wirings.text import ALPHABET, MASK, VOCAB, Masked, Text, cleaned, decode, draw_masked, encode, windows_at

pytestmark = pytest.mark.bake

STORY = (
    "The Time Traveller (for so it will be convenient to speak of him)\nwas expounding a recondite matter to us. " * 9
)


def test_cleaning_leaves_small_letters_and_single_spaces():
    assert cleaned("  It's 1898--\n\nthe YEAR, i.e. now! ") == "it s the year i e now"


def test_tokens_are_read_back_as_the_text_they_were():
    assert decode(encode("so it w_ll be")) == "so it w_ll be"
    assert encode(ALPHABET + "_").tolist() == list(range(VOCAB))
    assert encode("_").item() == MASK


def test_what_is_held_out_is_the_end_and_nothing_else():
    text = Text.read(STORY, heldout_share=0.1)

    assert decode(torch.cat([text.training, text.heldout])) == cleaned(STORY)
    assert len(text.heldout) == round(0.1 * len(cleaned(STORY)))


def test_no_window_crosses_the_border_and_both_ends_are_reached():
    tokens = torch.arange(20)
    drawn = draw_masked(tokens, 0, "batches", length=8, share=0.15, count=500)

    assert drawn.windows.min() == 0
    assert drawn.windows.max() == 19
    assert (drawn.windows.diff(dim=1) == 1).all()


def test_windows_are_stretches_of_the_text():
    assert windows_at(torch.arange(10), torch.tensor([0, 3]), 4).tolist() == [[0, 1, 2, 3], [3, 4, 5, 6]]


def test_each_letter_is_hidden_with_the_probability_given():
    drawn = draw_masked(torch.arange(400) % 27, 0, "batches", length=64, share=0.15, count=4000)
    by_position = drawn.hidden.double().mean(dim=0)

    assert abs(by_position.mean() - 0.15) < 5 * (0.15 * 0.85 / drawn.hidden.numel()) ** 0.5
    assert (by_position - 0.15).abs().max() < 5 * (0.15 * 0.85 / 4000) ** 0.5


def test_any_batch_can_be_drawn_again_without_those_before_it():
    draw = {"length": 8, "share": 0.15, "count": 4}
    tokens = torch.arange(100) % 27
    long = draw_masked(tokens, 0, "batches", length=8, share=0.15, count=12)
    third = draw_masked(tokens, 0, "batches", step=2, **draw)

    assert torch.equal(third.windows, long.windows[8:])
    assert torch.equal(third.hidden, long.hidden[8:])
    assert not torch.equal(third.hidden, draw_masked(tokens, 1, "batches", step=2, **draw).hidden)


def test_a_model_is_shown_all_but_what_is_hidden():
    masked = Masked(encode("abcd")[None], torch.tensor([[False, True, False, True]]))

    assert decode(masked.inputs[0]) == "a_c_"
    assert decode(masked.targets) == "bd"
    assert decode(masked.before[0]) == "_abc"
