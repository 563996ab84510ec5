"""Characters that no face of the site can draw: readers would see them in some other font, or as a box."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from html import unescape
from html.parser import HTMLParser

from sitegen.errors import CheckError
from sitegen.markdown import markers
from sitegen.markdown.walk import html_of
from sitegen.schema import Location, Site

Drawn = Mapping[str, frozenset[int]]  # "text", "code" or "math" -> code points that are drawn there
_FACES = {"math": "math", "code": "code", "pre": "code", "kbd": "code"}
_LISTED = 3  # characters of one line
_ITALIC = {ord("h"): 0x210E}  # the one italic letter that has its place elsewhere


def undrawn(
    site: Site, pages: Mapping[str, str], scripts: Mapping[str, tuple[str, str]], drawn: Drawn
) -> list[CheckError]:
    """What of a site's texts no face draws, all characters of a place where somebody wrote them at once.

    `pages`: path -> HTML, for what runs bring; `scripts`: path of its source -> (source, as it is published).
    """
    reader = _Reader(drawn)
    for html in html_of(site):
        reader.feed(markers.replace(html, _place))
        reader.reset()
    found = dict(reader.found)
    anywhere = frozenset().union(*drawn.values())
    for path, (source, published) in scripts.items():
        for sign in sorted(_strange(published, anywhere)):
            line = next((row for row, text in enumerate(source.split("\n"), 1) if sign in text), None)
            found[sign, Location(path, line)] = None
    told = {sign for sign, _ in found}
    for path, html in pages.items():
        for sign in sorted(_strange(unescape(html) if "&#" in html else html, anywhere) - told):
            line = html[: html.find(sign)].count("\n") + 1 if sign in html else None
            found[sign, Location(path, line)] = None
    at_one: dict[Location, list[str]] = {}
    for sign, at in found:
        at_one.setdefault(at, []).append(sign)
    return [_error(signs, at) for at, signs in at_one.items()]


def _strange(text: str, drawn: frozenset[int]) -> set[str]:
    return {sign for sign in set(text) if ord(sign) > 0x7E and ord(sign) not in drawn and not _unseen(sign)}


def _unseen(sign: str) -> bool:
    """Controls, joiners and selectors of variants: nothing that is drawn by itself."""
    return unicodedata.category(sign) in ("Cc", "Cf") or 0xFE00 <= ord(sign) <= 0xFE0F


def _error(signs: list[str], at: Location) -> CheckError:
    told = ", ".join(f"{sign!r} (U+{ord(sign):04X}, {_name(sign)})" for sign in signs[:_LISTED])
    more = f" and {len(signs) - _LISTED} more" if len(signs) > _LISTED else ""
    hint = "with system_fonts = true in content/site.toml the readers' own fonts may draw it; else write it otherwise"
    return CheckError(f"no face of the site draws {told}{more}", at=at, hint=hint)


def _name(sign: str) -> str:
    return unicodedata.name(sign, "a character without a name").lower()


def _place(marker: markers.Marker) -> str:
    return f"<!--{marker.at.path}|{marker.at.line or ''}-->" if marker.kind in ("line", "equation") else ""


class _Reader(HTMLParser):
    def __init__(self, drawn: Drawn) -> None:
        super().__init__(convert_charrefs=True)
        self.drawn = drawn
        self.at = Location("")
        self.open: list[str] = []  # elements with a face of their own
        self.letter = False  # inside of <mi>, where one letter alone is italic
        self.found: dict[tuple[str, Location], None] = {}

    def handle_comment(self, data: str) -> None:
        path, _, line = data.partition("|")
        self.at = Location(path, int(line) if line else None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.letter = tag == "mi"
        if tag in _FACES:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.letter = False
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for sign in self._shown(data):
            self.found[sign, self.at] = None

    def _shown(self, data: str) -> Iterator[str]:
        face = self.drawn[_FACES[self.open[-1]] if self.open else "text"]
        yield from sorted(_strange(data, face))
        if self.letter and len(data) == 1 and data.isascii() and data.isalpha() and _italic(data) not in face:
            yield chr(_italic(data))


def _italic(letter: str) -> int:
    base = 0x1D44E + ord(letter) - ord("a") if letter.islower() else 0x1D434 + ord(letter) - ord("A")
    return _ITALIC.get(ord(letter), base)
