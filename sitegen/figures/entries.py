"""What a figure kind declares of its state, its options and the words of its tables: is it of the right type?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, time
from itertools import islice
from typing import Any

from sitegen.errors import SitegenError, ThemeError, nearest
from sitegen.frontmatter import Toml, is_of
from sitegen.schema import Location

ENTRY = {
    "type": "what it may be, one of the types below",
    "axis": "the axis of a series it ranges over",
    "default": "`first`, `last` or a value; a state needs one",
    "min": "the least number",
    "max": "the greatest number",
    "values": "what a choice may be",
    "pattern": "what a text must match as a whole: a regular expression that Python and JavaScript read alike",
    "members": "the names of a record's members",
}
TYPES = {
    "checkpoint": "a label of the axis",
    "integer": "a whole number",
    "number": "any number",
    "choice": "one of `values`",
    "digits": "a string of digits",
    "text": "a string",
    "truth": "true or false",
    "records": "tables that an author writes as `[[options.name]]`: strings, or lists of strings, by name",
}

_QUOTED = 'write it as a text, in quotes: "2026-01-31"'


def entry_errors(part: str, key: str, entry: Any, series: Mapping[str, Any], toml: Toml) -> list[SitegenError]:
    """What is wrong with one `[state.t]` or `[options.head]`."""
    at = toml.at(key)
    if not isinstance(entry, dict):
        return [ThemeError(f"{part}.{key} must be a table", at=at, hint=f"write [{part}.{key}]")]
    found: list[SitegenError] = [
        ThemeError(f"{part}.{key} has no key {wrong!r}", at=at, hint=nearest(wrong, ENTRY))
        for wrong in sorted(entry.keys() - set(ENTRY))
    ]
    dates: list[SitegenError] = [
        ThemeError(f"{part}.{key}: its {name} holds {spelled}, which a page's data cannot", at=at, hint=_QUOTED)
        for name in sorted(entry)
        for spelled in islice(_dates(entry[name]), 1)
    ]
    if dates:
        return dates
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        found.append(ThemeError(f"{part}.{key} has no type {kind!r}", at=at, hint=nearest(str(kind), TYPES)))
        kind = None
    if kind == "choice" and not isinstance(entry.get("values"), list):
        found.append(ThemeError(f"{part}.{key} is a choice without values", at=at, hint='add values = ["one", "two"]'))
    if "pattern" in entry and (problem := _pattern_problem(entry)):
        found.append(ThemeError(f"{part}.{key}: its pattern {problem}", at=at, hint='write pattern = "[0-9]*"'))
    if kind == "records":
        found += _record_errors(part, key, entry, at)
    axes = {axis for one in series.values() if isinstance(one, list) for axis in one if isinstance(axis, str)}
    if not isinstance(entry.get("axis", ""), str):
        hint: str | None = 'write axis = "step"'
        found.append(ThemeError(f"{part}.{key}: its axis must be a string", at=at, hint=hint))
    elif kind == "checkpoint" and "axis" in entry and entry["axis"] not in axes:
        hint = nearest(str(entry["axis"]), axes)
        found.append(ThemeError(f"{part}.{key}: no series has the axis {entry['axis']!r}", at=at, hint=hint))
    if part == "state" and "default" not in entry:
        found.append(ThemeError(f"{part}.{key} needs a default", at=at, hint='add default = "last", or a value'))
    found += (
        ThemeError(f"{part}.{key}: its {name} {problem}", at=at, hint=hint)
        for name in ("min", "max", "default")
        if name in entry and kind and kind != "records"
        for problem, hint in _value_problems(entry, name)
    )
    return found


def _dates(value: Any) -> Iterator[str]:
    """What of a TOML value has no JSON."""
    if isinstance(value, (date, time)):
        yield f"the {'time' if isinstance(value, time) else 'date'} {value}"
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _dates(one)


def _pattern_problem(entry: Mapping[str, Any]) -> str | None:
    if entry.get("type") != "text":
        return "is for a text alone"
    try:
        pattern = re.compile(entry["pattern"])
    except (re.error, TypeError):
        return "is no regular expression"
    default = entry.get("default")
    return "does not match its default" if isinstance(default, str) and not pattern.fullmatch(default) else None


def _record_errors(part: str, key: str, entry: Mapping[str, Any], at: Location) -> Iterator[ThemeError]:
    """Records are tables that an author writes, so they are options; nothing stands for them where none are written."""
    if part == "state" or "default" in entry:
        message = f"{part}.{key}: records are options that the author writes, without a default"
        yield ThemeError(message, at=at, hint=f"write [options.{key}] without default")
    members = entry.get("members")
    if not isinstance(members, list) or not members or not all(isinstance(one, str) for one in members):
        yield ThemeError(f"{part}.{key}: records need the names of their members", at=at,
                         hint='add members = ["name", "text"]')  # fmt: skip


def record_problems(name: str, entry: Mapping[str, Any], value: Any) -> Iterator[tuple[str, str | None]]:
    """What is wrong with the records that an author wrote for an option, and the way out: each has every member, a
    string or a list of strings."""
    if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
        yield f"option {name} must be a list of tables", f"write [[options.{name}]] for each"
        return
    for number, record in enumerate(value, 1):
        for wrong in sorted(record.keys() - set(entry["members"])):
            yield f"record {number} of {name} has no member {wrong!r}", nearest(wrong, entry["members"])
        for member in entry["members"]:
            one = record.get(member)
            if one is None:
                yield f"record {number} of {name} lacks its {member}", f'add {member} = "words"'
            elif not (isinstance(one, str) or (isinstance(one, list) and all(isinstance(word, str) for word in one))):
                yield f"{member} of record {number} of {name} must be words", "write a string, or a list of strings"


def _value_problems(entry: Mapping[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """What is wrong with a bound or a default, and the way out."""
    kind, value = entry["type"], entry[name]
    number = is_of(value, float) and (isinstance(value, int) or math.isfinite(value))
    whole = number and isinstance(value, int)
    if name != "default":
        if not number:
            yield "must be a number", f"write {name} = 10"
    elif kind == "truth":
        if not isinstance(value, bool):
            yield "must be true or false", "write default = false"
    elif kind in ("text", "digits"):
        if not isinstance(value, str):
            yield "must be a string", "put it in quotes"
    elif kind == "choice":
        values = entry.get("values")
        if isinstance(values, list) and value not in values:
            yield "is none of its values", nearest(str(value), map(str, values)) or "add values"
    elif kind == "checkpoint":
        if not (number or isinstance(value, str)):
            yield "must be a checkpoint", 'write default = "last"'
    elif not (whole if kind == "integer" else number) and not ("axis" in entry and value in ("first", "last")):
        what = "a whole number" if kind == "integer" else "a number"
        yield f"must be {what}", 'write default = 0; "first" and "last" need an axis'


def word_errors(table: Mapping[str, Any], at: Location) -> Iterator[ThemeError]:
    """What in one `[table]` should be words and is not."""
    for key in ("caption", "columns", "example", "rows", "series"):
        if not isinstance(table.get(key, ""), str) or (key == "example" and table.get(key) == ""):
            yield ThemeError(f"the {key} of a table must be a string", at=at, hint=f'write {key} = "words"')
    for heading, member in table.get("cells", {}).items():
        if not isinstance(member, str):
            yield ThemeError(f"the cell {heading!r} of a table must be a string", at=at, hint="name a member")
    for axis, names in table.get("labels", {}).items():
        if isinstance(names, list) and not all(isinstance(one, str) for one in names):
            yield ThemeError(f"the labels of {axis!r} must be strings", at=at, hint="put them in quotes")
