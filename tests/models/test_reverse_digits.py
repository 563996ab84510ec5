"""The committed run of act 6 is what its weights compute, and its training is the same on every path of the machine."""

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

from models.attention.reversal import (
    batch,
    fresh_strings,
    measure,
    reverser,
    teacher_forced_loss,
    train,
    trained_strings,
)
from models.attention.reverse_digits import CHECKPOINTS, EXAMPLE, failures
from sitegen import pins, runs

pytestmark = pytest.mark.bake

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/runs/reverse-digits"

# Trains as the recipe does and prints the losses. Arguments: seed, number of threads, parameters.
TRACE = """
import json, sys, torch
seed, threads, parameters = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
torch.set_num_threads(threads)
if threads == 1:
    torch.use_deterministic_algorithms(True)
    torch.backends.mkldnn.set_flags(False)
from tests.models.test_reverse_digits import trace
print(json.dumps([torch.backends.cpu.get_cpu_capability(), trace(seed, parameters)]))
"""


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


@pytest.fixture(scope="module")
def model(run):
    return model_at(run, run.parameters["steps"])


def model_at(run, checkpoint):
    """The model with the weights of the run's files."""
    model = untrained(run.seed, run.parameters)
    data = runs.load_weights(FOLDER, run)
    found = {
        name: torch.from_numpy(np.frombuffer(raw, "<f8").copy().reshape(shape))
        for name, (shape, raw) in runs.slices(run.weights, data, checkpoint).items()
    }
    model.load_state_dict(found)
    return model


def untrained(seed, parameters):
    sizes = ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")
    return reverser(seed, **{name: parameters[name] for name in sizes})


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


def trace_in(environment, threads, run):
    """The machine's name of its path, and the losses, from a process with this environment."""
    command = [sys.executable, "-c", TRACE, str(run.seed), str(threads), json.dumps(dict(run.parameters))]
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_loss_is_the_same_on_the_pinned_and_on_the_fastest_path(run):
    unpinned = {name: value for name, value in os.environ.items() if name not in pins.ENVIRONMENT}
    # threads that spin while they wait would take minutes on a machine with other work to do
    _, free = trace_in(unpinned | {"OMP_WAIT_POLICY": "PASSIVE"}, 2, run)
    path, pinned = trace_in(pins.worker_environment(os.environ), 1, run)
    assert path in ("DEFAULT", "NO AVX")
    losses = run.series["loss"].values
    assert len(free) == len(pinned) == len(losses) == 601
    assert max(abs(a - b) for a, b in zip(free, pinned, strict=True)) <= 1e-10
    assert max(abs(a - b) for a, b in zip(pinned, losses, strict=True)) <= 1e-12


def test_the_seed_meets_the_rule_it_was_chosen_by(run):
    assert run.metrics["exact_match"].value == 1
    assert run.metrics["mirror_argmax_share"].value >= 0.99
    trained = trained_strings(run.seed, run.parameters["steps"], run.parameters["batch_size"])
    assert int("".join(map(str, EXAMPLE))) not in trained


def test_the_reported_numbers_are_what_the_committed_weights_give(run, model):
    trained = trained_strings(run.seed, run.parameters["steps"], run.parameters["batch_size"])
    fresh = fresh_strings(run.seed, run.parameters["fresh_strings"], trained)
    again = measure(model, fresh.sources)
    reported = {name: metric.value for name, metric in run.metrics.items()}
    assert again.exact_match == reported["exact_match"]
    assert again.mirror_share == pytest.approx(reported["mirror_argmax_share"], abs=1e-9)
    assert again.mirror_weight == pytest.approx(reported["mirror_mean_weight"], abs=1e-9)
    assert (len(trained), fresh.excluded) == (reported["trained_strings"], reported["fresh_excluded"])
    assert failures(fresh.sources, again.written) == run.examples["failures"]
    for name in ("mirror_share_by_head", "mirror_weight_by_head"):
        assert getattr(again, name).tolist() == pytest.approx(run.series[name].values, abs=1e-6)


def test_the_first_and_last_loss_are_those_of_the_committed_weights(run, model):
    losses, steps, size = run.series["loss"].values, run.parameters["steps"], run.parameters["batch_size"]
    for step, weights in ((0, model_at(run, 0)), (steps, model)):
        assert teacher_forced_loss(weights, batch(run.seed, step, size)).item() == pytest.approx(
            losses[step], abs=1e-12
        )


def test_the_probe_is_what_the_committed_weights_give(run, model):
    inputs = run.probe.inputs
    prediction = model(torch.tensor(inputs["source"]), torch.tensor(inputs["inputs"]))
    for name, expected in run.probe.outputs.items():
        stored = torch.tensor(expected.values, dtype=torch.float64).reshape(expected.shape)
        assert_close(getattr(prediction, name), stored, rtol=0, atol=1e-12)


def test_the_maps_are_those_of_the_example(run, model):
    source = torch.tensor([EXAMPLE])
    prediction = model(source, model.shift(source.flip(1)))
    for name in ("encoder_attention", "decoder_attention", "cross_attention"):
        series = run.series[name]
        assert series.coordinates["checkpoint"] == list(CHECKPOINTS)
        last = torch.tensor(series.at(len(CHECKPOINTS) - 1), dtype=torch.float64).reshape(series.shape[1:])
        assert_close(last, getattr(prediction, name)[0, 0], rtol=1e-5, atol=1e-6)
    causal = run.series["decoder_attention"]
    shaped = np.array(causal.values).reshape(causal.shape)
    assert (np.triu(shaped, 1) == 0).all()


def test_every_row_of_every_map_sums_to_one(run):
    for name in ("encoder_attention", "decoder_attention", "cross_attention", "decode_attention"):
        series = run.series[name]
        assert np.abs(np.array(series.values).reshape(series.shape).sum(-1) - 1).max() < 1e-5


def test_the_last_decode_is_the_target(run):
    target = "".join(map(str, run.examples["tokens"]["target"]))
    assert run.examples["decodes"][str(run.parameters["steps"])] == target
    assert "".join(run.series["decode_attention"].coordinates["query"]) == target


def test_wrong_strings_are_told_with_what_was_written():
    sources = torch.tensor([[1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 2, 2]])
    written = torch.tensor([[6, 5, 4, 3, 2, 1], [2, 2, 1, 1, 0, 9]])
    assert failures(sources, written) == [{"source": "001122", "written": "221109"}]
