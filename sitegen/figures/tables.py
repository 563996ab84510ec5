"""Series, examples and metrics as tables of words and numbers: what a screen reader and paper get."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from msgspec import Struct

from sitegen.errors import FigureError
from sitegen.formats import significant
from sitegen.schema import Json, Location, Run, Series, Table
from sitegen.values import index_of, select

MOST_CELLS = 300  # more than these are summed up, row by row

Declared = Iterable[Mapping[str, Any]]  # the `[[table]]`s of a figure kind


class _Part(Struct, frozen=True):
    """What one table shows: a series, its fixed coordinates, the axes of its rows and columns, and its caption."""

    series: Series
    here: Mapping[str, int]
    axes: Sequence[str]
    caption: str
    names: Mapping[str, Sequence[str]]  # axis -> what its coordinates are called
    every: Mapping[str, int]  # axis of the rows -> only each so-many-th

    def rows(self) -> Iterator[tuple[str, list[int | float]]]:
        axis = self.axes[0]
        for index in range(0, len(self.names[axis]), self.every.get(axis, 1)):
            yield self.names[axis][index], select(self.series, {**self.here, axis: index})


def tables(declared: Declared, run: Run, state: Mapping[str, Json]) -> Iterator[Table]:
    """The tables of a figure in this state. A series gives one for each combination of the axes that are neither fixed,
    rows nor columns; a large one is summed up. An example gives one, with a row for each record of a list or each
    number of a mapping; so do the metrics, with a row for each."""
    for table in _shown(declared, state):
        if "metrics" in table:
            yield _of_metrics(table, run)
        elif "example" in table:
            yield _of_example(table, run)
        else:
            for part in _parts(table, run, table.get("every", {})):
                yield _summary(part) if _cells(part) > MOST_CELLS else _full(part)


def whole_tables(declared: Declared, run: Run, state: Mapping[str, Json]) -> Iterator[Table]:
    """The same tables with every number, however many."""
    for table in _shown(declared, state):
        if "metrics" in table:
            yield _of_metrics(table, run)
        elif "example" in table:
            yield _of_example(table, run)
        else:
            yield from map(_full, _parts(table, run, {}))


def _shown(declared: Declared, state: Mapping[str, Json]) -> Iterator[Mapping[str, Any]]:
    for table in declared:
        if all(state.get(name) == value for name, value in table.get("when", {}).items()):
            yield table


# ----------------------------------------------------------------------------------------------------- series


def _parts(table: Mapping[str, Any], run: Run, every: Mapping[str, int]) -> Iterator[_Part]:
    series = run.series[table["series"]]
    names = {axis: _names(series.coordinates[axis], table.get("labels", {}).get(axis)) for axis in series.axes}
    axes = [table[key] for key in ("rows", "columns") if key in table]
    fixed = {axis: _index(series, axis, label) for axis, label in table.get("at", {}).items()}
    free = [axis for axis in series.axes if axis not in axes and axis not in fixed]
    title = _title(table, table["series"])
    for indices in product(*(range(len(series.coordinates[axis])) for axis in free)):
        here = fixed | dict(zip(free, indices, strict=True))
        where = [f"{_word(axis)} {names[axis][index]}" for axis, index in here.items()]
        yield _Part(series, here, axes, ", ".join([title, *where]), names, every)


def _names(labels: Sequence[int | float | str], given: str | list[str] | None) -> list[str]:
    """The coordinates as they are, by names, or by a pattern in which # is their number, counted from 1."""
    if isinstance(given, str):
        return [given.replace("#", str(k)) for k in range(1, len(labels) + 1)]
    return [*(given or ()), *map(significant, labels[len(given or ()) :])]


def _title(table: Mapping[str, Any], name: str) -> str:
    title = table.get("caption") or _word(name)
    return f"{title[0].upper()}{title[1:]}"


def _word(name: str) -> str:
    return name.replace("_", " ")


def _index(series: Series, axis: str, label: object) -> int:
    try:
        return index_of(series, axis, label, Location(""))
    except FigureError:
        return len(series.coordinates[axis]) - 1  # a run without that coordinate shows its last


def _cells(part: _Part) -> int:
    return len(select(part.series, part.here)) // part.every.get(part.axes[0], 1)


def _full(part: _Part) -> Table:
    if len(part.axes) == 1:
        rows = [(name, significant(values[0])) for name, values in part.rows()]
        return Table(part.caption, (_word(part.axes[0]), "value"), rows)
    head = (f"{_word(part.axes[0])} by {_word(part.axes[1])}", *part.names[part.axes[1]])
    return Table(part.caption, head, [(name, *map(significant, row)) for name, row in part.rows()])


def _summary(part: _Part) -> Table:
    """Per row the largest entry and where it is; a single long row is cut into stretches."""
    if len(part.axes) == 1:
        return _stretches(part)
    across, columns = _word(part.axes[0]), _word(part.axes[1])
    rows = []
    for name, row in part.rows():
        peak = max(range(len(row)), key=row.__getitem__)
        numbers = (row[peak], min(row), math.fsum(row) / len(row))
        rows.append((name, part.names[part.axes[1]][peak], *map(significant, numbers)))
    head = (across, f"{columns} of the largest", "largest", "least", "mean")
    return Table(f"{part.caption}: summed up for each {across}", head, rows)


def _stretches(part: _Part) -> Table:
    names, values = zip(*((name, row[0]) for name, row in part.rows()), strict=True)
    size = math.ceil(len(values) / 20)
    rows = []
    for start in range(0, len(values), size):
        stretch = values[start : start + size]
        numbers = (min(stretch), math.fsum(stretch) / len(stretch), max(stretch))
        rows.append((f"{names[start]} to {names[start + len(stretch) - 1]}", *map(significant, numbers)))
    return Table(f"{part.caption}: in stretches", (_word(part.axes[0]), "least", "mean", "largest"), rows)


# ---------------------------------------------------------------------------------------- metrics and examples


def _of_metrics(table: Mapping[str, Any], run: Run) -> Table:
    rows = [(_word(name), significant(one.value), one.unit or "") for name, one in run.metrics.items()]
    return Table(_title(table, "metrics"), ("metric", "value", "unit"), rows)


def _of_example(table: Mapping[str, Any], run: Run) -> Table:
    """One row a record, `cells` says under which heading which of its members stands; or one row a number, by name."""
    name, cells = table["example"], table.get("cells")
    found: Any = _example(name, run)
    if cells:
        rows = [tuple(_cell(record[member]) for member in cells.values()) for record in found]
        return Table(_title(table, name), tuple(cells), rows)
    return Table(_title(table, name), ("name", "value"), list(_numbers(found)))


def _example(name: str, run: Run) -> Json:
    """An example, or by dots a part of it; None if there is none."""
    found: Any = run.examples
    for key in name.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found  # type: ignore[no-any-return]


def _numbers(found: Mapping[str, Any], way: str = "") -> Iterator[tuple[str, str]]:
    """Each number of a mapping, in its order, by the names that lead to it."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from _numbers(value, f"{way}{name} ")
        else:
            yield f"{way}{name}", _cell(value)


def _cell(value: Json) -> str:
    if isinstance(value, list):
        if value and all(isinstance(one, bool) for one in value):
            return f"{value.count(True)} of {len(value)}"
        return " ".join(map(_cell, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else significant(value)


def problems(table: Mapping[str, Any], run: Run) -> Iterator[tuple[str, Iterable[str]]]:
    """What a run lacks for a table of an example or of metrics: a message, and the names that it has instead."""
    if "metrics" in table and not run.metrics:
        yield "has no metrics", ()
    name = table.get("example")
    if name is None:
        return
    records = _example(name, run)
    if "cells" not in table:
        if not isinstance(records, dict):
            yield f"has no example {name!r} that is a mapping of numbers", run.examples
        return
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        yield f"has no example {name!r} that is a list of records", run.examples
        return
    for member in table["cells"].values():
        if without := [record for record in records if member not in record]:
            yield f"has a record without {member!r} in its example {name!r}", without[0]
