"""HTML to what the checks ask of it: ids, links, headings, pictures, figures and the size of each part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape

_ROWS = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL)
# What a browser takes for text, not for elements.
_TEXT = re.compile(r"(?<=<!--).*?(?=-->)|(<(?P<raw>script|style)\b[^>]*>)(?P<text>.+?)(?=</(?P=raw)\s*>)", re.DOTALL)
# An opening tag that counts, or that has attributes, and not one alone that nothing is asked of; of closing tags only
# those whose elements count.
_TAG = re.compile(
    r"<(?:((?i:h[1-6]|img|table|section|figure))(?=[\s>])|(?![a-z]+ (?:class|scope)=\"[^\"]*\">)[a-zA-Z][^\s/>]*(?=\s))"
    r"((?:\s[^>\"']*(?:(?:\"[^\"]*\"|'[^']*')[^>\"']*)*)?)>|</(section|figure)>",
)
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?")
_ASKED = re.compile(r"\b(?:id|href|src|alt|aria-label\w*|data-(?:run|weights|script|style))\s*=", re.IGNORECASE)
_ELEMENT = re.compile(r"<[a-zA-Z]")
_LINKS = ("href", "src", "data-run", "data-weights", "data-script", "data-style")


@dataclass(slots=True)
class FigureParts:
    line: int
    identity: str
    kind: str = ""
    has_words: bool = False  # a table, in which the same numbers stand
    described: bool = False  # an alternative text on a picture, or a label on a drawing


@dataclass(slots=True)
class Outline:
    """Lines are lines of the HTML. `acts`: id of an act -> its elements."""

    ids: list[tuple[str, int]] = field(default_factory=list)
    links: list[tuple[str, int]] = field(default_factory=list)  # href of a, and what else a page loads
    headings: list[tuple[int, int]] = field(default_factory=list)
    bare_images: list[tuple[str, int]] = field(default_factory=list)
    figures: list[FigureParts] = field(default_factory=list)
    brought: dict[str, list[str]] = field(default_factory=dict)  # act, or figure outside of acts -> scripts and sheets
    acts: dict[str, int] = field(default_factory=dict)


def without_rows(html: str) -> str:
    """A page whose tables are empty, every line where it was: rows of numbers lead nowhere and are long to read."""
    return _ROWS.sub(lambda rows: "\n" * rows[0].count("\n"), html)


def outline(html: str) -> Outline:
    if "<!--" in html or "<style" in html or "<script>" in html:
        html = _TEXT.sub(_lines_alone, html)
    reader = _Reader(html)
    for tag in _TAG.finditer(html):
        reader.meet(tag)
    return reader.found


def _lines_alone(text: re.Match[str]) -> str:
    return (text[1] or "") + "\n" * text[0].count("\n")


@lru_cache(8192)  # most tags of a page stand on the next one, too
def _given(attributes: str) -> Mapping[str, str]:
    given = {name.lower(): one or two or three for name, one, two, three in _ATTRIBUTE.findall(attributes)}
    return {name: unescape(value) for name, value in given.items()} if "&" in attributes else given


class _Reader:
    """Takes well-formed HTML: an act, or a figure, ends where as many of its kind were closed as opened in it."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.found = Outline()
        self.line, self.counted = 1, 0
        self.act: tuple[str, int] | None = None  # its id, and where it begins
        self.figure: FigureParts | None = None
        self.depth = {"section": 0, "figure": 0}  # within the act, and within the figure

    def meet(self, tag: re.Match[str]) -> None:
        counted, attributes, closed = tag.groups()
        if closed:
            self._close(closed, tag.end())
        elif counted or _ASKED.search(attributes):
            self._open((counted or "").lower(), attributes, tag.start())

    def _open(self, tag: str, attributes: str, start: int) -> None:
        self.line += self.html.count("\n", self.counted, start)
        self.counted = start
        found, line = self.found, self.line
        given = _given(attributes)
        if identity := given.get("id"):
            found.ids.append((identity, line))
        for name in _LINKS:
            if name in given:
                found.links.append((given[name], line))
        if tag == "img" and "alt" not in given:
            found.bare_images.append((given.get("src", ""), line))
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            found.headings.append((int(tag[1]), line))
        elif tag == "section":
            self._section(given, start)
        elif tag == "figure":
            self._figure(given)
        if self.figure:
            self.figure.has_words |= tag == "table"
            self.figure.described |= bool(given.get("alt") or given.get("aria-label") or given.get("aria-labelledby"))

    def _section(self, given: Mapping[str, str], start: int) -> None:
        if self.act:
            self.depth["section"] += 1
        elif "act" in given.get("class", "").split():
            self.act = given.get("id", ""), start

    def _figure(self, given: Mapping[str, str]) -> None:
        if self.figure:
            self.depth["figure"] += 1
        self.figure = FigureParts(self.line, given.get("id", ""), given.get("data-kind", ""))
        self.found.figures.append(self.figure)
        brought = [given[name] for name in ("data-script", "data-style") if name in given]
        self.found.brought.setdefault(self.act[0] if self.act else given.get("id", ""), []).extend(brought)

    def _close(self, tag: str, end: int) -> None:
        if self.depth[tag]:
            self.depth[tag] -= 1
        elif tag == "figure":
            self.figure = None
        elif self.act:
            identity, start = self.act
            elements = len(_ELEMENT.findall(self.html, start, end))
            self.found.acts[identity] = self.found.acts.get(identity, 0) + elements
            self.act = None
