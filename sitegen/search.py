"""A site to the index of its search: a row for each step, section, figure, term and reference, with its plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape

from sitegen import citations
from sitegen.markdown import markers
from sitegen.markdown.markers import Marker
from sitegen.markdown.walk import path_of_chapter, path_of_page
from sitegen.numbering import Numbers
from sitegen.schema import Act, Chapter, FigureRef, Page, Reference, Section, Term

INDEX = "search.json"  # no digest in its name: each page would change whenever one does
FIELDS = ("kind", "title", "place", "url", "names", "text")
Row = tuple[str, str, str, str, str, str]
_HEADING = re.compile(r'<h[2-4] id="([^"]*)">(.*?)</h[2-4]>', re.DOTALL)
_GONE = re.compile(r"<p class=\"symbols\">.*?</p>|<span class=\"number\"[^>]*>.*?</span>", re.DOTALL)
_BLOCK = re.compile(r"</?(?:p|li|ol|ul|div|details|summary|h\d|td|th|tr|dd|dt|br|section|pre)\b[^>]*>")


def index(rows: Iterable[str]) -> bytes:
    """JSON of rows that are JSON already, the names of the fields once."""
    return f'{{"fields":{_json(FIELDS)},"rows":[{",".join(filter(None, rows))}]}}'.encode()


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(slots=True)
class Rows:
    """Texts to rows. `values`: the text of a value's marker -> HTML."""

    bibliography: Mapping[str, Reference]
    numbers: Numbers
    values: Mapping[str, str]
    years: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.years = citations.years(self.bibliography)

    def of_chapter(self, chapter: Chapter) -> str:
        """As JSON, without the brackets around them."""
        return ",".join(map(_json, self.chapter(chapter)))

    def of_page(self, page: Page) -> str:
        if page.slug in ("404", "glossary"):
            return ""
        return ",".join(
            map(_json, self.sections(page.html, path_of_page(page), page.title, page.title, page.description))
        )

    def of_terms(self, terms: Iterable[Term]) -> str:
        return ",".join(map(_json, map(self.term, terms)))

    def of_references(self, homes: Mapping[str, tuple[str, Reference]]) -> str:
        return ",".join(map(_json, self.references(homes)))

    def term(self, term: Term) -> Row:
        names = " ".join((*term.names, *(one.latex for one in term.symbols)))
        return "term", term.name, "", f"glossary/index.html#{term.key}", names, self.words(term.definition)

    def chapter(self, chapter: Chapter) -> Iterator[Row]:
        path = path_of_chapter(chapter)
        opening = self.words(chapter.opening.html) if chapter.opening else ""
        yield "chapter", chapter.title, chapter.kicker, path, "", f"{chapter.description} {opening}".strip()
        if chapter.opening:
            yield from (self.figure(ref, chapter, "") for ref in chapter.opening.figures)
        for part in chapter.parts:
            yield from self.act(part, chapter) if isinstance(part, Act) else self.section(part, chapter)

    def act(self, act: Act, chapter: Chapter) -> Iterator[Row]:
        path, place = path_of_chapter(chapter), f"{chapter.title} · act {act.number}"
        yield "act", act.title, place, f"{path}#{act.id}", "", self.words(act.lead)
        for step in act.steps:
            here = f"{place}, step {step.number}"
            yield "step", self.words(step.title), here, f"{path}#{step.id}", "", self.words(step.html)
            if step.figure:
                yield self.figure(step.figure, chapter, step.id)
        if act.after:
            yield "act", act.title, f"{place}, exercises", f"{path}#{act.id}", "", self.words(act.after)

    def section(self, section: Section, chapter: Chapter) -> Iterator[Row]:
        path = path_of_chapter(chapter)
        yield from self.sections(section.html, path, section.title, chapter.title, "", section.slug)
        yield from (self.figure(ref, chapter, ref.id) for ref in section.figures)

    def sections(self, html: str, path: str, title: str, place: str, lead: str, anchor: str = "") -> Iterator[Row]:
        """A text cut at its headings; what stands before the first belongs to the title."""
        parts = _HEADING.split(html)
        first = f"{lead} {self.words(parts[0])}".strip()
        where = "" if place == title else place
        if first or len(parts) == 1:
            yield "section", title, where, path + (f"#{anchor}" if anchor else ""), "", first
        for identity, heading, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            below = f"{place} · {title}" if where else title
            yield "section", self.words(heading), below, f"{path}#{identity}", "", self.words(text)

    def figure(self, ref: FigureRef, chapter: Chapter, anchor: str) -> Row:
        number = self.numbers.figures[ref.id]
        path = path_of_chapter(chapter) + (f"#{anchor}" if anchor else "")
        caption = self.words(ref.caption)
        title, _, rest = caption.partition(". ")
        return (
            "figure",
            title or ref.alt,
            f"Figure {number} · {chapter.title}",
            path,
            ref.run or "",
            f"{rest} {ref.alt}".strip(),
        )

    def references(self, homes: Mapping[str, tuple[str, Reference]]) -> Iterator[Row]:
        """Each work once, at the first page that cites it and lists its references."""
        for key, (path, one) in homes.items():
            yield (
                "reference",
                one.title,
                "",
                f"{path}#ref-{key}",
                citations.everyone(one),
                f"{self.years[key]} {one.venue}".strip(),
            )

    def words(self, html: str) -> str:
        """The plain text of HTML, its numbers put in."""
        shown = markers.replace(markers.only(_GONE.sub("", html), "value", "ref", "cite"), self._shown)
        return " ".join(unescape(re.sub("<[^>]*>", "", _BLOCK.sub(" ", shown))).split())

    def _shown(self, marker: Marker) -> str:
        if marker.kind == "value":
            return self.values.get(str(marker), "")
        if marker.kind == "ref" and (target := self.numbers.targets.get(marker.arguments[0])):
            return target.text
        if marker.kind == "cite":
            known = self.bibliography
            return "; ".join(
                f"{citations.names(known[key])} {self.years[key]}" for key in marker.arguments[1:] if key in known
            )
        return ""
