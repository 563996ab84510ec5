"""What verify counts, compares and concludes; on a toy model of one weight that two engines train."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from toy_site import PACE, RUN, WALK, sitegen, toy_site, tree, write_module

from sitegen import runs
from sitegen.errors import RunError, VerificationError
from sitegen.runs.timings import sealed
from sitegen.schema import CHECKS, Measure, Run, Verification, VerifiedRun
from sitegen.terminal import verify_table
from sitegen.train import UnknownSelection, train
from sitegen.verify import CheckDone, Outcome, Verdict, recorded, unrecorded, verify
from sitegen.verify.compare import MOST_FINDINGS, Comparison
from sitegen.verify.gradients import along_directions, by_tensor
from sitegen.verify.outcomes import upper_power
from sitegen.verify.rebake import scratch

# A weight falls towards 2; the loss is its squared distance. The recipe, its reference, and the twin.
FALL = """
import numpy as np
from sitegen.recipes import Bake, exact, recipe

def train(steps):
    w = np.array([5.0])
    for step in range(steps + 1):
        yield float(((w - 2) ** 2).sum()), w
        w = w - 0.1 * 2 * (w - 2)

@recipe("fall", act=1, seed=0, parameters={"steps": 5}, reference="models.toy.engine:Reference", headline="end",
        loss=exact("step"))
def fall(bake: Bake) -> None:
    losses = []
    for step, (loss, w) in enumerate(train(bake.parameters["steps"])):
        losses.append(loss)
        if step in (0, 5):
            bake.weights(step, {"w": w})
    bake.series("loss", losses)
    bake.metric("end", w[0])
    bake.probe("distance", {"at": 1.0}, {"y": w - 1}, checkpoint=5)
"""
ENGINE = """
import numpy as np
from models.toy import fall

class Reference:
    twin = "models.toy.engine:Twin"

    def __init__(self, seed, parameters):
        self.steps = parameters["steps"]

    def forward(self, weights, inputs):
        return {"y": weights["w"] - inputs["at"]}

    def cases(self):
        yield "three", {"at": 3.0}

    def untrained(self):
        return {"w": np.array([5.0])}

    def batch(self, step, count=None):
        return None

    def loss_and_gradients(self, weights, batch):
        return float(((weights["w"] - 2) ** 2).sum()), {"w": 2 * (weights["w"] - 2)}

    def optimiser(self):
        return None

    def step(self, weights, optimiser, step):
        loss, gradients = self.loss_and_gradients(weights, None)
        return loss, {"w": weights["w"] - 0.1 * gradients["w"]}

    def recounted(self, checkpoints, examples):
        yield "metrics.end", float(checkpoints[5]["w"][0])

class Twin(Reference):
    def training(self):
        for loss, w in fall.train(self.steps):
            yield loss, {"w": w}

    def opinions(self):
        yield "square", np.array([4.0]), np.array([2.0]) ** 2
"""


def quiet(event: object) -> None:
    """Nobody listens."""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = toy_site(tmp_path, fall=FALL, engine=ENGINE, walk=WALK, pace=PACE, run=RUN)
    train(folder, report=quiet)
    return folder


# --------------------------------------------------------------------------------------------- the whole of it


def test_every_check_passes_is_told_once_and_nothing_is_written(site: Path):
    before, told = tree(site), []

    verdict = verify(site, jobs=2, report=told.append)

    assert [one.findings for one in verdict.failed] == []
    assert sorted(event.check for event in told if isinstance(event, CheckDone)) == sorted(CHECKS)
    assert verdict.verified == ("after", "fall", "walk")
    assert {line.measure: (line.count, line.worst) for line in verdict.lines("steps")} == {
        "loss": (5, 0.0), "weights": (8, 0.0), "free": (5, 0.0), "trace": (6, 0.0),
    }  # fmt: skip
    assert [line.measure for line in verdict.lines("parity")] == ["probe", "inputs", "layers"]
    assert next(verdict.lines("rebake")).runs == 3
    assert tree(site) == before


def test_an_engine_that_disagrees_is_a_finding_with_its_numbers(site: Path):
    write_module(site, "engine", ENGINE.replace("- 0.1 * gradients", "- 0.11 * gradients"))

    verdict = verify(site, names=("fall",), checks=("steps", "gradients"), report=quiet)

    (outcome,) = verdict.failed
    assert outcome.check == "steps"
    assert "models/toy/fall.py:11: run 'fall', w after step 1, number 0: the engines are" in str(outcome.findings[0])
    assert not verdict.passed(strictly=False)


def test_a_reference_that_is_not_there_says_so(site: Path):
    write_module(site, "engine", "")

    (outcome,) = verify(site, names=("fall",), checks=("parity",), report=quiet).failed

    assert "the reference 'models.toy.engine:Reference' is not there" in str(outcome.findings[0])


def test_a_missing_data_file_is_not_done_and_fails_only_in_ci(site: Path):
    write_module(site, "run", RUN.replace("    height =", '    bake.data("text", sha256="0" * 64)\n    height ='))

    verdict = verify(site, names=("after",), checks=("files", "rebake"), report=quiet)

    (outcome,) = verdict.not_done
    assert (outcome.run, outcome.check) == ("after", "rebake")
    assert "'text'" in outcome.why
    assert (verdict.passed(strictly=False), verdict.passed(strictly=True), verdict.verified) == (True, False, ())


def test_an_engine_that_lacks_data_is_not_done_either(site: Path):
    lacks = 'from sitegen.bake.data import find\nfind("text", sha256="0" * 64, url=None, also=())\n'
    write_module(site, "engine", lacks + ENGINE)

    verdict = verify(site, names=("fall",), checks=("parity", "steps"), report=quiet)

    assert [(one.check, one.missing) for one in verdict.not_done] == [("parity", True), ("steps", True)]
    assert verdict.passed(strictly=False)


def test_without_its_data_a_run_is_told_in_one_line_and_what_was_recorded_stays(site: Path):
    book = site / "data" / "book.txt"
    book.parent.mkdir()
    book.write_bytes(b"forty words")
    needs = f'    bake.data("book.txt", sha256="{hashlib.sha256(b"forty words").hexdigest()}", also=("data",))\n'
    write_module(site, "run", RUN.replace("    height =", f"{needs}    height ="))
    train(site, report=quiet)
    sitegen("verify", "--record", "--quiet", cwd=site)
    before = (site / "build/runs/verification.json").read_bytes()
    book.unlink()

    desk = {name: value for name, value in os.environ.items() if name != "CI"}
    again = sitegen("verify", "--record", cwd=site, env=desk)
    strict = sitegen("verify", "--run", "after", "--quiet", cwd=site, env={**os.environ, "CI": "true"})

    assert runs.load_verification(site).covers("after", runs.load(site / "build/runs/after").digest)
    assert (site / "build/runs/verification.json").read_bytes() == before
    assert (again.returncode, strict.returncode) == (0, 1)
    (line,) = [line for line in again.stdout.splitlines() if line.startswith("not done")]
    assert line.startswith("not done: after rebake: data file 'book.txt' ")
    assert again.stdout.endswith("2 of 3 runs verified\n")
    assert again.stderr.endswith("after: not verified now; what was recorded of this digest before stays\n")


def test_what_became_of_entries_is_told_of_runs_that_are_not_verified():
    wrong = (VerificationError("no"),)
    verdict = Verdict((outcome("a", "files", findings=wrong), outcome("b", "rebake", why="x")), "p", True)

    told = unrecorded(verdict, Verification(runs={"a": entry("1")}), Verification())

    assert list(told) == [
        "a: not verified; what was recorded of it before is removed",
        "b: not verified, and not recorded",
    ]


def test_quick_leaves_out_the_bake_of_a_long_run(site: Path):
    write_module(site, "walk", WALK.replace("seed=3", "seed=3, long=True"))

    write_module(site, "fall", FALL.replace("seed=0", "seed=0, long=True"))

    verdict = verify(site, names=("walk",), checks=("rebake",), quick=True, report=quiet)
    trained = verify(site, names=("fall",), checks=("rebake", "parity", "steps", "decodes"), quick=True, report=quiet)

    assert [(one.check, one.why) for one in verdict.not_done] == [("rebake", "left out by --quick")]
    assert [(one.check, one.why) for one in trained.not_done] == [
        ("rebake", "left out by --quick"),
        ("steps", "left out by --quick"),
        ("decodes", "left out by --quick"),
    ]
    assert "not done: fall rebake, steps, decodes: left out by --quick\n" in verify_table(trained)
    assert verdict.passed(strictly=True)


def test_a_reference_without_a_way_back_is_compared_forward_alone(site: Path):
    forward = ENGINE.replace("def loss_and_gradients", "def _loss").replace("def step(", "def _step(")
    write_module(site, "engine", forward.replace("def recounted", "def _recounted"))

    verdict = verify(site, names=("fall",), checks=("parity", "gradients", "steps", "decodes"), report=quiet)

    assert [line.measure for check in CHECKS for line in verdict.lines(check)] == ["probe", "inputs", "layers"]
    assert not verdict.failed


def test_a_bake_that_depends_on_its_folder_is_found(site: Path):
    write_module(
        site, "fall", FALL.replace("    bake.series(", '    bake.example("where", __file__)\n    bake.series(')
    )
    train(site, names=("fall",), report=quiet)

    (outcome,) = verify(site, names=("fall",), checks=("determinism",), report=quiet).failed

    (finding,) = outcome.findings
    assert "run 'fall' has another digest in another folder: examples.where" in finding.message


@pytest.mark.parametrize(("error", "passes"), [(1e-12, True), (1e-3, False)])
def test_on_another_kind_of_machine_numbers_are_held_to_a_tolerance(
    site: Path, monkeypatch: pytest.MonkeyPatch, error: float, passes: bool
):
    monkeypatch.setattr("sitegen.verify.rebake.gives_same_bytes", lambda run=None: False)
    monkeypatch.setattr("sitegen.verify.plan.gives_same_bytes", lambda run=None: False)
    folder = site / "build/runs/walk"
    run = runs.load(folder)
    series = run.series["height"]
    off = replace(series, values=[series.values[0] + error, *series.values[1:]])
    timings = sealed(runs.load_timings(folder, run))
    runs.write(folder, replace(run, series={"height": off}), {}, timings)

    found = verify(site, names=("walk",), checks=("files", "rebake", "determinism"), report=quiet)

    assert not found.bytes
    assert found.passed(strictly=True) is passes
    (line,) = found.lines("rebake")
    assert line.measure == "numbers"
    assert line.worst == pytest.approx(error, rel=1e-3)


def test_an_unknown_run_is_a_matter_of_usage(site: Path):
    with pytest.raises(UnknownSelection):
        verify(site, names=("wlak",), report=quiet)


def test_the_command_prints_a_table_records_and_ends_with_zero(site: Path):
    done = sitegen("verify", "--run", "fall", "--record", cwd=site)

    assert done.returncode == 0, done.stderr
    assert "1 of 1 run verified" in done.stdout
    assert "9/9 determinism" in done.stderr
    assert runs.load_verification(site).covers("fall", runs.load(site / "build/runs/fall").digest)


def test_the_command_gives_json_and_one_for_findings(site: Path):
    write_module(site, "pace", "PACE = 0.2\n")

    done = sitegen("verify", "--run", "walk", "--check", "freshness", "--json", "--quiet", cwd=site)

    assert done.returncode == 1
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert (outcome["run"], outcome["check"], outcome["state"]) == ("walk", "freshness", "failed")
    assert outcome["findings"][0]["message"] == "run 'walk' is stale: module models.toy.pace changed: PACE"


def test_a_part_of_the_checks_verifies_no_run(site: Path):
    two = ("--check", "files", "--check", "freshness", "--run", "walk", "--quiet")

    table = sitegen("verify", *two[:-1], cwd=site)
    told = json.loads(sitegen("verify", *two, "--json", cwd=site).stdout)

    assert table.stdout.endswith("1 of 1 run passed the checks asked for (2 of 9)\n"), table.stderr
    assert (told["checks"], told["passed"], told["verified"]) == (["files", "freshness"], ["walk"], [])


@pytest.mark.parametrize("arguments", [("--check", "freshnes"), ("--check", "files", "--record")])
def test_wrong_usage_is_two(site: Path, arguments: tuple[str, ...]):
    assert sitegen("verify", *arguments, cwd=site).returncode == 2


# -------------------------------------------------------------------------------------------------- comparing


def test_a_comparison_counts_finds_the_worst_and_names_the_first_that_is_wrong():
    comparison = Comparison("probe", 1e-12)

    comparison.arrays("y", [1.0, 2.0], np.array([1.0, 2.0 + 1e-11]))
    comparison.arrays("z", [[1.0], [4.0]], np.array([1.0, 4.0]))

    assert comparison.measure["count"] == 4
    assert comparison.worst == pytest.approx(5e-12, rel=1e-3)
    assert comparison.findings == [
        {"field": "y, number 1", "words": "the engines are 5e-12 apart, 1e-12 is allowed"}
    ]  # fmt: skip


def test_what_is_missing_or_not_finite_is_wrong():
    comparison = Comparison("probe", 1.0)

    comparison.arrays("y", [1.0], None)
    comparison.arrays("z", [1.0], np.array([1.0, 2.0]))
    comparison.number("loss", float("nan"))

    assert [each["field"] for each in comparison.findings] == ["y", "z", "loss"]


def test_only_the_first_findings_are_spelled_out():
    comparison = Comparison("decodes", 0.0)

    for step in range(9):
        comparison.fact(f"step {step}", False, "no")

    assert [each["words"] for each in comparison.findings] == ["no"] * MOST_FINDINGS + ["4 more of this kind"]


def test_gradients_are_compared_tensor_by_tensor():
    ours, theirs = {"a": np.array([3.0, 4.0])}, {"a": np.array([3.0, 4.5]), "b": np.array([1e-9])}

    found = by_tensor(ours, theirs)

    assert found["a"] == pytest.approx(0.5 / np.hypot(3, 4.5))
    assert found["b"] == np.inf


def test_a_tiny_gradient_is_held_against_all_of_them():
    big, noise = np.array([1.0]), np.array([1e-17])

    assert by_tensor({"a": big, "b": noise}, {"a": big, "b": -noise})["b"] == pytest.approx(2e-11)


def test_central_differences_tell_a_right_gradient_from_a_wrong_one():
    class Square:
        factor = 2.0

        def batch(self, step: int, count: int | None = None) -> None:
            return None

        def loss_and_gradients(self, weights: dict, batch: None) -> tuple[float, dict]:
            return float((weights["w"] ** 2).sum()), {"w": self.factor * weights["w"]}

    class Wrong(Square):
        factor = 3.0

    found = dict(along_directions(Square(), Wrong(), {"w": np.arange(1.0, 5.0)}, seed=0))  # type: ignore[arg-type]

    assert found["w by hand"] < 1e-8
    assert found["w by autograd"] == pytest.approx(1 / 3, rel=1e-6)


# ------------------------------------------------------------------------------------------------- recording


def outcome(run: str, check: str, **given: object) -> Outcome:
    return Outcome(run, check, **given)  # type: ignore[arg-type]


def verdict(found: dict[str, Run], *outcomes: Outcome) -> Verdict:
    return Verdict(outcomes, "linux-x86_64-v3", True, found)


def entry(digest: str) -> VerifiedRun:
    return VerifiedRun(digest, {}, "linux-x86_64-v3", {})


def test_differences_are_recorded_as_the_next_power_of_ten():
    assert [upper_power(each) for each in (0.0, 1e-15, 1.01e-15, 9e-15, 0.3)] == [0.0, 1e-15, 1e-14, 1e-14, 1.0]


def test_a_run_that_passed_gets_an_entry_and_one_that_failed_loses_it(site: Path):
    found, _ = runs.load_all(site)
    worst = {"loss": Measure(5, 3e-16, 1e-12)}
    wrong = (VerificationError("no"),)

    record = recorded(
        verdict(found, outcome("fall", "steps", measures=worst), outcome("walk", "files", findings=wrong)),
        Verification(runs={"walk": entry("old"), "after": entry("kept"), "gone": entry("x")}),
        ("after", "fall", "walk"),
    )

    assert set(record.runs) == {"after", "fall"}
    assert record.runs["fall"].digest == found["fall"].digest
    assert record.runs["fall"].checks == {"steps": {"loss": Measure(5, 1e-15, 1e-12)}}


@pytest.mark.parametrize(("digest", "stays"), [(None, True), ("another", False)])
def test_an_entry_stays_where_a_check_was_only_left_out(site: Path, digest: str | None, stays: bool):
    found, _ = runs.load_all(site)
    before = Verification(runs={"walk": entry(digest or found["walk"].digest)})

    record = recorded(verdict(found, outcome("walk", "rebake", why="left out")), before, ("walk",))

    assert ("walk" in record.runs) is stays


def test_a_record_is_read_as_it_was_written(site: Path):
    record = Verification(runs={"walk": replace(entry("a"), checks={"files": {"files": Measure(3)}})})

    runs.write_verification(site, record)

    assert runs.load_verification(site) == record


def test_a_broken_record_is_told_with_the_way_out(site: Path):
    (site / "build/runs/verification.json").write_text("{}[", "utf-8")

    with pytest.raises(RunError, match=r"build/runs/verification.json: cannot be read.*\n.*sitegen verify --record"):
        runs.load_verification(site)


# ------------------------------------------------------------------------------------------------ differences


def changed(run: Run, **values: object) -> Run:
    return replace(run, **values)  # type: ignore[arg-type]


def test_a_difference_names_the_first_value_and_the_largest(site: Path):
    run = runs.load(site / "build/runs/walk")
    series = run.series["height"]
    other = changed(run, series={"height": replace(series, values=[*series.values[:2], 4.0, 9.0])})

    (difference,) = runs.differences(run, other)

    assert (difference.field, difference.after, difference.count, difference.of) == ("series.height[step=2]", 4.0, 2, 4)
    assert difference.largest == pytest.approx(9 - series.values[3])


def test_a_weight_is_named_by_its_checkpoint_and_number(site: Path):
    folder = site / "build/runs/fall"
    run, data = runs.load(folder), runs.load_weights(folder, runs.load(folder))

    (difference,) = runs.differences(run, run, data, data[:8] + bytes(8))

    assert difference.field == "weights.w[checkpoint=5, number=0]"
    assert difference.after == 0.0


def test_equal_runs_have_no_differences(site: Path):
    run = runs.load(site / "build/runs/walk")

    assert runs.differences(run, run) == []


def test_what_killed_verifications_left_is_cleared_away_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    here = socket.gethostname()
    kept = [f"sitegen-verify-{here}-{os.getppid()}-a", "sitegen-verify-old", f"sitegen-verify-x{here}-{gone.pid}-a"]
    for name in (*kept, f"sitegen-verify-{here}-{gone.pid}-a"):
        (tmp_path / name / "run").mkdir(parents=True)

    with scratch() as one, scratch() as other:
        both = {one.name, other.name}
        during = {path.name for path in tmp_path.iterdir()}

    assert during == {*kept, *both}
    assert {path.name for path in tmp_path.iterdir()} == {*kept}
