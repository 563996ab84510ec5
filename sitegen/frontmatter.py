"""TOML to checked values: front matter between `+++`, site.toml, chapter.toml, figure.toml, bodies of directives.

Every mistake keeps its line in the file, also where the TOML starts in the middle of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.schema import Location

REQUIRED = object()
_WORDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    date: "a date",
}
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Key:
    """What a key may hold: its type (or one of several) and its default, REQUIRED if there is none."""

    types: type | tuple[type, ...]
    default: Any = REQUIRED


@dataclass(frozen=True, slots=True)
class Toml:
    """TOML text with its place: `line` is where in the file at `path` the text begins."""

    text: str
    path: str
    line: int = 1

    def at(self, needle: str = "") -> Location:
        """The first line that holds `needle` as a key, a table name or, failing that, as any text."""
        lines = self.text.split("\n")
        key = re.compile(rf"\s*(?:\[+\s*(?:[\w-]+\.)*)?[\"']?{re.escape(needle)}[\"']?\s*[=.\]]")
        for k, line in enumerate(lines):
            if needle and key.match(line):
                return Location(self.path, self.line + k)
        for k, line in enumerate(lines):
            if needle and needle in line:
                return Location(self.path, self.line + k)
        return Location(self.path, self.line)

    def read(self) -> dict[str, Any]:
        """The parsed table; a syntax error is raised with its line in the file."""
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message = str(error)
            place = _PLACE.search(message)
            last = len(self.text.rstrip("\n").split("\n"))
            row = int(place[1]) if place and place[1] else last
            what = _PLACE.sub("", message)
            raise ContentError(
                f"this TOML cannot be read: {what[0].lower()}{what[1:]}",
                at=Location(self.path, self.line + row - 1),
                hint='write key = "text", key = 0.5 or key = [1, 2]; strings need quotes',
            ) from None

    def fields(self, keys: Mapping[str, Key], what: str, errors: list[SitegenError]) -> dict[str, Any]:
        """Every key of `keys` with its value or default; mistakes are added to `errors`."""
        try:
            values = self.read()
        except ContentError as error:
            errors.append(error)
            return {name: _empty(key) for name, key in keys.items()}
        for name in values.keys() - keys.keys():
            errors.append(ContentError(f"{what} has no key {name!r}", at=self.at(name), hint=nearest(name, keys)))
        return {name: self._field(name, key, values, what, errors) for name, key in keys.items()}

    def _field(self, name: str, key: Key, values: Mapping[str, Any], what: str, errors: list[SitegenError]) -> Any:
        if name not in values:
            if key.default is REQUIRED:
                errors.append(ContentError(f"{what} needs {name!r}", at=self.at(), hint=f"add {name} = …"))
            return _empty(key)
        if is_of(values[name], key.types):
            return values[name]
        wanted = " or ".join(_WORDS[one] for one in _tuple(key.types))
        errors.append(ContentError(f"{name!r} of {what} must be {wanted}", at=self.at(name)))
        return _empty(key)


def decoded(data: bytes, path: str) -> str:
    """The text of a file with line ends of one kind; bytes that are not UTF-8 are raised with their line."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        at = Location(path, error.object[: error.start].count(b"\n") + 1)
        raise ContentError("the file is not UTF-8", at=at, hint="save it as UTF-8") from None


def is_of(value: Any, types: type | tuple[type, ...]) -> bool:
    """TOML's own view of types: true is no number, a whole number is also a number, a time of a day is no date."""
    kinds = _tuple(types)
    if isinstance(value, (bool, datetime)):
        return type(value) in kinds
    return isinstance(value, kinds) or (isinstance(value, int) and float in kinds)


def split(text: str, path: str) -> tuple[Toml, str, int]:
    """Text of a Markdown file to its front matter, its body and the line on which the body begins."""
    lines = text.split("\n")
    if lines[0].rstrip() != "+++":
        hint = "begin the file with +++, then TOML, then +++"
        if lines[0].rstrip() == "---":
            hint = "front matter is TOML between +++ and +++, not YAML between ---"
        raise ContentError("the file has no front matter", at=Location(path, 1), hint=hint)
    for k, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "+++":
            return Toml("\n".join(lines[1:k]), path, 2), "\n".join(lines[k + 1 :]), k + 2
    raise ContentError("the front matter is not closed", at=Location(path, 1), hint="add a line +++ behind it")


def strings(value: str | Sequence[Any], name: str, toml: Toml, errors: list[SitegenError]) -> tuple[str, ...]:
    """A string or a list of strings as a tuple."""
    if isinstance(value, str):
        return (value,)
    if wrong := [one for one in value if not isinstance(one, str)]:
        errors.append(ContentError(f"{name!r} must hold strings, not {wrong[0]!r}", at=toml.at(name)))
    return tuple(one for one in value if isinstance(one, str))


def _tuple(types: type | tuple[type, ...]) -> tuple[type, ...]:
    return types if isinstance(types, tuple) else (types,)


def _empty(key: Key) -> Any:
    if key.default is not REQUIRED:
        return key.default
    return _tuple(key.types)[0]()
