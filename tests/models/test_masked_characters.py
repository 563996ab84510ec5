"""A miniature of the run, on a made-up text: what it records holds together, and broken off it goes on to the same."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from models.reference.encoder import MaskedCharacters
from models.wirings import masked_characters as recipe
from models.wirings.text import ALPHABET, cleaned
from sitegen import runs
from sitegen.bake import keeping
from sitegen.bake.recorder import Recorder
from sitegen.schema import Location, RecipeInfo

pytestmark = pytest.mark.bake

FOLDER = Path(__file__).parents[2] / "build/runs/masked-characters"

STORY = "The Time Machine. " + recipe.OPENING + "was expounding a recondite matter to us and his grey eyes shone. "
SMALL = {
    "steps": 6, "batch_size": 8, "num_hiddens": 16, "ffn_num_hiddens": 24, "num_blocks": 2, "heldout_share": 0.5,
    "light_steps": 4, "light_batch_size": 8, "light_num_hiddens": 8, "light_ffn_num_hiddens": 12, "light_num_blocks": 1,
    "tested_windows": 96, "watched_windows": 8, "heldout_sentences": 3,
}  # fmt: skip


class BrokenOffError(Exception):
    pass


class Miniature(Recorder):
    """A small bake of the recipe; `kept_state` is what was kept last, `until` the step at which it is killed."""

    def __init__(self, story, kept_state=None, until=None):
        declared = recipe.masked_characters
        info = RecipeInfo(
            name=declared.name, act=declared.act, seed=declared.seed, parameters={**declared.parameters, **SMALL},
            outputs=declared.outputs, needs=(), reference=declared.reference, long=True, chapter="encoders-decoders",
            module="models.wirings.masked_characters", function="masked_characters", pictures={},
            at=Location("models/wirings/masked_characters.py", 1),
        )  # fmt: skip
        super().__init__(info, story.parent, lambda *told: None)
        self.story, self.kept_state, self.until = story, kept_state, until
        self.first_step = None

    def data(self, name, **given):
        return self.story

    def progress(self, step, total, **values):
        super().progress(step, total, **values)
        self.first_step = self.first_step or step
        if step == self.until:
            raise BrokenOffError

    def keep(self, step, state):
        self.kept_state = keeping.encode({**state, "step": step})

    def kept(self):
        return keeping.decode(self.kept_state) if self.kept_state else None

    def quantised_weights(self, checkpoint, tensors):
        self.shipped = super().quantised_weights(checkpoint, tensors)
        return self.shipped

    def recorded(self):
        return self.found_series, self.metrics, self.examples, self.found_probe, self.packed_weights()


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "story.txt"
    path.write_text(STORY * 12, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(story):
    bake = Miniature(story)
    recipe.masked_characters(bake)
    return bake


def test_all_that_is_declared_is_recorded(whole):
    assert list(whole.missing()) == []
    assert recipe.masked_characters.headline in whole.metrics


@pytest.mark.parametrize("until", [3, 7, 9])
def test_a_bake_that_is_killed_goes_on_from_what_it_kept_and_comes_to_the_same(story, whole, monkeypatch, until):
    monkeypatch.setattr(recipe, "KEPT", 2)
    killed = Miniature(story, until=until)
    with pytest.raises(BrokenOffError):
        recipe.masked_characters(killed)
    resumed = Miniature(story, kept_state=killed.kept_state)
    recipe.masked_characters(resumed)

    assert resumed.first_step == until
    assert resumed.recorded() == whole.recorded()


def test_each_loss_of_the_worked_example_is_minus_the_log_of_its_probability(whole):
    told = whole.examples["terms"]

    assert told["terms"]
    for term in told["terms"]:
        assert told["shown"][term["place"]] == "_"
        assert told["text"][term["place"]] == term["letter"]
        assert math.isclose(term["loss"], -math.log(term["probability"]))
    assert told["shown"].count("_") == len(told["terms"])
    assert math.isclose(told["mean"], sum(term["loss"] for term in told["terms"]) / len(told["terms"]))


def test_the_books_sentences_are_in_the_text_and_the_others_are_held_out(whole):
    told = whole.examples["sentences"]
    gaps = [next(word for word in each["shown"].split() if "_" in word) for each in told[:3]]

    assert gaps == ["_raveller", "trave_ler", "w_ll"]
    assert [each["origin"] for each in told] == ["training text"] * 3 + ["held out"] * 3
    for each in told:
        assert each["text"] in cleaned(STORY * 12)
        assert each["shown"].replace("_", each["truth"]) == each["text"]
        assert len(each["top"]) == len(each["left_top"]) == 5
        better = [guess for guess in each["top"] if guess["probability"] > each["probability"]]
        assert min(len(better), 5) == min(each["rank"] - 1, 5)


def test_probabilities_of_each_checkpoint_are_those_of_whole_alphabets(whole):
    series = whole.found_series["readable_probabilities"]

    assert series.coordinates["letter"] == list(ALPHABET)
    assert series.coordinates["checkpoint"] == [0]
    sums = np.array(series.values).reshape(-1, len(ALPHABET)).sum(axis=1)
    np.testing.assert_allclose(sums, 1, atol=1e-5)


def test_a_late_letter_moves_nothing_before_it_in_the_causal_model(whole):
    place = whole.examples["late_token"]["place"]
    both, left = (whole.found_series[name].values for name in ("moved_bidirectional", "moved_causal"))

    assert whole.metrics["moved_causal_before"].value == 0
    assert left[: place + 1] == [0] * (place + 1)
    assert min(value for at, value in enumerate(both) if at != place) > 0


def test_the_models_compared_are_of_equal_size(whole):
    assert whole.metrics["parameters_light"] == whole.metrics["parameters_causal"]


def test_the_engine_in_numpy_gives_the_probe_with_the_rounded_weights(whole):
    probe = whole.found_probe
    weights = {name: np.float64(array) for name, array in whole.shipped.items()}
    found = MaskedCharacters(0, whole.parameters).forward(weights, probe.inputs)

    expected = probe.outputs["logits"]
    np.testing.assert_allclose(found["logits"].ravel(), expected.values, atol=1e-12)
    assert list(found["logits"].shape) == list(expected.shape)


# ------------------------------------------------------------------------------------------ the run itself


@pytest.fixture(scope="module")
def run():
    return runs.load(FOLDER)


def value(run, name):
    return run.metrics[name].value


def test_the_loss_falls_as_the_books_does(run):
    for step, told in ((500, 1.92), (1000, 1.35), (2000, 1.08)):
        recent = run.series["loss"].values[step - 50 : step]
        assert math.isclose(value(run, f"loss_{step}"), sum(recent) / 50, rel_tol=1e-5)
        assert abs(value(run, f"loss_{step}") - told) <= 0.10


def test_enough_hidden_letters_are_said_right_with_rounded_weights_too(run):
    assert value(run, "accuracy") >= 0.63
    assert abs(value(run, "accuracy_int8") - value(run, "accuracy")) <= 0.01
    assert abs(value(run, "accuracy_int8_heldout") - value(run, "accuracy_heldout")) <= 0.01


def test_letters_at_the_edges_cost_about_twice_those_between(run):
    means = run.series["trained_loss_by_position"].values

    assert math.isclose(value(run, "interior"), sum(means[1:-1]) / 62, rel_tol=1e-5)
    for name, place in (("edge_first", 0), ("edge_last", -1)):
        assert math.isclose(value(run, name), means[place], rel_tol=1e-5)
        assert 1.7 <= value(run, f"{name}_ratio") <= 2.2


def test_the_true_letter_of_each_readable_prediction_is_among_the_two_likeliest(run):
    readable = [each for each in run.examples["sentences"] if each["origin"] == "training text"]

    assert [each["truth"] for each in readable] == ["t", "l", "i"]
    assert max(each["rank"] for each in readable) <= 2


def test_the_held_out_sentences_hold_right_and_wrong_ones(run):
    ranks = [each["rank"] for each in run.examples["sentences"] if each["origin"] == "held out"]

    assert len(ranks) >= 3
    assert 1 in ranks
    assert max(ranks) > 1


def test_of_two_equal_models_the_one_that_sees_both_sides_is_better_but_for_the_edges(run):
    both, left = (run.series[f"light_{name}_by_position"].values for name in ("masked", "causal"))

    assert value(run, "light_masked_interior") < value(run, "light_causal_interior")
    assert sum(one < other for one, other in zip(both[1:-1], left[1:-1], strict=True)) > 50


def test_the_run_is_small(run):
    weights = (FOLDER / run.weights.file).read_bytes()

    assert len(gzip.compress(weights)) <= 1_200_000
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 1_500_000
    assert {tensor.checkpoint for tensor in run.weights.tensors} == {2000}
