"""Markers: places in rendered HTML that wait for something the Markdown alone does not know.

A marker stands between NUL characters, which Markdown text cannot contain, so no author's text can pass for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from msgspec import Struct

from sitegen.schema import Location

_MARKER = re.compile("\x00([a-z]+)\x1f([^\x00]*)\x00")


class Marker(Struct, frozen=True):
    """`kind` is value | figure | quote | cite | cited | references | media | root | line | term | ref | equation.

    `arguments` are its text, `at` is its place.
    """

    kind: str
    arguments: tuple[str, ...]
    at: Location

    def __str__(self) -> str:
        return "\x00" + "\x1f".join((self.kind, self.at.path, str(self.at.line or ""), *self.arguments)) + "\x00"


ROOT = str(Marker("root", (), Location("")))  # the way from whichever page it stands on to the root of the site


def markers(html: str, kinds: Collection[str] | None = None) -> Iterator[Marker]:
    """Those of some kinds, or all."""
    return (_read(found) for found in _MARKER.finditer(html) if kinds is None or found[1] in kinds)


def replace(html: str, by: Callable[[Marker], str]) -> str:
    """`html` with every marker replaced by what `by` gives for it."""
    return _MARKER.sub(lambda found: by(_read(found)), html)


def without(html: str, *kinds: str) -> str:
    """`html` without the markers of some kinds."""
    return _MARKER.sub(lambda found: "" if found[1] in kinds else found[0], html)


def only(html: str, *kinds: str) -> str:
    """`html` without the markers of other kinds."""
    return _MARKER.sub(lambda found: found[0] if found[1] in kinds else "", html)


def _read(found: re.Match[str]) -> Marker:
    path, line, *arguments = found[2].split("\x1f")
    return Marker(found[1], tuple(arguments), Location(path, int(line) if line else None))
