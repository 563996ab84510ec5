"""Formulas ask about the right cells, chance is what an even head gets, and a shuffle commutes with the block."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.heads import (
    ATTENTIONS,
    FORMULAS,
    asked_cells,
    attention_maps,
    encode_block,
    mean_entropy,
    share_by_chance,
    share_on,
    shuffle_differences,
    tags,
    visible_keys,
)
from models.attention.reversal import reverser
from sitegen import runs

pytestmark = pytest.mark.bake

FOLDER = Path(__file__).resolve().parents[2] / "build/runs/attention-heads"
EXAMPLE = torch.tensor([7, 2, 5, 0, 8, 3])


@pytest.fixture(scope="module")
def model():
    return reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


def even(visible):
    return (visible.double() / visible.sum(dim=1, keepdim=True))[None, None]


def test_formulas_ask_about_mirror_self_and_neighbours():
    visible = visible_keys("cross", 4)
    found = {name: asked_cells(name, visible).nonzero().tolist() for name in FORMULAS}
    assert found == {
        "mirror": [[0, 3], [1, 2], [2, 1], [3, 0]],
        "self": [[0, 0], [1, 1], [2, 2], [3, 3]],
        "previous": [[1, 0], [2, 1], [3, 2]],
        "next": [[0, 1], [1, 2], [2, 3]],
        "first": [[0, 0], [1, 0], [2, 0], [3, 0]],
    }


def test_a_causal_query_is_asked_only_about_what_it_sees_and_only_if_it_has_a_choice():
    visible = visible_keys("decoder", 4)
    found = {name: asked_cells(name, visible).nonzero().tolist() for name in FORMULAS}
    assert found == {
        "mirror": [[2, 1], [3, 0]],
        "self": [[1, 1], [2, 2], [3, 3]],
        "previous": [[1, 0], [2, 1], [3, 2]],
        "next": [],
        "first": [[1, 0], [2, 0], [3, 0]],
    }


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("formula", FORMULAS)
def test_chance_is_the_share_of_a_head_that_weighs_all_alike(attention, formula):
    visible = visible_keys(attention, 6)
    asked = asked_cells(formula, visible)
    assert_close(share_by_chance(visible, asked), share_on(even(visible), asked)[0])


def test_a_head_that_follows_a_formula_has_its_tag_and_all_of_its_share():
    visible = visible_keys("encoder", 6)
    asked = [asked_cells(name, visible) for name in FORMULAS]
    chances = torch.stack([share_by_chance(visible, each) for each in asked])
    mirror, itself = torch.eye(6).flip(1).double(), torch.eye(6).double()
    maps = torch.stack([mirror, itself])[None]  # (batch 1, head 2, query, key)
    shares = torch.stack([share_on(maps, each) for each in asked], dim=1)
    assert tags(shares, chances) == ["mirror", "self"]
    assert shares[0, 0].item() == shares[1, 1].item() == 1


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_entropy_is_0_for_a_head_that_reads_one_place_and_1_for_an_even_one(attention):
    visible = visible_keys(attention, 6)
    first = torch.zeros(1, 1, 6, 6, dtype=torch.float64)
    first[..., 0] = 1
    _, none = mean_entropy(first, visible)
    nats, all_alike = mean_entropy(even(visible), visible)
    assert none.item() == 0
    assert all_alike.item() == pytest.approx(1, abs=1e-15)
    counts = [2, 3, 4, 5, 6] if attention == "decoder" else [6] * 6
    assert nats.item() == pytest.approx(sum(map(math.log, counts)) / len(counts))


def test_maps_are_in_the_order_of_the_attentions(model):
    sources = EXAMPLE[None]
    maps = attention_maps(model, sources)
    assert maps.shape == (1, 3, 2, 6, 6)
    prediction = model(sources, model.shift(sources.flip(1)))
    for place, name in enumerate(("encoder_attention", "decoder_attention", "cross_attention")):
        assert torch.equal(maps[:, place], getattr(prediction, name)[:, -1])


def test_without_positions_shuffling_commutes_with_the_block(model):
    orders = torch.tensor(list(permutations(range(6))))
    assert shuffle_differences(model, EXAMPLE, orders, positions=False).max() <= 1e-12


def test_with_positions_every_shuffle_that_moves_a_token_changes_the_outputs(model):
    orders = torch.tensor(list(permutations(range(6)))[1:])
    assert shuffle_differences(model, EXAMPLE, orders, positions=True).amax(dim=1).min() > 1e-2


def test_the_order_that_moves_nothing_makes_no_difference(model):
    stay = torch.arange(6)[None]
    assert not shuffle_differences(model, EXAMPLE, stay, positions=True).any()


def test_a_difference_is_taken_token_by_token(model):
    order = torch.tensor([3, 5, 0, 4, 1, 2])
    f_Px = encode_block(model, EXAMPLE[order][None], positions=True)[0][0]
    P_fx = encode_block(model, EXAMPLE[None], positions=True)[0][0][order]
    by_token = shuffle_differences(model, EXAMPLE, order[None], positions=True)[0]
    assert by_token.tolist() == [
        max(abs(a - b) for a, b in zip(*rows, strict=True)) for rows in zip(f_Px.tolist(), P_fx.tolist(), strict=True)
    ]


def test_the_committed_run_keeps_the_promise_about_shuffles(run):
    metrics = {name: metric.value for name, metric in run.metrics.items()}
    assert metrics["shuffles"] == 719
    assert metrics["shuffle_without_largest"] <= 1e-12
    assert metrics["shuffle_with_smallest"] > 1e-2


def test_the_committed_tags_are_recounted_from_its_mean_maps(run):
    mean_maps = run.series["mean_maps"]
    maps = torch.tensor(mean_maps.values, dtype=torch.float64).view(mean_maps.shape)
    for place, attention in enumerate(ATTENTIONS):
        visible = visible_keys(attention, 6)
        asked = [asked_cells(name, visible) for name in FORMULAS]
        shares = torch.stack([share_on(maps[place][None], each) for each in asked], dim=1)
        chances = torch.stack([share_by_chance(visible, each) for each in asked])
        assert tags(shares, chances) == run.examples["tags"][attention]
        committed = torch.tensor(run.series["share"].at(place), dtype=torch.float64).view(shares.shape)
        assert_close(shares, committed, atol=1e-5, rtol=0)


def test_the_probe_is_what_the_committed_encoder_computes(run):
    model = reverser(0, num_hiddens=16, num_heads=2, ffn_num_hiddens=32, num_blocks=1)
    found = runs.slices(run.weights, runs.load_weights(FOLDER, run), run.probe.checkpoint)
    tensors = {n: torch.from_numpy(np.frombuffer(raw, "<f8").copy().reshape(s)) for n, (s, raw) in found.items()}
    assert not model.load_state_dict(tensors, strict=False).unexpected_keys
    tokens = torch.tensor(run.probe.inputs["tokens"])
    for name in ("without", "with"):
        outputs, maps = encode_block(model, tokens, positions=name == "with")
        for key, value in ((name, outputs), (f"attention_{name}", maps)):
            expected = torch.tensor(run.probe.outputs[key].values, dtype=torch.float64)
            assert_close(value.flatten(), expected, atol=1e-12, rtol=0)
