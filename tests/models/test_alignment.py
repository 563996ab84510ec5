"""Only the score is trained, the loss is the words', and the committed run says what its weights compute."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.alignment import (
    BEFORE,
    COLOURS,
    CROSSED,
    DICTIONARY,
    ENGLISH,
    FRENCH,
    KINDS,
    STRAIGHT,
    TRAINED,
    WordVectors,
    pair,
    peaks,
    recall_from_one_vector,
    rows_right,
    spell,
    train,
    trial,
    unseen_pairs,
    untrained,
)
from models.attention.bahdanau_alignment import CHECKPOINTS
from sitegen import runs

pytestmark = pytest.mark.bake

SIZES = {"num_hiddens": 8, "meaning_size": 32, "sharpness": 6.0}
PAIR = pair(TRAINED, CROSSED)
FOLDER = Path(__file__).resolve().parents[2] / "build/runs/bahdanau-alignment"


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


@pytest.fixture(scope="module")
def aligner(run):
    """The trained model, from the run's files."""
    model = untrained(run.seed, **{name: run.parameters[name] for name in SIZES})
    data = runs.load_weights(FOLDER, run)
    found = runs.slices(run.weights, data, run.parameters["steps"])
    model.load_state_dict(
        {
            name: torch.from_numpy(np.frombuffer(raw, "<f8").copy().reshape(shape))
            for name, (shape, raw) in found.items()
        }
    )
    return model


def test_red_and_car_cross_on_their_way_to_french():
    assert spell(ENGLISH, PAIR.source) == ["the", "red", "car", "<eos>"]
    assert spell(FRENCH, PAIR.target) == ["la", "voiture", "rouge", "<eos>"]
    assert spell(FRENCH, pair(("the", "big", "car", "<eos>"), STRAIGHT).target) == ["la", "grande", "voiture", "<eos>"]


def test_unseen_phrases_are_all_combinations_but_the_one_trained_on():
    crossed, straight = unseen_pairs(COLOURS, CROSSED), unseen_pairs(BEFORE, STRAIGHT)
    assert (len(crossed), len(straight)) == (24, 20)
    assert PAIR not in crossed
    assert len({each.source for each in (*crossed, *straight)}) == 44


def test_a_word_vector_is_a_kind_beside_a_unit_meaning():
    vectors = WordVectors.drawn(3, 32)
    kinds = vectors.words[:, : len(KINDS)]
    assert [KINDS[place] for place in kinds.argmax(dim=1).tolist()] == [kind for kind, _, _ in DICTIONARY]
    assert_close(kinds.sum(dim=1), torch.ones(len(DICTIONARY), dtype=torch.float64))
    assert_close(vectors.meanings.norm(dim=1), torch.ones(len(DICTIONARY), dtype=torch.float64))
    assert vectors.begin.tolist() == [1.0] + [0.0] * (len(KINDS) - 1 + 32)


def test_only_the_additive_score_is_trained():
    model = untrained(3, **SIZES)
    assert {name for name, _ in model.named_parameters()} == {"score.W_q.weight", "score.W_k.weight", "score.w.weight"}


def test_at_first_every_weight_is_exactly_a_quarter_and_the_loss_is_the_mean_vectors():
    model = untrained(3, **SIZES)
    loss, weights = model.loss(PAIR)
    assert weights.unique().tolist() == [0.25]
    mean = model.vectors.words[list(PAIR.source)].mean(dim=0)
    logits = model.read(mean[None]).squeeze(0)
    expected = torch.stack([logits.logsumexp(dim=0) - logits[word] for word in PAIR.target]).mean()
    assert_close(loss, expected)


def test_attention_is_what_brute_force_says(aligner):
    """Bahdanau et al. 2014 with loops and scalars only."""
    with torch.no_grad():
        logits, weights = aligner(PAIR.source, PAIR.target[:-1])
        queries, keys = aligner.queries(PAIR.target[:-1])[0].tolist(), aligner.keys(PAIR.source)[0].tolist()
        W_q, W_k, (w,) = (getattr(aligner.score, name).weight.tolist() for name in ("W_q", "W_k", "w"))

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    for row, query in enumerate(queries):
        scores = [
            sum(c * math.tanh(dot(a, query) + dot(b, key)) for a, b, c in zip(W_q, W_k, w, strict=True)) for key in keys
        ]
        exps = [math.exp(score) for score in scores]
        alphas = [each / sum(exps) for each in exps]
        assert alphas == pytest.approx(weights[row].tolist(), abs=1e-14)
        context = [sum(alpha * key[i] for alpha, key in zip(alphas, keys, strict=True)) for i in range(len(query))]
        meanings = aligner.vectors.meanings.tolist()
        spelled = [aligner.sharpness * dot(context[len(KINDS) :], meaning) for meaning in meanings]
        assert spelled == pytest.approx(logits[row].tolist(), abs=1e-12)


def test_the_readout_names_a_word_from_its_own_vector(aligner):
    assert aligner.read(aligner.vectors.words).argmax(dim=1).tolist() == list(range(len(DICTIONARY)))


def test_a_context_decides_a_word_without_the_query(aligner):
    """Nothing but the context reaches the readout: equal contexts give equal logits whatever was asked."""
    context = aligner.vectors.words[:1].expand(4, -1)
    assert aligner.read(context).unique(dim=0).shape[0] == 1


def test_an_even_row_has_no_peak():
    weights = torch.tensor([[0.25] * 4, [0.1, 0.2, 0.6, 0.1]], dtype=torch.float64)
    assert peaks(weights, [0, 2]) == [False, True]
    assert peaks(weights, [0, 1]) == [False, False]


def test_translating_unaided_is_the_loss_free_decoding_of_its_own_words(aligner):
    outcome = trial(aligner, PAIR)
    assert outcome.written == PAIR.target
    assert outcome.rows == (True,) * 4


def test_one_vector_holds_one_word_and_ever_less_of_more_words():
    recall = recall_from_one_vector(0, [64, 512], [1, 4, 16], 50, 300)
    assert recall[1, 0] == 1
    assert (recall[:, :-1] >= recall[:, 1:]).all()
    assert (recall[1] >= recall[0]).all()


def test_the_committed_training_can_be_repeated(run):
    model = untrained(run.seed, **SIZES)
    losses = [loss for loss, _ in train(model, PAIR, steps=100, learning_rate=0.05)]
    assert losses == pytest.approx(run.series["loss"].values, abs=1e-9)


def test_the_committed_map_goes_from_even_to_crossed(run):
    attention = run.series["attention"]
    assert attention.coordinates["checkpoint"] == list(CHECKPOINTS)
    assert attention.at(0) == [0.25] * 16
    query, key = attention.coordinates["query"], attention.coordinates["key"]
    for french, english in (("voiture", "car"), ("rouge", "red"), ("la", "the"), ("<eos>", "<eos>")):
        row = attention.at(len(CHECKPOINTS) - 1, query.index(french))
        assert row.index(max(row)) == key.index(english)
        assert max(row) > 0.9


def test_the_committed_shares_are_recounted_from_its_weights(run, aligner):
    for prefix, pairs in (
        ("held_out", unseen_pairs(COLOURS, CROSSED)),
        ("other_order", unseen_pairs(BEFORE, STRAIGHT)),
    ):
        trials = [trial(aligner, each) for each in pairs]
        assert run.metrics[f"{prefix}_rows_right"].value == pytest.approx(rows_right(trials))
        told = [spell(FRENCH, each.written) for each in trials]
        assert [each["written"] for each in run.examples[prefix]] == told


def test_the_committed_run_shows_what_it_gets_wrong(run):
    outcomes = [each["translated"] for each in run.examples["held_out"]]
    assert any(outcomes)
    assert not all(outcomes)
