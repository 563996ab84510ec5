"""The committed runs of the string reversers are what their weights compute, and training is the same on every path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from models.attention.reversal import teacher_forced_loss
from models.wirings.reverse_strings import CHECKPOINTS, EXAMPLE
from models.wirings.reverse_strings_deep import PROBED
from models.wirings.strings import SIZES, batch, fresh_strings, measure, reverser, train, trained_strings
from sitegen import pins, runs

pytestmark = pytest.mark.bake

ROOT = Path(__file__).resolve().parents[2]
WIDE, DEEP = "reverse-strings", "reverse-strings-deep"

# Trains as the recipe does and prints the losses. Arguments: seed, parameters.
TRACE = """
import json, sys
from tests.models.test_reverse_strings import trace
print(json.dumps(trace(int(sys.argv[1]), json.loads(sys.argv[2]))))
"""


@pytest.fixture(scope="module", params=[WIDE, DEEP])
def either(request):
    """A run and its model with the weights that are kept."""
    run = runs.load(ROOT / "build/runs" / request.param)
    return run, model_of(run)


@pytest.fixture(scope="module")
def wide():
    return runs.load(ROOT / "build/runs" / WIDE)


@pytest.fixture(scope="module")
def deep():
    return runs.load(ROOT / "build/runs" / DEEP)


def untrained(seed, parameters):
    return reverser(seed, **{name: parameters[name] for name in SIZES})


def model_of(run):
    model = untrained(run.seed, run.parameters)
    data = runs.load_weights(ROOT / "build/runs" / run.run, run)
    found = runs.unpack(run.weights, data, run.parameters["steps"])
    model.load_state_dict(
        {
            name: torch.tensor(found[name], dtype=torch.float64).view(old.shape)
            for name, old in model.state_dict().items()
        }
    )
    return model


def fresh_of(run):
    given = run.parameters
    trained = trained_strings(run.seed, given["steps"], given["batch_size"])
    return fresh_strings(run.seed, given["fresh_strings"], trained)


def trace(seed, parameters):
    """The losses of the recipe's training."""
    return list(
        train(
            untrained(seed, parameters),
            seed,
            steps=parameters["steps"],
            batch_size=parameters["batch_size"],
            learning_rate=parameters["learning_rate"],
            max_norm=parameters["clip"],
        )
    )


def shaped(series):
    return torch.tensor(series.values, dtype=torch.float64).reshape(series.shape)


def test_the_baked_loss_is_that_of_the_machines_fastest_path(wide):
    unpinned = {name: value for name, value in os.environ.items() if name not in pins.ENVIRONMENT}
    # threads that spin while they wait would take minutes on a machine with other work to do
    environment = unpinned | {"OMP_WAIT_POLICY": "PASSIVE", "OMP_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TRACE, str(wide.seed), json.dumps(dict(wide.parameters))]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    losses = wide.series["loss"].values

    free = json.loads(done.stdout)

    assert len(free) == len(losses) == 601
    assert max(abs(a - b) for a, b in zip(free, losses, strict=True)) <= 1e-10


def test_all_fresh_strings_are_reversed_and_the_map_is_the_true_alignment(wide):
    metrics = {name: metric.value for name, metric in wide.metrics.items()}

    assert metrics["fresh_strings"] == 1000
    assert metrics["exact_match"] == 1
    assert metrics["argmax_share"] >= 0.999
    assert metrics["mean_weight"] >= 0.85


def test_the_deep_model_reverses_without_a_layer_that_shows_how(deep):
    assert deep.metrics["exact_match"].value >= 0.99
    assert deep.series["argmax_share_by_layer"].shape == (4,)
    assert max(deep.series["argmax_share_by_layer"].values) <= 0.5
    assert {name: deep.parameters[name] for name in ("num_blocks", "num_heads", "num_hiddens")} == {
        "num_blocks": 4,
        "num_heads": 8,
        "num_hiddens": 64,
    }


def test_what_a_run_tells_of_its_model_is_what_its_weights_give(either):
    run, model = either
    again = measure(model, fresh_of(run))

    assert again.exact_match == run.metrics["exact_match"].value
    if run.run == WIDE:
        assert again.source_share.tolist() == pytest.approx([run.metrics["argmax_share"].value], abs=1e-9)
        assert again.source_weight.tolist() == pytest.approx([run.metrics["mean_weight"].value], abs=1e-9)
        assert again.source_share_by_head[0].tolist() == pytest.approx(run.series["source_share_by_head"].values, 1e-5)
    else:
        assert again.source_share.tolist() == pytest.approx(run.series["argmax_share_by_layer"].values, abs=1e-5)
        assert again.source_weight.tolist() == pytest.approx(run.series["mean_weight_by_layer"].values, abs=1e-5)


def test_the_probe_and_the_maps_are_what_the_weights_give(either):
    run, model = either
    inputs = run.probe.inputs
    prediction = model(torch.tensor(inputs["source"]), torch.tensor(inputs["inputs"]))._asdict()
    for name, expected in run.probe.outputs.items():
        assert_close(prediction[name].detach(), shaped(expected), rtol=0, atol=1e-12)
    maps = prediction["cross_attention"].detach()[0]  # (layer, head, query, key)
    kept = shaped(run.series["cross_attention"])
    shown = kept[-1:] if run.run == WIDE else kept[:, :, :PROBED]
    assert_close(shown, maps, rtol=1e-5, atol=1e-6)


def test_the_example_is_written_in_reverse(either):
    run, _ = either

    assert run.examples["decodes"][str(run.parameters["steps"])] == EXAMPLE[::-1]
    assert run.examples["tokens"]["target"] == list(EXAMPLE[::-1])


def test_the_last_loss_is_that_of_the_kept_weights_on_the_next_batch(wide):
    steps, size = wide.parameters["steps"], wide.parameters["batch_size"]
    loss = teacher_forced_loss(model_of(wide), batch(wide.seed, steps, size)).item()

    assert loss == pytest.approx(wide.series["loss"].values[-1], abs=1e-12)
    for step in (100, 200, 400, 600):
        assert wide.metrics[f"loss_{step}"].value == wide.series["loss"].values[step]


def test_every_row_of_every_map_sums_to_one_and_the_decoder_never_looks_ahead(wide):
    assert wide.series["cross_attention"].coordinates["checkpoint"] == list(CHECKPOINTS)
    for name in ("encoder_attention", "decoder_attention", "cross_attention", "decode_attention", "luck_attention"):
        assert (shaped(wide.series[name]).sum(-1) - 1).abs().max() < 1e-5
    assert (np.triu(shaped(wide.series["decoder_attention"]).numpy(), 1) == 0).all()


def test_the_same_model_from_small_embeddings_reverses_but_is_readable_by_luck(wide):
    found, metrics = wide.examples["luck"], {name: metric.value for name, metric in wide.metrics.items()}
    shares = [one["argmax_share"] for one in found]

    assert [one["seed"] for one in found] == list(range(6))
    assert (metrics["luck_argmax_least"], metrics["luck_argmax_most"]) == (min(shares), max(shares))
    assert metrics["luck_readable"] == sum(share >= 0.999 for share in shares)
    assert metrics["luck_argmax_least"] < 0.95  # or there would be nothing to tell


def test_the_deep_encoder_has_moved_the_letters_and_the_shallow_one_has_not(deep):
    told = shaped(deep.series["told_of"])
    metrics = {name: metric.value for name, metric in deep.metrics.items()}

    assert told.shape == (2, 12, 12)
    assert (told.sum(-1) - 1).abs().max() < 1e-5
    assert metrics["own_letter_shallow"] == pytest.approx(told[0].diagonal().mean().item(), abs=1e-6)
    assert metrics["own_letter_shallow"] > 0.5 > 0.1 > metrics["own_letter_deep"]
    assert metrics["other_half_deep"] > 0.7 > metrics["other_half_shallow"]


def test_rounding_to_int8_costs_the_deep_model_next_to_nothing(deep):
    lost = deep.metrics["exact_match_float64"].value - deep.metrics["exact_match"].value

    assert abs(lost) <= 0.005
