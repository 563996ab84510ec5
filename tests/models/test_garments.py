"""Batches come from the stream, examples are chosen by rule, and the committed run is what its weights compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.fashion_mnist import CLASSES, SUBSET, SUBSET_SHA256, Garments, load_subset
from models.attention.garments import (
    Examples,
    accuracy,
    classifier,
    confusion_table,
    key_names,
    largest_confusions,
    nearest_neighbours,
    shown_garments,
    shrink_matrices,
    tensors,
    train,
)
from sitegen import runs

pytestmark = pytest.mark.bake

FOLDER = Path(__file__).resolve().parents[2] / "build/runs/garment-vit"
SIZES = {"patch_size": 2, "num_hiddens": 32, "num_heads": 4, "ffn_num_hiddens": 48, "num_blocks": 2}


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


@pytest.fixture(scope="module")
def garments():
    return load_subset(SUBSET)


@pytest.fixture(scope="module")
def model(run):
    """The trained model, from the run's files."""
    model = classifier(run.seed, **{name: run.parameters[name] for name in SIZES})
    found = runs.slices(run.weights, runs.load_weights(FOLDER, run), run.parameters["steps"])
    weights = {
        name: torch.from_numpy(np.frombuffer(raw, "<f8").copy()).view(shape) for name, (shape, raw) in found.items()
    }
    model.load_state_dict(weights)
    return model


def schedule(run, **changed):
    names = ("steps", "batch_size", "learning_rate", "weight_decay", "label_smoothing")
    return {name: run.parameters[name] for name in names} | changed


def test_grey_levels_0_to_255_become_numbers_from_minus_one_to_one():
    images, labels = tensors(Garments(np.array([[[0, 51, 255]]], np.uint8), np.array([7], np.uint8)))
    assert images.tolist() == [[[-1.0, pytest.approx(-0.6), 1.0]]]
    assert labels.tolist() == [7]


def test_shrinking_spares_biases_norms_and_positions():
    model = classifier(0, **SIZES)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    shrink_matrices(model, 0.25)
    for name, parameter in model.named_parameters():
        matrix = parameter.dim() == 2 and name != "positions"
        assert torch.equal(parameter, before[name] * 0.75 if matrix else before[name]), name


def test_confusions_are_counted_by_true_and_predicted_class():
    labels, predicted = torch.tensor([0, 0, 1, 9, 9, 9]), torch.tensor([0, 1, 1, 7, 7, 9])
    table = confusion_table(labels, predicted)
    assert table.sum() == 6
    assert [table[0, 0].item(), table[0, 1].item(), table[9, 7].item()] == [1, 1, 2]
    assert largest_confusions(table, 2) == [(9, 7), (0, 1)]


def test_shown_are_the_first_right_one_of_each_class_and_the_first_of_the_largest_confusions():
    labels = torch.cat([torch.arange(10), torch.arange(10), torch.tensor([3, 3, 5])])
    predicted = torch.cat([torch.arange(10), torch.arange(10), torch.tensor([4, 4, 6])])
    assert shown_garments(labels, predicted, 2) == [*range(10), 20, 22]


def test_nearest_neighbours_vote_and_a_tie_goes_to_the_first_class():
    known = Examples(torch.tensor([[[0.0]], [[1.0]], [[5.0]], [[6.0]]]), torch.tensor([2, 1, 3, 3]))
    assert nearest_neighbours(known, torch.tensor([[[0.4]], [[5.6]]]), 2).tolist() == [1, 3]


def test_keys_are_the_class_token_and_the_patches_by_row_and_column():
    names = key_names(2)
    assert (names[:3], names[5], len(names)) == (["<cls>", "1 1", "1 2"], "2 1", 17)


def test_the_first_losses_of_the_committed_run_can_be_repeated(run, garments):
    """The whole trace is what baking repeats; this is its beginning, on the machine's fastest path."""
    losses = train(classifier(run.seed, **SIZES), tensors(garments.training), run.seed, **schedule(run))
    assert [next(losses) for _ in range(25)] == pytest.approx(run.series["loss"].values[:25], abs=1e-9)


def test_it_recognises_four_of_five_garments_it_never_saw(run, garments, model):
    test = tensors(garments.test)
    assert accuracy(model, test) == run.metrics["accuracy"].value >= 0.8


def test_the_committed_confusions_are_recounted_from_its_weights(run, garments, model):
    images, labels = tensors(garments.test)
    table = confusion_table(labels, model(images).logits.argmax(dim=-1))
    assert table.flatten().tolist() == run.series["confusion"].values
    trace = table.diagonal().sum().item()
    assert trace / len(labels) == run.metrics["accuracy"].value


def test_the_shown_garments_and_their_attention_are_the_models(run, garments, model):
    shown = run.series["images"].coordinates["garment"]
    pixels = garments.test.images[shown]
    assert pixels.flatten().tolist() == run.series["images"].values
    images, _ = tensors(garments.test)
    found = model(images[shown])
    expected = torch.tensor(run.series["cls_attention"].values, dtype=torch.float64)
    assert_close(found.attention[:, :, :, 0].flatten(), expected, atol=1e-6, rtol=0)
    said = [CLASSES[place] for place in found.logits.argmax(dim=-1).tolist()]
    assert said == [each["predicted"] for each in run.examples["garments"]]


def test_failures_are_shown(run):
    rights = [each["right"] for each in run.examples["garments"]]
    assert (rights.count(True), rights.count(False)) == (10, 6)


def test_the_probe_is_what_the_model_computes(run, model):
    found = model(torch.tensor(run.probe.inputs["images"], dtype=torch.float64))
    for name, value in (("logits", found.logits), ("cls_attention", found.attention[:, :, :, 0])):
        expected = torch.tensor(run.probe.outputs[name].values, dtype=torch.float64)
        assert_close(value.flatten(), expected, atol=1e-12, rtol=0)


def test_the_data_is_in_the_provenance(run):
    assert run.provenance.data[SUBSET.name] == SUBSET_SHA256
