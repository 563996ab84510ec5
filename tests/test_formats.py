"""A number and a format to what readers see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import formats
from sitegen.errors import FigureError
from sitegen.schema import Location

AT = Location("text.md", 3)
THIN, MINUS = "\u202f", "\u2212"


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
    assert formats.formatted(value, spec, AT) == shown


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(0, 3))
def test_an_upper_bound_is_never_below_the_value(value: float, digits: int):
    shown = formats.formatted(value, f"<=.{digits}e", AT).removeprefix(f"≤{THIN}")
    mantissa, _, power = shown.partition(f"{THIN}×{THIN}10<sup>")

    bound = float(f"{mantissa}e{power.removesuffix('</sup>').replace(MINUS, '-') or 0}")

    assert bound >= value * (1 - 1e-9)
    assert bound <= value * (1 + 10.0**-digits) * (1 + 1e-9)


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
    assert formats.significant(value) == shown


@pytest.mark.parametrize("spec", [".400f", "<=.400e", ".18%"])
def test_no_one_reads_more_digits_than_a_number_has(spec: str):
    with pytest.raises(FigureError, match=r"is no format|too many digits"):
        formats.formatted(0.5, spec, AT)
