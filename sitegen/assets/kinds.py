"""The text of a figure.toml to a figure kind, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from sitegen.errors import SitegenError, ThemeError, nearest
from sitegen.figures import STILL
from sitegen.figures.entries import entry_errors, word_errors
from sitegen.frontmatter import Key, Toml
from sitegen.schema import FigureKind, Location

KIND = {
    "run": Key(bool, None, "Whether it needs a run; else it does if it names series."),
    "replays": Key(bool, True, "False if its script draws from what the build wrote, so that no run is fetched."),
    "series": Key(dict, {}, 'What the run must have, with its axes: `loss = ["step"]`.'),
    "state": Key(dict, {}, "One table a state: what readers and steps may change."),
    "options": Key(dict, {}, "One table an option: what authors may set."),
    "table": Key((dict, list), [], "The same numbers in words; one table, or several as `[[table]]`."),
}
TABLE = {
    "series": ("at", "caption", "columns", "every", "labels", "rows", "series", "when"),
    "example": ("caption", "cells", "example", "when"),
    "metrics": ("caption", "metrics", "when"),
}


@lru_cache(maxsize=4096)
def kind_of_text(name: str, text: str, files: frozenset[str]) -> tuple[FigureKind | None, tuple[SitegenError, ...]]:
    """A kind by its figure.toml and the files that lie beside it, and what is wrong with it."""
    folder = f"figures/{name}"
    toml = Toml(text, f"templates/{folder}/figure.toml")
    here: list[SitegenError] = []
    values = toml.fields(KIND, "a figure kind", here)
    for series, axes in values["series"].items():
        if not _are_names(axes):
            here.append(
                ThemeError(f"series {series!r} needs its axes", at=toml.at(series), hint='write loss = ["step"]')
            )
    for part in ("state", "options"):
        for key, entry in values[part].items():
            here += entry_errors(part, key, entry, values["series"], toml)
    here += _script_errors(folder, values, files, toml)
    tables = values["table"] if isinstance(values["table"], list) else [values["table"]]
    for number, table in enumerate(tables):
        here += _table_errors(table, values, _line_of_table(toml, number))
    if here:
        return None, tuple(ThemeError(one.message, at=one.at, hint=one.hint) for one in here)
    kind = FigureKind(
        name=name,
        series={key: tuple(axes) for key, axes in values["series"].items()},
        state=values["state"],
        options=values["options"],
        tables=tuple(tables),
        needs_run=bool(values["series"]) if values["run"] is None else values["run"],
        template=f"{folder}/figure.html.j2" if f"{folder}/figure.html.j2" in files else STILL,
        script=f"{folder}/figure.js" if f"{folder}/figure.js" in files else None,
        style=sheets(folder, files)[1],
        replays=values["replays"],
        at=toml.at(),
    )
    return kind, ()


def _are_names(axes: object) -> bool:
    return isinstance(axes, list) and all(isinstance(axis, str) for axis in axes)


def _script_errors(folder: str, kind: Mapping[str, Any], files: Collection[str], toml: Toml) -> Iterator[ThemeError]:
    """What only a script does, in a folder without one."""
    if f"{folder}/figure.js" in files:
        return
    if kind["state"]:
        hint = "add it, or leave [state] out: the build draws a figure without states"
        yield ThemeError("there is no figure.js to show the states of this kind", at=toml.at("state"), hint=hint)
    elif f"{folder}/figure.css" in files and f"{folder}/figure.html.j2" not in files:
        hint = "add it, or what the sheet is for: figure.html.j2"
        yield ThemeError("there is no figure.js that figure.css comes with", at=toml.at(), hint=hint)


def _line_of_table(toml: Toml, number: int) -> Location:
    """Where the `[table]`, or the so-many-th `[[table]]`, begins."""
    lines = [k for k, line in enumerate(toml.text.split("\n")) if re.match(r"\s*\[+\s*table\s*\]", line)]
    return Location(toml.path, toml.line + lines[number]) if number < len(lines) else toml.at("table")


def _table_errors(table: Any, kind: Mapping[str, Any], at: Location) -> Iterator[SitegenError]:
    """What is wrong with one `[table]`: it shows a series, by its axes, an example of the run, or its metrics."""
    shown = [what for what in TABLE if isinstance(table, dict) and what in table]
    if len(shown) != 1:
        hint = 'write series = "loss", or metrics = true'
        yield ThemeError("a table shows a series, an example or the metrics", at=at, hint=hint)
        return
    known = TABLE[shown[0]]
    if table.get("metrics", True) is not True:
        yield ThemeError("metrics of a table is true or is not written", at=at, hint="write metrics = true")
    for wrong in sorted(table.keys() - set(known)):
        yield ThemeError(f"table has no key {wrong!r}", at=at, hint=nearest(wrong, known))
    for key in ("at", "cells", "every", "labels", "when"):
        if not isinstance(table.get(key, {}), dict):
            yield ThemeError(f"{key} of a table is a table itself", at=at, hint=f"write {key} = {{ … = … }}")
            return
    for name in table.get("when", {}):
        if name not in kind["state"]:
            yield ThemeError(f"table: this kind has no state {name!r}", at=at, hint=nearest(name, kind["state"]))
    yield from word_errors(table, at)
    if "series" in table:
        yield from _axis_errors(table, kind["series"], at)


def _axis_errors(table: Mapping[str, Any], series: Mapping[str, Any], at: Location) -> Iterator[SitegenError]:
    name = str(table["series"])
    if name not in series:
        near = nearest(name, series)
        hint = f"{near}; or add it" if near else "add it"
        hint += f' to [series], with its axes: {name} = ["step"]'
        yield ThemeError(f"table shows {name!r}, which is no series of this kind", at=at, hint=hint)
        return
    if not _are_names(series[name]):
        return  # told with the series
    named = [axis for key in ("at", "every", "labels") for axis in table.get(key, {})]
    for axis in [*named, *(table[key] for key in ("rows", "columns") if key in table)]:
        if axis not in series[name]:
            yield ThemeError(f"table: {name!r} has no axis {axis!r}", at=at, hint=nearest(str(axis), series[name]))
    if "rows" not in table:
        yield ThemeError("table needs its rows", at=at, hint='write rows = "query", an axis of the series')
    for axis, given in table.get("labels", {}).items():
        if not (isinstance(given, list) or (isinstance(given, str) and "#" in given)):
            hint = f'write labels = {{ {axis} = "k#" }}, where # is the number, or a list of names'
            yield ThemeError(f"the labels of {axis!r} are neither a pattern nor a list", at=at, hint=hint)
    for axis, step in table.get("every", {}).items():
        if axis != table.get("rows") or type(step) is not int or step < 1:
            yield ThemeError("every leaves out rows only", at=at, hint="write every = { query = 10 }")


def sheets(folder: str, files: Collection[str]) -> tuple[str | None, str | None]:
    """A kind's sheet that is part of the page's, and the one that comes with its script: still.css and figure.css. What
    the build draws stands without a script, so without a still.css its figure.css is the page's."""
    still, own = (name if name in files else None for name in (f"{folder}/still.css", f"{folder}/figure.css"))
    if not still and f"{folder}/figure.html.j2" in files:
        return own, None
    return still, own
