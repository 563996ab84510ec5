import itertools
import math
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from models.attention.soft_lookup import (
    QUERIES,
    TABLE,
    TEMPERATURES,
    attention_weights,
    dial_step,
    dot_product_scores,
    embed,
    hard_weights,
    log_spaced,
    mean_weights,
    soft_lookup,
)
from sitegen.runs import load

pytestmark = pytest.mark.bake

LAST_NAMES = [last for last, _, _ in TABLE]
SCORES = dot_product_scores(embed(QUERIES), embed(LAST_NAMES))
RUN = Path(__file__).parents[2] / "build/runs/soft-lookup"


def test_names_become_unit_vectors_and_neighbours_in_the_alphabet_point_alike():
    vectors = embed(["Vaswani", "Watson", "Kaplan"])
    assert_close(vectors.norm(dim=-1), torch.ones(3, dtype=torch.float64))
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_the_dial_reads_two_letters_in_base_26():
    assert [dial_step(name) for name in ("Aa", "Ab", "Ba", "Zz")] == [0, 1, 26, 675]


def test_raffel_stands_exactly_half_way_between_nadaraya_and_vaswani():
    assert 2 * dial_step("Raffel") == dial_step("Nadaraya") + dial_step("Vaswani")


def test_weights_are_positive_and_sum_to_one():
    weights = attention_weights(SCORES, 1.0)
    assert (weights > 0).all()
    assert_close(weights.sum(dim=-1), torch.ones(len(QUERIES), dtype=torch.float64))


def test_the_answer_is_the_weighted_mean_of_the_values():
    queries, keys = embed(QUERIES), embed(LAST_NAMES)
    years = torch.tensor([[year] for _, _, year in TABLE], dtype=torch.float64)
    by_hand = []
    for query in queries.tolist():
        say = [math.exp(sum(a * b for a, b in zip(query, key, strict=True)) / 0.3) for key in keys.tolist()]
        by_hand.append([sum(s * year for s, (_, _, year) in zip(say, TABLE, strict=True)) / sum(say)])
    assert_close(soft_lookup(queries, keys, years, 0.3), torch.tensor(by_hand, dtype=torch.float64))


def test_cold_weights_are_the_hard_lookup_and_hot_weights_the_mean():
    assert_close(attention_weights(SCORES, 1e-4), hard_weights(SCORES), atol=1e-11, rtol=0)
    assert_close(attention_weights(SCORES, 1e9), mean_weights(SCORES), atol=1e-8, rtol=0)


def test_the_hard_lookup_of_a_tie_splits_evenly():
    rows = dict(zip(QUERIES, hard_weights(SCORES).tolist(), strict=True))
    assert dict(zip(LAST_NAMES, rows["Raffel"], strict=True)) == {
        **dict.fromkeys(LAST_NAMES, 0.0),
        "Nadaraya": 0.5,
        "Vaswani": 0.5,
    }
    assert rows["Vaswani"].index(1.0) == LAST_NAMES.index("Vaswani")
    assert rows["Weston"].index(1.0) == LAST_NAMES.index("Watson")


def test_temperatures_are_log_spaced_and_their_labels_are_the_numbers_used():
    assert log_spaced(-1, 1, per_decade=2) == [0.1, 0.3162, 1.0, 3.162, 10.0]
    assert 1.0 in TEMPERATURES


def test_warming_never_sharpens_a_lookup():
    run = load(RUN)
    for entropies in run.series["sweep_entropy"].rows():
        assert all(later >= earlier - 1e-5 for earlier, later in itertools.pairwise(entropies))
        assert entropies[-1] == pytest.approx(math.log(len(TABLE)), abs=1e-5)


def test_the_run_holds_the_weights_that_its_keys_and_queries_give():
    run = load(RUN)
    queries, keys = (torch.tensor(list(run.series[name].rows()), dtype=torch.float64) for name in ("queries", "keys"))
    weights = torch.tensor(list(run.series["weights"].rows()), dtype=torch.float64)
    assert_close(attention_weights(dot_product_scores(queries, keys), run.parameters["temperature"]), weights)
    assert run.examples["dictionary"] == {"Vaswani": "Ashish", "Weston": None, "Raffel": None}
