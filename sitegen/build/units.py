"""What is rendered by itself, a chapter or a page beside them: its files to its text, and to what others ask of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from msgspec import Struct
from msgspec.structs import replace

from sitegen import numbering, reading
from sitegen.build.parallel import prepare
from sitegen.content import Reader
from sitegen.errors import Findings, SitegenError
from sitegen.markdown import walk
from sitegen.markdown.markers import Marker, markers
from sitegen.numbering import Numbers
from sitegen.remembered import remembered
from sitegen.schema import (
    Act,
    ActHead,
    Chapter,
    ChapterHead,
    Claim,
    CodeRef,
    FigureRef,
    Page,
    PageHead,
    Section,
    Site,
    StepHead,
)

T = TypeVar("T")
_ASKED = ("cite", "cited", "equation", "media", "quote", "ref", "references", "term", "value")


class Facts(Struct, frozen=True):
    """What is asked of a unit before it is rendered. `marks` are the markers of its page, `outcomes` those of what the
    first page says of it; `text` is the Chapter or the Page, pickled: dates and classes come back as they were."""

    chapter: ChapterHead | None
    page: PageHead | None
    path: str  # of its page, in the site
    figures: tuple[FigureRef, ...]
    marks: tuple[Marker, ...]
    outcomes: tuple[Marker, ...]
    code: tuple[CodeRef, ...]
    claims: tuple[Claim, ...]
    numbers: Numbers
    text: bytes

    @property
    def slug(self) -> str:
        """As references and symbols know it: "" for what is no chapter."""
        return self.chapter.slug if self.chapter else ""

    @property
    def all_marks(self) -> tuple[Marker, ...]:
        return (*self.marks, *self.outcomes)


class Part(Struct, frozen=True):
    """An act, a section, or neither where its file could not be read."""

    act: Act | None
    section: Section | None


def read(site_dir: Path, errors: list[SitegenError]) -> tuple[Site, list[Facts]]:
    """The settings of a site, without chapters and pages, and its units in reading order."""
    reader = Reader(site_dir)
    site = _settings(site_dir, reader)
    html = "1" if site.raw_html else ""
    chapters: list[tuple[bytes | str, ...]] = []
    for number, slug, folder in reader.chapter_folders():
        texts = [path for path in reader.listing(folder) if path.suffix in (".md", ".toml")]
        files = {reader.at(path).path: data for path in texts if (data := _bytes(reader, path)) is not None}
        chapters.append((msgspec.msgpack.encode(files), reader.at(folder).path, slug, str(number), html))
    prepare(read_chapter, chapters, sum(len(one[0]) for one in chapters))
    found: list[Facts | None] = [_told(errors, _chapter, read_chapter, *one) for one in chapters]
    paths = reader.page_files()
    for path in paths:
        if (data := _bytes(reader, path)) is not None:
            found.append(_told(errors, _page, read_page, data, reader.at(path).path, site.description, html))
    found += (_facts_of_page(page) for page in reader.pages_not_written(site, {path.stem for path in paths}))
    read_ones = [one for one in found if one]
    heads = [one.chapter for one in read_ones if one.chapter]
    pages = [one.page for one in read_ones if one.page]
    reader.beside(replace(site, chapters=tuple(heads), pages=tuple(pages)))
    errors += reader.errors
    return site, read_ones


def _settings(site_dir: Path, reader: Reader) -> Site:
    paths = (site_dir / "content" / f"{name}.toml" for name in ("site", "bibliography", "glossary"))
    files = {f"content/{path.name}": path.read_bytes() for path in paths if path.is_file()}
    try:
        site: Site = pickle.loads(read_settings(msgspec.msgpack.encode(files)))
    except Findings:
        return reader.settings()  # which tells what is wrong
    return site


@remembered
def read_settings(files: bytes) -> bytes:
    """The Site, pickled."""
    reader = Reader(Path(), files=msgspec.msgpack.decode(files))
    return pickle.dumps(_well(reader.settings(), reader.errors))


def _bytes(reader: Reader, path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        reader.text(path)  # tells what is wrong with it
        return None


def _told(
    errors: list[SitegenError],
    understood: Callable[..., tuple[T, list[SitegenError]]],
    known: Callable[..., T],
    *arguments: bytes | str,
) -> T:
    """What is known if nothing is wrong with it; else what could be understood of it, and its errors."""
    try:
        return known(*arguments)
    except Findings:
        found, wrong = understood(*arguments)
        errors += wrong
        return found


@remembered
def read_chapter(files: bytes, at: str, slug: str, number: str, html: str) -> Facts:
    return _well(*_chapter(files, at, slug, number, html))


@remembered
def read_page(file: bytes, at: str, description: str, html: str) -> Facts:
    found = _well(*_page(file, at, description, html))
    assert found, "a page that cannot be read has errors"
    return found


@remembered
def read_part(file: bytes, at: str, number: str, html: str) -> Part:
    return _well(*_part(file, at, number, html))


def _well(found: T, errors: list[SitegenError]) -> T:
    if errors:
        raise Findings(errors)
    return found


class _Reader(Reader):
    """Reads a chapter from files at hand, and remembers its parts."""

    def part(self, path: Path, number: int) -> Act | Section | None:
        at = self.at(path).path
        html = "1" if self.raw_html else ""
        found = _told(self.errors, _part, read_part, self.content(path), at, str(number), html)
        return found.act or found.section


def _chapter(files: bytes, at: str, slug: str, number: str, html: str) -> tuple[Facts, list[SitegenError]]:
    reader = _Reader(Path(), raw_html=bool(html), files=msgspec.msgpack.decode(files))
    chapter = reader.chapter(int(number), slug, Path(at))
    return facts_of_chapter(chapter), reader.errors


def _page(file: bytes, at: str, description: str, html: str) -> tuple[Facts | None, list[SitegenError]]:
    reader = Reader(Path(), raw_html=bool(html), files={at: file})
    page = reader.page(Path(at), description)
    return _facts_of_page(page) if page else None, reader.errors


def _part(file: bytes, at: str, number: str, html: str) -> tuple[Part, list[SitegenError]]:
    reader = Reader(Path(), raw_html=bool(html), files={at: file})
    part = reader.part(Path(at), int(number))
    return Part(part if isinstance(part, Act) else None, part if isinstance(part, Section) else None), reader.errors


# ------------------------------------------------------------------------------------------------------------ facts


def facts_of_chapter(chapter: Chapter) -> Facts:
    parts = list(walk.parts_of(chapter))
    figures = [
        ref
        for part in parts
        for ref in (part.figures if isinstance(part, Section) else (step.figure for step in part.steps))
        if ref
    ]
    return Facts(
        chapter=_head(chapter),
        page=None,
        path=walk.path_of_chapter(chapter),
        figures=tuple(figures),
        marks=tuple(_asked(walk.html_of_chapter(chapter))),
        outcomes=tuple(_asked(chapter.outcomes)),
        code=tuple(ref for part in parts for ref in part.code),
        claims=tuple(claim for part in parts for claim in part.claims),
        numbers=numbering.of_chapter(chapter).without_formulas(),
        text=pickle.dumps(chapter),
    )


def _facts_of_page(page: Page) -> Facts:
    return Facts(
        chapter=None,
        page=PageHead(page.slug, page.title, page.description, page.at),
        path=walk.path_of_page(page),
        figures=page.figures,
        marks=tuple(_asked((page.html, *(ref.caption for ref in page.figures)))),
        outcomes=(),
        code=(),
        claims=(),
        numbers=Numbers(),
        text=pickle.dumps(page),
    )


def text_of(facts: Facts) -> Chapter | Page:
    """The text of a unit, as it was read."""
    text: Chapter | Page = pickle.loads(facts.text)
    return text


def _head(chapter: Chapter) -> ChapterHead:
    acts = tuple(
        ActHead(act.number, act.slug, act.id, act.title, tuple(StepHead(s.number, s.id, s.title) for s in act.steps))
        for act in chapter.acts
    )
    names = {
        part.id if isinstance(part, Act) else part.slug if part.kind == "section" else "": (
            f"act {part.number}" if isinstance(part, Act) else part.title if part.kind == "section" else "the opening"
        )
        for part in walk.parts_of(chapter)
    }
    return ChapterHead(
        number=chapter.number,
        slug=chapter.slug,
        title=chapter.title,
        kicker=chapter.kicker,
        description=chapter.description,
        models=chapter.models,
        acts=acts,
        parts=names,
        minutes=reading.minutes(chapter),
        outcomes=chapter.outcomes,
        published=chapter.published,
        updated=chapter.updated,
        cover=chapter.cover,
        at=chapter.at,
    )


def _asked(texts: Iterable[str]) -> Iterator[Marker]:
    """The markers that ask for what the text alone does not know."""
    return (marker for html in texts for marker in markers(html, _ASKED))
