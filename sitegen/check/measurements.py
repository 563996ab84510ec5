"""Which numbers of the prose come from a run, are cited, are given, and which were merely typed."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from msgspec import Struct

from sitegen.errors import CheckError
from sitegen.markdown import markers
from sitegen.markdown.walk import html_of
from sitegen.schema import Location, Site

# A decimal or a percentage, but no address (10.1038/…), version (1.2.3), section (§11.4) or licence (BY-SA 4.0).
_NUMBER = re.compile(r"(?<![\w./])(?:\d[\d,]*\.\d+(?![\d.]*[\w/])|\d[\d,]*(?:\.\d+)?(?=\s?(?:%|per cent)))")
_NAMED = re.compile(r"(?:§|\b(?:version|section|chapter|figure|table|BY|BY(?:-[A-Z]{2})+))\s*$", re.IGNORECASE)
_MARKED = frozenset(("cited", "given", "number"))  # "number": of a figure or a formula
_SILENT = frozenset(("code", "math", "pre", "script", "style", "table"))


class Measurements(Struct, frozen=True):
    """`findings` are the hand-typed ones."""

    measured: int
    cited: int
    given: int
    findings: tuple[CheckError, ...]


def measurements(site: Site) -> Measurements:
    reader = _Reader()
    for html in html_of(site):
        reader.feed(markers.replace(html, _comment))
        reader.reset()
    return Measurements(reader.measured, reader.cited, reader.given, tuple(reader.findings))


def _comment(marker: markers.Marker) -> str:
    if marker.kind == "cited":
        return '<a class="cited">'
    return f"<!--{marker.kind}|{marker.at.path}|{marker.at.line or ''}-->" if marker.kind in ("line", "value") else ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.measured = self.cited = self.given = 0
        self.findings: list[CheckError] = []
        self.at = Location("")
        self.silent: list[str] = []  # open elements in which numbers may stand

    def handle_comment(self, data: str) -> None:
        kind, path, line = data.split("|")
        self.measured += kind == "value"
        self.at = Location(path, int(line) if line else None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        self.cited += "cited" in classes
        self.given += "given" in classes
        if self.silent or tag in _SILENT or (tag in ("a", "span") and _MARKED.intersection(classes)):
            self.silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        for number in _NUMBER.finditer(data):
            if not _NAMED.search(data[: number.start()]):
                hint = "take it from a run with {run}`…`, or mark it: [0.88]{.cited key=source}, [0.5]{.given}"
                self.findings.append(CheckError(f"the number {number[0]} was typed by hand", at=self.at, hint=hint))
