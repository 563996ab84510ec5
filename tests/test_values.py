"""Numbers of runs in prose, and claims about them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from minimal_site import MINIMAL

from sitegen import runs, values
from sitegen.errors import FigureError
from sitegen.schema import Claim, Location, Measure, Run, Series, Verification, VerifiedRun

AT = Location("text.md", 3)
THIN, MINUS = "\u202f", "\u2212"


@pytest.fixture(scope="module")
def baked() -> dict[str, Run]:
    return {"line-fit": runs.load(MINIMAL / "build" / "runs" / "line-fit")}


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
def test_a_path_leads_to_a_value(path: str, value: object, baked: dict[str, Run]):
    assert values.lookup(path, baked, AT) == value


def test_a_part_of_a_series_is_chosen_by_its_coordinates():
    series = spread()
    last = values.index_of(series, "checkpoint", "600", AT)

    assert values.select(series, {"checkpoint": last}) == [5, 6]
    assert values.select(series, {"head": 1}) == [2, 4, 6]
    assert values.select(series, {}) == series.values


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (0.99812, ".1%", f"99.8{THIN}%"),
        (1, ".1%", f"100.0{THIN}%"),
        (0.4567, ".2f", "0.46"),
        (-0.5, ".1f", f"{MINUS}0.5"),
        (600, "", "600"),
        (600.0, "d", "600"),
        (1000, ",d", "1,000"),
        (12345.678, ",.1f", "12,345.7"),
        (9.1e-16, ".0e", f"9{THIN}×{THIN}10<sup>{MINUS}16</sup>"),
        (0.0, ".2e", "0"),
        (9.1e-16, "<=.1e", f"≤{THIN}9.1{THIN}×{THIN}10<sup>{MINUS}16</sup>"),
        (9.14e-16, "<=.1e", f"≤{THIN}9.2{THIN}×{THIN}10<sup>{MINUS}16</sup>"),
        (9.1e-16, "<=e", f"≤{THIN}10<sup>{MINUS}15</sup>"),
        (1e-12, "<=e", f"≤{THIN}10<sup>{MINUS}12</sup>"),
        (0.0601, "<=.2f", f"≤{THIN}0.07"),
        (0.0601, "<=.0%", f"≤{THIN}7{THIN}%"),
        (0.5, "", "0.5"),
        (123.456, "", "123.456"),
        ("a < b", "", "a &lt; b"),
        ([7, 2, 5], "", "7 2 5"),
        (True, "", "true"),
    ],
)
def test_a_format_gives_what_readers_see(value: object, spec: str, shown: str):
    assert values.formatted(value, spec, AT) == shown


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(0, 3))
def test_an_upper_bound_is_never_below_the_value(value: float, digits: int):
    shown = values.formatted(value, f"<=.{digits}e", AT).removeprefix(f"≤{THIN}")
    mantissa, _, power = shown.partition(f"{THIN}×{THIN}10<sup>")

    bound = float(f"{mantissa}e{power.removesuffix('</sup>').replace(MINUS, '-') or 0}")

    assert bound >= value * (1 - 1e-9)
    assert bound <= value * (1 + 10.0**-digits) * (1 + 1e-9)


def test_an_expression_keeps_the_exact_value_and_where_it_is_from(baked: dict[str, Run]):
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
def test_what_cannot_be_shown_is_told(expression: str, message: str, baked: dict[str, Run]):
    with pytest.raises(FigureError) as found:
        values.expression_html(expression, baked, AT)

    assert found.value.message == message
    assert found.value.at == AT


@pytest.mark.parametrize(
    ("operator", "number", "holds"), [("<", 2, True), ("<=", 1.9, False), ("!=", 2, True), ("==", 2, False)]
)
def test_a_claim_is_compared_with_what_was_measured(operator: str, number: float, holds: bool, baked: dict[str, Run]):
    claim = Claim("line-fit.metrics.slope", operator, number, "the text", AT)

    if holds:
        values.check(claim, baked)
    else:
        with pytest.raises(FigureError, match=r"the claim 'the text' is false: measured 1\.9397"):
            values.check(claim, baked)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (600, "600"),
        (0.123456, "0.123"),
        (-1.5, f"{MINUS}1.5"),
        (1234.5, "1230"),
        (9.1e-16, f"9.1e{MINUS}16"),
        ("the", "the"),
    ],
)
def test_a_table_shows_three_significant_digits(value: object, shown: str):
    assert values.significant(value) == shown


def test_what_was_verified_of_a_run_is_a_value(baked: dict[str, Run]):
    entry = VerifiedRun("abc", {"steps": {"free": Measure(600, 1e-14, 1e-9)}}, "linux-x86_64-v3", {})
    record = Verification(runs={"line-fit": entry})

    shown = values.expression_html("line-fit.verification.steps.free.worst:<=e", baked, AT, record)

    assert "10<sup>−14</sup>" in shown
    assert values.lookup("line-fit.verification.steps.free.count", baked, AT, record) == 600
    with pytest.raises(FigureError, match="leads nowhere at 'fre'"):
        values.lookup("line-fit.verification.steps.fre.count", baked, AT, record)


def test_a_run_that_is_not_verified_has_no_such_value(baked: dict[str, Run]):
    with pytest.raises(FigureError, match=r"run 'line-fit' is not verified\n.*sitegen verify --record"):
        values.lookup("line-fit.verification.steps.free.worst", baked, AT)


@pytest.mark.parametrize("spec", [".400f", "<=.400e", ".18%"])
def test_no_one_reads_more_digits_than_a_number_has(spec: str):
    with pytest.raises(FigureError, match=r"is no format|too many digits"):
        values.formatted(0.5, spec, Location("a.md", 1))
