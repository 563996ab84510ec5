"""A series as tables of words and numbers: what a screen reader and paper get."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from sitegen.errors import FigureError
from sitegen.schema import Location, Run, Series, Table
from sitegen.values import index_of, select, significant

MOST_CELLS = 300  # more than these are summed up, row by row


def tables(table: Mapping[str, Any], run: Run) -> Iterator[Table]:
    """`table` is that of a figure kind: series, at (fixed coordinates), rows, columns, caption.

    One table for each combination of the axes that are neither fixed, rows nor columns; a large one is summed up.
    """
    for series, here, axes, caption in _parts(table, run):
        make = _summary if len(select(series, here)) > MOST_CELLS else _full
        yield make(series, here, axes, caption)


def whole_tables(table: Mapping[str, Any], run: Run) -> Iterator[Table]:
    """The same tables with every number, however many."""
    for series, here, axes, caption in _parts(table, run):
        yield _full(series, here, axes, caption)


def _parts(table: Mapping[str, Any], run: Run) -> Iterator[tuple[Series, dict[str, int], list[str], str]]:
    """What each table shows: the series, its fixed coordinates, the axes of its rows and columns, and its caption."""
    series = run.series[table["series"]]
    axes = [table[key] for key in ("rows", "columns") if key in table]
    fixed = {axis: _index(series, axis, label) for axis, label in table.get("at", {}).items()}
    free = [axis for axis in series.axes if axis not in axes and axis not in fixed]
    title = table.get("caption") or table["series"].replace("_", " ")
    for indices in product(*(range(len(series.coordinates[axis])) for axis in free)):
        here = fixed | dict(zip(free, indices, strict=True))
        where = [f"{axis} {significant(series.coordinates[axis][index])}" for axis, index in here.items()]
        yield series, here, axes, ", ".join([f"{title[0].upper()}{title[1:]}", *where])


def _index(series: Series, axis: str, label: object) -> int:
    try:
        return index_of(series, axis, label, Location(""))
    except FigureError:
        return len(series.coordinates[axis]) - 1  # a run without that coordinate shows its last


def _full(series: Series, here: Mapping[str, int], axes: list[str], caption: str) -> Table:
    labels = [series.coordinates[axis] for axis in axes]
    if len(axes) == 1:
        values = select(series, here)
        rows = [(significant(label), significant(value)) for label, value in zip(labels[0], values, strict=True)]
        return Table(caption, (axes[0], "value"), rows)
    head = (f"{axes[0]} by {axes[1]}", *(significant(label) for label in labels[1]))
    return Table(caption, head, [(name, *map(significant, row)) for name, row in _rows(series, here, axes)])


def _summary(series: Series, here: Mapping[str, int], axes: list[str], caption: str) -> Table:
    """Per row the largest entry and where it is; a single long row is cut into stretches."""
    if len(axes) == 1:
        return _stretches(series, here, axes[0], caption)
    columns = series.coordinates[axes[1]]
    rows = []
    for name, row in _rows(series, here, axes):
        peak = max(range(len(row)), key=row.__getitem__)
        numbers = (row[peak], min(row), math.fsum(row) / len(row))
        rows.append((name, significant(columns[peak]), *map(significant, numbers)))
    return Table(
        f"{caption}: largest entry of each row",
        (axes[0], f"{axes[1]} of the largest", "largest", "least", "mean"),
        rows,
    )


def _stretches(series: Series, here: Mapping[str, int], axis: str, caption: str) -> Table:
    values, labels = select(series, here), series.coordinates[axis]
    size = math.ceil(len(values) / 20)
    rows = []
    for start in range(0, len(values), size):
        part = values[start : start + size]
        name = f"{significant(labels[start])} to {significant(labels[start + len(part) - 1])}"
        rows.append((name, *map(significant, (min(part), math.fsum(part) / len(part), max(part)))))
    return Table(f"{caption}: in stretches", (axis, "least", "mean", "largest"), rows)


def _rows(series: Series, here: Mapping[str, int], axes: list[str]) -> Iterator[tuple[str, list[int | float]]]:
    for index, label in enumerate(series.coordinates[axes[0]]):
        values = select(series, {**here, axes[0]: index})
        yield significant(label), values
