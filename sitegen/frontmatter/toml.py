"""One TOML text with its place in a file, to values that are of the types asked for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.frontmatter import advice
from sitegen.frontmatter.places import row_of, row_within
from sitegen.schema import Location

REQUIRED = object()
WORDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    date: "a date",
}
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_ESCAPE = re.compile(r"\\(?:u00|U000000|uFFF|b|f|e|x)")


class Key(Struct, frozen=True):
    """What a key may hold: its type (or one of several), its default, REQUIRED if there is none, and what it says."""

    types: type | tuple[type, ...]
    default: Any = REQUIRED
    doc: str = ""


class Toml(Struct, frozen=True):
    """TOML text with its place: `line` is where in the file at `path` the text begins. `values` are what it holds,
    where that is known from a larger text."""

    text: str
    path: str
    line: int = 1
    values: Mapping[str, Any] | None = None

    def at(self, needle: str = "", within: str = "") -> Location:
        """The first line that holds `needle` as a key, a table name or, failing that, as any text; or the line of a key
        of the table `within`."""
        row = 0
        if needle:
            lines = self.text.split("\n")
            row = (row_within(lines, within, needle) if within else row_of(lines, needle)) or 0
        return Location(self.path, self.line + row)

    def read(self) -> dict[str, Any]:
        """The parsed table; a mistake is raised with its line in the file."""
        if self.values is not None:
            return dict(self.values)
        try:
            values = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise self._syntax(str(error)) from None
        except (RecursionError, ValueError) as error:  # beyond what Python reads: brackets, digits of a number
            raise self._too_much(error) from None
        self._refuse_escapes(values)
        return values

    def _syntax(self, told: str) -> ContentError:
        place = _PLACE.search(told)
        lines = self.text.rstrip("\n").split("\n")
        row = int(place[1]) - 1 if place and place[1] else len(lines) - 1
        message, hint = advice.syntax(_PLACE.sub("", told), lines, row, self.line)
        return ContentError(message, at=Location(self.path, self.line + row), hint=hint)

    def _too_much(self, error: Exception) -> ContentError:
        deep = isinstance(error, RecursionError)
        lines = self.text.split("\n")
        row = max(range(len(lines)), key=lambda k: len(re.findall(r"[\[{]" if deep else r"\d", lines[k])))
        message = "this TOML is nested too deeply" if deep else "a number has too many digits"
        return ContentError(message, at=Location(self.path, self.line + row), hint="write it shorter")

    def _refuse_escapes(self, values: dict[str, Any]) -> None:
        """Characters that an escape made and that nobody meant: those no page can carry, and halves of commands."""
        lines = self.text.split("\n")
        if found := advice.command(lines, values):
            message = f"in double quotes {found[1][:2]} is an escape, so {found[1]} is no command of a formula"
            hint = rf"write \{found[1]}, or use 'single quotes'"
            raise ContentError(message, at=Location(self.path, self.line + found[0]), hint=hint)
        for text in advice.texts(values):
            if wrong := _CONTROL.search(text):
                row = next((k for k, line in enumerate(lines) if _ESCAPE.search(line)), 0)
                message = f"a string holds a control character, U+{ord(wrong[0]):04X}"
                hint = r"leave the escape away; a backslash in double quotes is written twice: \\"
                raise ContentError(message, at=Location(self.path, self.line + row), hint=hint)

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
        value = values[name]
        if is_of(value, key.types):
            if key.default is REQUIRED and isinstance(value, str) and not value.strip():
                errors.append(ContentError(f"{name!r} of {what} is empty", at=self.at(name)))
            return value
        at = self.at(name)
        wanted = " or ".join(WORDS[one] for one in _tuple(key.types))
        line = self.text.split("\n")[(at.line or self.line) - self.line]
        hint = advice.other_type(name, value, _tuple(key.types), line)
        errors.append(ContentError(f"{name!r} of {what} must be {wanted}", at=at, hint=hint))
        return _empty(key)


def is_of(value: Any, types: type | tuple[type, ...]) -> bool:
    """TOML's own view of types: true is no number, a whole number is also a number, a time of a day is no date."""
    kinds = _tuple(types)
    if isinstance(value, (bool, datetime)):
        return type(value) in kinds
    return isinstance(value, kinds) or (isinstance(value, int) and float in kinds)


def _tuple(types: type | tuple[type, ...]) -> tuple[type, ...]:
    return types if isinstance(types, tuple) else (types,)


def _empty(key: Key) -> Any:
    if key.default is not REQUIRED:
        return key.default
    return _tuple(key.types)[0]()
