"""Numbers of runs in prose, and claims about them."""

from __future__ import annotations

import re

import pytest
from minimal_site import MINIMAL
from msgspec.structs import replace

from sitegen import runs, values
from sitegen.errors import FigureError, RunError
from sitegen.schema import Claim, Location, Measure, Output, Series, Timings, Verification, VerifiedRun
from sitegen.values import Known

AT = Location("text.md", 3)


@pytest.fixture(scope="module")
def baked() -> Known:
    return Known({"line-fit": runs.load(MINIMAL / "build" / "runs" / "line-fit")})


def spread() -> Series:
    coordinates: dict[str, list[int | float | str]] = {"checkpoint": [0, 8, 600], "head": ["a", "b"]}
    return Series(("checkpoint", "head"), coordinates, (3, 2), "exact", [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("line-fit.seed", 1),
        ("line-fit.parameters.rate", 0.5),
        ("line-fit.metrics.slope", 1.9397183641975309),
        ("line-fit.examples.points.1.0", 1.0),
        ("line-fit.examples.names.first", "a < b"),
        ("line-fit.series.loss[step=1]", 0.8101851851851851),
        ("line-fit.series.loss[step=last]", 0.004239521550858451),
        ("line-fit.series.loss[step=first]", 4.666666666666667),
        ("line-fit.series.loss.max", 4.666666666666667),
        ("line-fit.series.loss.count", 5),
        ("line-fit.provenance.versions.torch", "2.13.0"),
    ],
)
def test_a_path_leads_to_a_value(path: str, value: object, baked: Known):
    assert values.lookup(path, baked, AT) == value


def test_a_part_of_a_series_is_chosen_by_its_coordinates():
    series = spread()
    last = values.index_of(series, "checkpoint", "600", AT)

    assert values.select(series, {"checkpoint": last}) == [5, 6]
    assert values.select(series, {"head": 1}) == [2, 4, 6]
    assert values.select(series, {}) == series.values


def test_an_expression_keeps_the_exact_value_and_where_it_is_from(baked: Known):
    html = values.expression_html("line-fit.metrics.slope:.2f", baked, AT)

    assert html == '<data class="run-value" value="1.9397183641975309" title="line-fit.metrics.slope">1.94</data>'


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("line-fit.metrics.slope:d", "1.9397183641975309 is no whole number, so 'd' does not fit"),
        ("line-fit.metrics.slope", "1.9397183641975309 is too long to be read"),
        ("line-fit.metrics.slope:,", "1.9397183641975309 is too long to be read"),
        ("line-fit.examples.names.first:.2f", "'a < b' is no number, so '.2f' does not fit"),
        ("line-fit.examples.names", "'line-fit.examples.names' is not one value"),
        ("line-fit.examples.points", "'line-fit.examples.points' is not one value"),
        ("line-fit.examples.digits.7", "'line-fit.examples.digits.7' leads nowhere at '7'"),
        ("line-fit.series.loss[stp=1]", "series 'loss' has no axis 'stp'"),
        ("line-fit.series.loss.median", "there is no reduction 'median'"),
        ("line-fit.metrics.slope[step=1]", "only a series has coordinates in brackets"),
        ("line-fit", "'line-fit' is no path to a value"),
        ("other.seed", "run 'other' is not baked"),
    ],
)
def test_what_cannot_be_shown_is_told(expression: str, message: str, baked: Known):
    with pytest.raises(FigureError) as found:
        values.expression_html(expression, baked, AT)

    assert found.value.message == message
    assert found.value.at == AT


@pytest.mark.parametrize(
    ("operator", "number", "holds"), [("<", 2, True), ("<=", 1.9, False), ("!=", 2, True), ("==", 2, False)]
)
def test_a_claim_is_compared_with_what_was_measured(operator: str, number: float, holds: bool, baked: Known):
    claim = Claim("line-fit.metrics.slope", operator, number, "the text", AT)

    if holds:
        values.check(claim, baked)
    else:
        with pytest.raises(FigureError, match=r"the claim 'the text' is false: measured 1\.9397"):
            values.check(claim, baked)


def test_what_was_verified_of_a_run_is_a_value(baked: Known):
    entry = VerifiedRun("abc", {"steps": {"free": Measure(600, 1e-14, 1e-9)}}, "linux-x86_64-v3", {})
    record = Verification(runs={"line-fit": entry})

    known = replace(baked, verification=record)

    shown = values.expression_html("line-fit.verification.steps.free.worst:<=e", known, AT)

    assert "10<sup>−14</sup>" in shown
    assert values.lookup("line-fit.verification.steps.free.count", known, AT) == 600
    with pytest.raises(FigureError, match="leads nowhere at 'fre'"):
        values.lookup("line-fit.verification.steps.fre.count", known, AT)


def test_a_run_that_is_not_verified_has_no_such_value(baked: Known):
    with pytest.raises(FigureError, match=r"run 'line-fit' is not verified\n.*sitegen verify --record"):
        values.lookup("line-fit.verification.steps.free.worst", baked, AT)


# ----------------------------------------------------------------------------------------------------- timings


def timed(baked: Known, timings: Timings | RunError | None) -> Known:
    """The same run, as one that measures seconds and how much faster it got."""
    outputs = {"seconds": Output(("length",), "never"), "speedup": Output((), "never")}
    run = replace(baked.runs["line-fit"], outputs=outputs)
    return Known({"line-fit": run}, timings={"line-fit": timings} if timings else {})


def measured() -> Timings:
    seconds = Series(("length",), {"length": [64, 128]}, (2,), "never", [0.25, 1.0])
    return Timings("Some CPU <9>", 2.5, {"seconds": seconds, "speedup": Series((), {}, (), "never", [4.0])})


def test_a_time_is_a_value_and_names_its_machine(baked: Known):
    known = timed(baked, measured())

    shown = values.expression_html("line-fit.timings.seconds[length=128]:.1f", known, AT)

    title = "line-fit.timings.seconds[length=128], on Some CPU &lt;9&gt;"
    assert shown == f'<data class="run-value" value="1.0" title="{title}">1.0</data>'
    assert values.lookup("line-fit.timings.speedup", known, AT) == 4.0
    assert values.lookup("line-fit.timings.seconds.max", known, AT) == 1.0
    assert values.lookup("line-fit.timings.processor", known, AT) == "Some CPU <9>"


def test_a_claim_about_times_is_held_against_those_recorded(baked: Known):
    known = timed(baked, measured())

    values.check(Claim("line-fit.timings.speedup", ">=", 4, "as fast", AT), known)
    with pytest.raises(FigureError, match=r"the claim 'faster' is false: measured 4\.0"):
        values.check(Claim("line-fit.timings.speedup", ">", 4, "faster", AT), known)


@pytest.mark.parametrize(
    ("path", "timings", "message", "hint"),
    [
        ("timings.second[length=64]", measured(), "has no series 'second'", "did you mean 'seconds'?"),
        ("timings.seconds[length=65]", measured(), "the axis 'length' has no '65'", "next to it: 64 and 128"),
        ("timings.speedup", RunError("they are missing", hint="measure again"), "they are missing", "measure again"),
        ("series.seconds[length=64]", measured(), "is a time", "write line-fit.timings.seconds"),
    ],
)
def test_a_time_that_is_not_there_says_the_way_out(
    path: str, timings: Timings | RunError, message: str, hint: str, baked: Known
):
    with pytest.raises(FigureError, match=re.escape(message)) as found:
        values.lookup(f"line-fit.{path}", timed(baked, timings), AT)

    assert (found.value.at, found.value.hint) == (AT, hint)


def test_a_run_that_measures_nothing_has_no_timings(baked: Known):
    with pytest.raises(FigureError, match="run 'line-fit' has no timings"):
        values.lookup("line-fit.timings.seconds.max", baked, AT)
