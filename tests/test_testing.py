"""The pytest plugin for a site's own tests, run by pytest in a site of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from minimal_site import LOSSES, copied, write_run
from msgspec.structs import replace

from sitegen import runs
from sitegen.schema import Metric, Output, Run, Series
from sitegen.testing import assert_run_matches, mismatches

pytest_plugins = ["pytester"]

TEST = """
def test_the_slope_is_learned(baked_run, run_snapshot):
    run_snapshot(baked_run("line-fit"))
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return runs.load(copied(tmp_path) / "build" / "runs" / "line-fit")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with a test that holds its run against a snapshot."""
    site = copied(tmp_path)
    (site / "tests").mkdir()
    (site / "tests" / "test_lines.py").write_text(TEST)
    (site / "tests" / "conftest.py").write_text('pytest_plugins = ["sitegen.testing"]\n')
    (site / "pytest.ini").write_text("[pytest]\n")
    return site


@pytest.fixture(autouse=True)
def _at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def called(pytester: pytest.Pytester, site: Path, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "--rootdir", site, site / "tests", *arguments)


def with_loss(run: Run, *values: float, precision: str = "exact", tolerance: float | None = None) -> Run:
    steps = [0, 1, 2, 3, 4]
    series = Series(("step",), {"step": steps}, (5,), precision, list(values), tolerance)  # type: ignore[arg-type]
    return replace(run, series={"loss": series}, outputs={"loss": Output(("step",), precision, tolerance)})  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- comparing


def test_a_run_matches_itself_however_it_was_made(run: Run):
    made = replace(run.provenance, closure={"models.lines.fit": "other"}, versions={"torch": "9"})

    assert_run_matches(replace(run, provenance=made, digest="other"), run)


def test_an_exact_number_that_differs_is_named_with_series_index_and_both_values(run: Run):
    after = with_loss(run, *LOSSES[:3], LOSSES[3] + 1e-12, LOSSES[4])

    with pytest.raises(AssertionError) as found:
        assert_run_matches(after, run, hint="look")

    values = f"{LOSSES[3]} became {LOSSES[3] + 1e-12}"
    assert str(found.value).splitlines() == [
        "run 'line-fit' is not as its snapshot: 1 field differs",
        f"  series.loss[step=3]: {values}; 1 of 5 values differ, by 1e-12 at most (exact)",
        "  hint: look",
    ]


def test_a_tolerant_series_may_differ_by_its_tolerance_and_no_more(run: Run):
    before, near, far = (
        with_loss(run, 1.0, 2.0, third, 4.0, 5.0, precision="tolerant", tolerance=0.01) for third in (3.0, 3.009, 3.02)
    )

    assert mismatches(before, near) == []
    assert mismatches(before, far) == [
        "series.loss[step=2]: 3.0 became 3.02; 1 of 5 values differ, by 0.02 at most (tolerant, of which 0.01 is"
        " allowed)"
    ]


def test_another_machine_may_miss_exact_numbers_by_little_and_draw_other_pictures(run: Run):
    after = with_loss(run, *LOSSES[:4], LOSSES[4] + 1e-12)
    image = replace(run.images["curve"], sha256="0" * 64)
    after = replace(after, images={"curve": image})

    assert mismatches(run, after, elsewhere=True) == []
    assert [line.split(":")[0] for line in mismatches(run, after)] == ["series.loss[step=4]", "images.curve"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seed": 2}, "seed"),
        ({"parameters": {"steps": 5, "rate": 0.5}}, "parameters.steps"),
        ({"metrics": {"slope": Metric(1.0)}}, "metrics.error"),
        ({"examples": {}}, "examples.digits"),
        ({"series": {}}, "series.loss"),
        ({"weights": None}, "weights"),
    ],
)
def test_whatever_is_gone_or_new_is_told(run: Run, change: dict[str, object], field: str):
    assert mismatches(run, replace(run, **change))[0].split(":")[0] == field  # type: ignore[arg-type]


def test_weights_of_other_bytes_are_told(run: Run):
    assert run.weights is not None
    weights = replace(run.weights, sha256="0" * 64)

    (line,) = mismatches(run, replace(run, weights=weights))

    assert line.startswith("weights: sha256 ")


# ---------------------------------------------------------------------------------------------------- the plugin


def test_a_snapshot_that_is_missing_fails_and_is_written_when_asked_for(pytester: pytest.Pytester, site: Path):
    snapshot = site / "tests" / "snapshots" / "line-fit.json"

    missing = called(pytester, site)
    there = snapshot.exists()
    written = called(pytester, site, "--update-run-snapshots")
    again = called(pytester, site)

    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*run 'line-fit' has no snapshot", "*hint: pytest --update-run-snapshots*"])
    assert not there
    written.assert_outcomes(passed=1)
    written.stdout.fnmatch_lines(["wrote tests/snapshots/line-fit.json"])
    again.assert_outcomes(passed=1)
    assert "wrote" not in again.stdout.str()
    assert [path.name for path in snapshot.parent.iterdir()] == ["line-fit.json"]


def test_a_run_that_changed_fails_until_its_snapshot_is_written_anew(pytester: pytest.Pytester, site: Path):
    called(pytester, site, "--update-run-snapshots")
    write_run(site, metrics={"slope": Metric(2.5), "error": Metric(0.06028163580246915, better="lower")})

    changed = called(pytester, site)
    called(pytester, site, "--update-run-snapshots")
    meant = called(pytester, site)

    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(["*metrics.slope: 1.9397183641975309 became 2.5 (exact)", "*hint: if the change is*"])
    meant.assert_outcomes(passed=1)


def test_a_run_that_is_not_there_or_damaged_is_told_in_words(pytester: pytest.Pytester, site: Path):
    (site / "tests" / "test_lines.py").write_text(TEST.replace("line-fit", "line-fitt") + TEST.replace("the_", "a_"))
    path = site / "build" / "runs" / "line-fit" / "run.json"
    path.write_text(path.read_text().replace('"seed":1', '"seed":2'))

    done = called(pytester, site)

    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*run 'line-fitt' is not baked", "*did you mean 'line-fit'?"])
    done.stdout.fnmatch_lines(["*digest mismatch: the file was changed after it was baked"])
    assert "During handling" not in done.stdout.str()
    assert done.stdout.str().count("digest mismatch: the file was changed after it was baked\n") == 1
    assert "Traceback" not in done.stdout.str()


def test_what_is_no_run_is_told_as_such(pytester: pytest.Pytester, site: Path):
    (site / "tests" / "test_lines.py").write_text('def test_it(run_snapshot):\n    run_snapshot({"a": 1})\n')

    done = called(pytester, site)

    done.stdout.fnmatch_lines(["*run_snapshot holds a run, and this is a dict", "*hint: run_snapshot(baked_run(NAME))"])


def test_the_site_is_the_one_around_the_test_wherever_pytest_was_started(pytester: pytest.Pytester, site: Path):
    called(pytester, site, "--update-run-snapshots")
    above, elsewhere = site.parent, site.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "test_none.py").write_text(TEST)

    within = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--rootdir", above, site / "tests")
    outside = pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "-p", "sitegen.testing", "--rootdir", site, elsewhere
    )

    within.assert_outcomes(passed=1)
    outside.assert_outcomes(errors=1)
    outside.stdout.fnmatch_lines(["*elsewhere is in no site: no folder from there upwards has content/site.toml"])


def test_a_snapshot_that_cannot_be_read_is_told(pytester: pytest.Pytester, site: Path):
    called(pytester, site, "--update-run-snapshots")
    (site / "tests" / "snapshots" / "line-fit.json").write_text("{")

    called(pytester, site).stdout.fnmatch_lines(["*line-fit.json cannot be read*"])


def test_nothing_is_written_where_nobody_looks(pytester: pytest.Pytester, site: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "true")

    done = called(pytester, site, "--update-run-snapshots")

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert not (site / "tests" / "snapshots").exists()


def test_the_plugin_loads_nothing_that_bakes():
    program = "import sys, sitegen.testing; print(*{'torch', 'numpy', 'matplotlib'} & sys.modules.keys())"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "\n"
