"""Figures as written to Figures that can be drawn; mistakes are cases in `tests/cases/errors`."""

from __future__ import annotations

from typing import Any

import pytest
from minimal_site import MINIMAL
from msgspec.structs import replace

from sitegen import assets, figures, runs
from sitegen.errors import SitegenError
from sitegen.figures.ranges import allowed
from sitegen.figures.tables import tables, whole_tables
from sitegen.markdown.markers import ROOT
from sitegen.schema import Figure, FigureKind, FigureRef, Json, Location, Run, Series, Table

AT = Location("a.md", 4)
REF = FigureRef("one", "trace", "line-fit", "curve", "Falls.", "", {}, {}, AT)


@pytest.fixture(scope="module")
def run() -> Run:
    return runs.load(MINIMAL / "build" / "runs" / "line-fit")


@pytest.fixture(scope="module")
def kind() -> FigureKind:
    return assets.read(MINIMAL, []).kinds["trace"]


def resolve(ref: FigureRef, kind: FigureKind, run: Run, fresh: bool = True) -> tuple[Figure | None, list[str]]:
    errors: list[SitegenError] = []
    known = figures.Known({kind.name: kind}, {run.run: run}, {run.run: fresh})
    figure = figures.resolve(ref, known, errors)
    return figure, [error.message for error in errors]


def test_a_figure_knows_its_files_and_how_to_bake_it_again(run: Run, kind: FigureKind):
    figure, _ = resolve(REF, kind, run)

    base = f"{ROOT}data/line-fit.{run.digest[:12]}"
    assert figure is not None
    assert (figure.data_href, figure.weights_href, figure.image_href) == (
        f"{base}.json",
        f"{base}.bin",
        f"{base}-curve.png",
    )
    assert figure.command == "sitegen train --run line-fit"
    assert figure.image == run.images["curve"]


def test_defaults_come_first_and_last_is_a_coordinate(run: Run, kind: FigureKind):
    default, _ = resolve(REF, kind, run)
    given, _ = resolve(replace(REF, state={"t": "first"}, options={"color": "accent"}), kind, run)

    assert default is not None
    assert given is not None
    assert (default.state, default.ref.options) == ({"t": 4}, {"color": "ink"})
    assert (given.state, given.ref.options) == ({"t": 0}, {"color": "accent"})


@pytest.mark.parametrize(
    ("entry", "labels", "expected"),
    [
        ({"type": "checkpoint"}, [0, 8, 600], [0, 8, 600]),
        ({"type": "choice", "values": ["raw", "scaled"]}, [], ["raw", "scaled"]),
        ({"type": "integer", "min": 0, "max": 9}, [1, 2, 3], {"min": 0, "max": 9, "whole": True}),
        ({"type": "integer", "axis": "position", "min": 0}, [1, 2, 3], {"min": 0, "max": 3, "whole": True}),
        ({"type": "number", "min": 0.5}, [], {"min": 0.5}),
        ({"type": "text"}, ["la", "voiture"], None),
        ({"type": "text", "pattern": "[0-9 ]*"}, [], {"pattern": "[0-9 ]*"}),
    ],
)
def test_the_page_is_told_what_a_state_may_be(entry: dict[str, Json], labels: list[Any], expected: Json):
    assert allowed(entry, labels) == expected


def test_a_figure_knows_what_its_state_may_be(run: Run, kind: FigureKind):
    figure, _ = resolve(REF, kind, run)

    assert figure is not None
    assert figure.allowed == {"t": run.series["loss"].coordinates["step"]}


@pytest.mark.parametrize("fresh", [True, False])
def test_a_figure_says_whether_its_run_is_fresh(fresh: bool, run: Run, kind: FigureKind):
    figure, _ = resolve(REF, kind, run, fresh)

    assert figure is not None
    assert figure.fresh is fresh


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ({"type": "integer", "min": 1, "max": 6}, 7, "state s = 7 is too large"),
        ({"type": "integer", "min": 1, "max": 6}, 0, "state s = 0 is too small"),
        ({"type": "integer"}, 1.5, "state s = 1.5 must be a whole number"),
        ({"type": "integer"}, True, "state s = true must be a whole number"),
        ({"type": "number"}, "1", 'state s = "1" must be a number'),
        ({"type": "digits"}, "72a", 'state s = "72a" must be a string of digits'),
        ({"type": "text"}, 5, "state s = 5 must be a string"),
        ({"type": "text", "pattern": "[0-9]*"}, "1\n", 'state s = "1\n" is not of its form'),
        ({"type": "truth"}, 1, "state s = 1 must be true or false"),
        ({"type": "choice", "values": ["a", "b"]}, "c", 'state s = "c" is no choice'),
        ({"type": "checkpoint", "axis": "step"}, 9, "state s = 9 is no checkpoint of the run"),
    ],
)
def test_a_state_has_a_type(entry: dict[str, object], value: object, message: str, run: Run, kind: FigureKind):
    strict = replace(kind, state={"s": entry})  # type: ignore[dict-item]

    figure, messages = resolve(replace(REF, state={"s": value}), strict, run)  # type: ignore[dict-item]

    assert figure is None
    assert messages == [message]


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ({"type": "integer", "min": 1, "max": 6}, 6),
        ({"type": "number"}, 2),
        ({"type": "digits"}, "725083"),
        ({"type": "truth"}, False),
        ({"type": "choice", "values": [1, 2]}, 2),
        ({"type": "checkpoint", "axis": "step"}, 4),
    ],
)
def test_a_state_of_its_type_stays_as_it_is(entry: dict[str, object], value: object, run: Run, kind: FigureKind):
    figure, messages = resolve(replace(REF, state={"s": value}), replace(kind, state={"s": entry}), run)  # type: ignore[dict-item]

    assert messages == []
    assert figure is not None
    assert figure.state == {"s": value}


WORDS = {"type": "records", "members": ["task", "answer"]}


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ([{"task": "Translate", "answer": ["both", "decoder"]}], []),
        ([], []),
        ("Translate", ["option cards must be a list of tables"]),
        (["Translate"], ["option cards must be a list of tables"]),
        ([{"task": "Translate"}], ["record 1 of cards lacks its answer"]),
        (
            [{"task": "Translate", "answer": "both"}, {"tsak": "Chat", "task": 1, "answer": [2]}],
            [
                "record 2 of cards has no member 'tsak'",
                "task of record 2 of cards must be words",
                "answer of record 2 of cards must be words",
            ],
        ),
    ],
)
def test_records_have_every_member_in_words(value: object, messages: list[str], run: Run, kind: FigureKind):
    with_records = replace(kind, options={"cards": WORDS})  # type: ignore[dict-item]

    figure, told = resolve(replace(REF, options={"cards": value}), with_records, run)  # type: ignore[dict-item]

    assert told == messages
    assert (figure is None) == bool(messages)


# ---------------------------------------------------------------------------------------------------- tables


def with_maps(run: Run, size: int) -> Run:
    """A run with a series of 2 checkpoints, 2 heads and a map of `size` × `size`, rising along its rows."""
    values: list[int | float] = [
        c + h + q + k / 10 for c in (0, 1) for h in (0, 1) for q in range(size) for k in range(size)
    ]
    coordinates: dict[str, list[int | float | str]] = {
        "checkpoint": [0, 600],
        "head": [0, 1],
        "query": list(range(size)),
        "key": [f"k{k}" for k in range(size)],
    }
    maps = Series(("checkpoint", "head", "query", "key"), coordinates, (2, 2, size, size), "drawn", values)
    return replace(run, series={"cross_attention": maps})


MAPS = {"series": "cross_attention", "at": {"checkpoint": "last"}, "rows": "query", "columns": "key"}


def test_each_free_axis_gives_a_table_of_its_own(run: Run):
    found = list(tables([MAPS], with_maps(run, 2), {}))

    assert found == [
        Table(
            "Cross attention, checkpoint 600, head 0",
            ("query by key", "k0", "k1"),
            [("0", "1", "1.1"), ("1", "2", "2.1")],
        ),
        Table(
            "Cross attention, checkpoint 600, head 1",
            ("query by key", "k0", "k1"),
            [("0", "2", "2.1"), ("1", "3", "3.1")],
        ),
    ]


def test_a_figures_own_page_has_every_number_of_a_large_map(run: Run):
    large = with_maps(run, 18)

    found = list(whole_tables([MAPS], large, {}))

    assert {(len(table.columns), len(table.rows)) for table in found} == {(19, 18)}
    assert list(whole_tables([MAPS], with_maps(run, 2), {})) == list(tables([MAPS], with_maps(run, 2), {}))


def test_a_large_map_is_summed_up_row_by_row(run: Run):
    first = next(tables([MAPS], with_maps(run, 18), {}))

    assert first.columns == ("query", "key of the largest", "largest", "least", "mean")
    assert len(first.rows) == 18
    assert first.rows[0] == ("0", "k17", "2.7", "1", "1.85")


def test_a_long_row_is_cut_into_stretches(run: Run):
    values: list[int | float] = [k / 1 for k in range(600)]
    series = Series(("step",), {"step": list(range(600))}, (600,), "exact", values)

    found = list(tables([{"series": "loss", "rows": "step"}], replace(run, series={"loss": series}), {}))

    assert len(found) == 1
    assert len(found[0].rows) == 20
    assert found[0].rows[1] == ("30 to 59", "30", "44.5", "59")


def test_coordinates_may_have_labels_that_count_from_one(run: Run):
    labels = {"checkpoint": ["before"], "head": "#", "query": "q#"}

    found = list(tables([{**MAPS, "at": {"head": 1}, "labels": labels}], with_maps(run, 2), {}))

    assert found == [
        Table(
            "Cross attention, head 2, checkpoint before",
            ("query by key", "k0", "k1"),
            [("q1", "1", "1.1"), ("q2", "2", "2.1")],
        ),
        Table(
            "Cross attention, head 2, checkpoint 600",
            ("query by key", "k0", "k1"),
            [("q1", "2", "2.1"), ("q2", "3", "3.1")],
        ),
    ]


def test_a_table_may_leave_rows_out_that_the_figures_own_page_has(run: Run):
    sparse = {**MAPS, "at": {"checkpoint": 0, "head": 0}, "every": {"query": 2}}

    (part,) = tables([sparse], with_maps(run, 5), {})
    (whole,) = whole_tables([sparse], with_maps(run, 5), {})

    assert [row[0] for row in part.rows] == ["0", "2", "4"]
    assert [row[0] for row in whole.rows] == ["0", "1", "2", "3", "4"]


def test_a_table_may_wait_for_a_state(run: Run):
    both = [{"series": "loss", "rows": "step", "when": {"scaling": scaling}, "caption": scaling} for scaling in "ab"]

    found = [list(tables(both, run, state)) for state in ({"scaling": "a"}, {"scaling": "b", "t": 4}, {})]

    assert [[table.caption for table in some] for some in found] == [["A"], ["B"], []]


RECORDS: dict[str, object] = {
    "example": "phrases",
    "caption": "phrases",
    "cells": {"phrase": "words", "read": "hits", "whole": "whole", "year": "year"},
}


def test_an_example_gives_a_table_with_a_row_for_each_record(run: Run):
    phrases = [
        {"words": ["the", "car"], "hits": [True, False], "whole": False, "year": 1964, "more": 1},
        {"words": ["the", "lamp"], "hits": [True, True], "whole": True, "year": None},
    ]

    found = list(tables([RECORDS], replace(run, examples={"phrases": phrases}), {}))

    assert found == [
        Table(
            "Phrases",
            ("phrase", "read", "whole", "year"),
            [("the car", "1 of 2", "no", "1964"), ("the lamp", "2 of 2", "yes", "none")],
        )
    ]


def test_an_example_that_is_a_mapping_gives_a_row_for_each_number_and_dots_lead_to_a_part(run: Run):
    counted = replace(run, examples={"sizes": {"block": {"norm": 32, "heads": {"W_Q": 1024}}, "total": 0.5}})

    whole, part = tables([{"example": "sizes"}, {"example": "sizes.block", "caption": "one block"}], counted, {})

    assert whole == Table(
        "Sizes", ("name", "value"), [("block norm", "32"), ("block heads W_Q", "1024"), ("total", "0.5")]
    )
    assert part == Table("One block", ("name", "value"), [("norm", "32"), ("heads W_Q", "1024")])


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ({"phrase": []}, "has no example 'phrases' that is a list of records"),
        ({"phrases": ["the car"]}, "has no example 'phrases' that is a list of records"),
        ({"phrases": [{"words": "", "hits": [], "year": 1}]}, "has a record without 'whole' in its example 'phrases'"),
    ],
)
def test_a_run_needs_the_examples_that_its_kind_writes_out(
    examples: dict[str, object], message: str, run: Run, kind: FigureKind
):
    figure, messages = resolve(REF, replace(kind, tables=(RECORDS,)), replace(run, examples=examples))  # type: ignore[arg-type]

    assert figure is None
    assert messages == [f"run 'line-fit' {message}, which the kind 'trace' writes out"]


def test_the_kind_without_a_script_shows_a_baked_picture_and_all_metrics(run: Run):
    plain = assets.read(MINIMAL, []).kinds["baked-picture"]

    figure, messages = resolve(replace(REF, kind="baked-picture"), plain, run)
    none, told = resolve(replace(REF, kind="baked-picture"), plain, replace(run, metrics={}))

    assert messages == []
    assert figure is not None
    assert (figure.kind.script, figure.kind.template) == (None, figures.STILL)
    assert figure.tables == (
        Table("Metrics", ("metric", "value", "unit"), [("error", "0.0603", ""), ("slope", "1.94", "")]),
    )
    assert (none, told) == (None, ["run 'line-fit' has no metrics, which the kind 'baked-picture' writes out"])
