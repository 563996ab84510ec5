"""The values that stages pass on: places read as path:line, series give their parts by index."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen import schema
from sitegen.schema import Act, Chapter, Location, Section, Series


def series(shape: tuple[int, ...]) -> Series:
    """Values 0, 1, 2, … in row-major order."""
    size = 1
    for length in shape:
        size *= length
    axes = tuple(f"axis{k}" for k in range(len(shape)))
    labels: dict[str, list[int | float | str]] = {
        axis: list(range(length)) for axis, length in zip(axes, shape, strict=True)
    }
    return Series(axes, labels, shape, "exact", list(range(size)))


def test_a_location_reads_as_path_and_line():
    assert str(Location("content/01-a/02-b.md", 17)) == "content/01-a/02-b.md:17"
    assert str(Location("content/site.toml")) == "content/site.toml"


def test_every_value_is_frozen():
    classes = [value for value in vars(schema).values() if dataclasses.is_dataclass(value)]

    assert [value.__name__ for value in classes if not value.__dataclass_params__.frozen] == []


def test_a_series_is_indexed_from_its_leading_axes():
    cube = series((2, 3, 4))

    assert cube.at() == list(range(24))
    assert cube.at(1) == list(range(12, 24))
    assert cube.at(1, 2) == [20, 21, 22, 23]
    assert cube.at(1, 2, 3) == [23]


def test_rows_run_along_the_last_axis():
    assert list(series((2, 2, 3)).rows(1)) == [[6, 7, 8], [9, 10, 11]]


@pytest.mark.parametrize("index", [2, -1])
def test_an_index_outside_its_axis_is_refused(index: int):
    with pytest.raises(IndexError, match=f"index {index} outside an axis of length 2"):
        series((2, 3)).at(index)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_the_parts_along_the_first_axis_make_up_the_whole(lengths: list[int]):
    whole = series(tuple(lengths))

    assert [value for k in range(lengths[0]) for value in whole.at(k)] == whole.values


def test_the_acts_of_a_chapter_are_its_parts_without_the_sections():
    at = Location("content/01-a/chapter.toml")
    act = Act(1, "one", "a1", "One", "", (), "", (), (), at)
    section = Section("lab", "Lab", "section", "", (), (), (), at)
    chapter = Chapter(1, "a", "A", "", "", "", "a", None, (section, act), at)

    assert chapter.acts == (act,)
