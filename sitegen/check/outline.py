"""HTML to what the checks ask of it: ids, links, headings, pictures, figures and the size of each part."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from sitegen.remembered import remembered

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_ROWS = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL)


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


@remembered
def outline(html: str) -> Outline:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Outline()
        self.depth = 0
        self.act: tuple[str, int] | None = None
        self.figure: tuple[FigureParts, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found, line = self.found, self.getpos()[0]
        given = {name: value or "" for name, value in attrs}
        classes = given.get("class", "").split()
        if tag not in _VOID:
            self.depth += 1
        if identity := given.get("id"):
            found.ids.append((identity, line))
        for name in ("href", "src", "data-run", "data-weights", "data-script", "data-style"):
            if name in given:
                found.links.append((given[name], line))
        if tag == "img" and "alt" not in given:
            found.bare_images.append((given.get("src", ""), line))
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            found.headings.append((int(tag[1]), line))
        if tag == "section" and "act" in classes:
            self.act = given.get("id", ""), self.depth
        if tag == "figure":
            self.figure = FigureParts(line, given.get("id", ""), given.get("data-kind", "")), self.depth
            found.figures.append(self.figure[0])
            brought = [given[name] for name in ("data-script", "data-style") if name in given]
            found.brought.setdefault(self.act[0] if self.act else given.get("id", ""), []).extend(brought)
        if self.figure:
            self.figure[0].has_words |= tag == "table"
            self.figure[0].described |= bool(
                given.get("alt") or given.get("aria-label") or given.get("aria-labelledby")
            )
        if self.act:
            found.acts[self.act[0]] = found.acts.get(self.act[0], 0) + 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self.act and self.act[1] == self.depth:
            self.act = None
        if self.figure and self.figure[1] == self.depth:
            self.figure = None
        self.depth -= 1
