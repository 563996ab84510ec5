"""What models make of gaps: losses and verdicts by position, probabilities, sentences by rule, and late letters."""

from __future__ import annotations

import math

import pytest
import torch
from torch.testing import assert_close

from models.wirings.encoder import TransformerEncoder, initialise_encoder
from models.wirings.reading import (
    AT_ONCE,
    Answers,
    Sentence,
    answers,
    batch_of,
    both_sides,
    by_position,
    drawn_sentences,
    left_side,
    likeliest,
    moved,
    probabilities,
)
from models.wirings.text import ALPHABET, VOCAB, cleaned, draw_masked, encode

pytestmark = pytest.mark.bake

TEXT = encode(cleaned("the quick brown fox jumps over the lazy dog and the dog does not mind it at all " * 12))
LENGTH = 16


@pytest.fixture
def model():
    made = TransformerEncoder(VOCAB, 16, 4, 24, 2, LENGTH)
    initialise_encoder(made, 0, embedding_std=0.5)
    return made


def test_each_hidden_letter_is_answered_in_whatever_batches_they_are_read(model):
    asked = draw_masked(TEXT, 0, "tested", length=LENGTH, share=0.2, count=AT_ONCE + 9)
    found = answers(both_sides(model), asked)
    logits = model(asked.inputs).logits[asked.hidden]

    assert_close(found.losses, -logits.log_softmax(-1)[torch.arange(len(logits)), asked.targets])
    assert torch.equal(found.right, logits.argmax(-1) == asked.targets)
    assert torch.equal(asked.windows[:, 3][asked.hidden[:, 3]], asked.targets[found.positions == 3])


def test_accuracy_is_the_share_that_is_right():
    right = torch.tensor([True, False, True, True])
    assert Answers(torch.zeros(4), right, torch.zeros(4)).accuracy == 0.75


def test_the_interval_of_a_position_is_that_of_the_mean_of_its_losses():
    losses = torch.tensor([1.0, 3.0, 2.0, 2.0, 5.0, 7.0])
    found = by_position(Answers(losses, losses > 0, torch.tensor([0, 0, 1, 1, 2, 2])), 3)

    assert found.mean.tolist() == [2, 2, 6]
    half = 1.96 * math.sqrt(2) / math.sqrt(2)
    assert_close(found.high - found.mean, torch.tensor([half, 0, half]).double())
    assert_close(found.mean - found.low, torch.tensor([half, 0, half]).double())
    assert found.interior == 2


def test_what_stands_after_a_gap_matters_to_one_model_and_not_to_the_other(model):
    text = "the quick brown "
    one, other = (Sentence(text[:9] + end, 8, trained=True) for end in ("brown f", "cable a"))

    both, left = (probabilities(reader, [one, other]) for reader in (both_sides(model), left_side(model)))
    assert (both[0] - both[1]).abs().max() > 1e-4
    assert_close(left[0], left[1])
    assert_close(both.sum(dim=1), torch.ones(2).double())


def test_the_likeliest_letters_come_first_and_ties_in_the_order_of_the_alphabet():
    row = torch.zeros(len(ALPHABET)).double()
    row[[5, 2, 3]] = torch.tensor([0.5, 0.2, 0.2]).double()

    assert [each["letter"] for each in likeliest(row, 4)] == ["e", "b", "c", " "]
    assert likeliest(row, 1) == [{"letter": "e", "probability": 0.5}]


def test_a_sentence_shows_all_but_its_gap():
    sentence = Sentence("so it will be", 7, trained=False)

    assert (sentence.shown, sentence.truth) == ("so it w_ll be", "i")
    assert batch_of([sentence]).hidden[0].nonzero().tolist() == [[7]]


def test_sentences_are_whole_windows_one_from_each_stretch_and_begin_with_a_word():
    text = cleaned("the quick brown fox jumps over the lazy dog and the dog does not mind it at all " * 12)
    found = list(drawn_sentences(encode(text), 0, 6, LENGTH))

    assert len(found) == 6
    for number, sentence in enumerate(found):
        assert len(sentence.text) == LENGTH
        assert sentence.truth != " "
        assert not sentence.trained
        stretch = len(text) // 6
        assert f" {sentence.text}" in text[number * stretch : (number + 1) * stretch]
    assert found == list(drawn_sentences(encode(text), 0, 6, LENGTH))
    assert found != list(drawn_sentences(encode(text), 1, 6, LENGTH))


def test_a_late_letter_moves_early_answers_and_none_before_it_from_the_left(model):
    window, place = TEXT[:LENGTH], 11
    both, left = (moved(reader, window, place, 5) for reader in (both_sides(model), left_side(model)))

    assert both[place] == 0
    assert (both[[*range(place), *range(place + 1, LENGTH)]] > 1e-6).all()
    assert (left[: place + 1] == 0).all()
    assert (left[place + 1 :] > 1e-6).all()
