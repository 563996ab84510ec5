"""What pages know of each other: titles and addresses, and no texts. So an edited text concerns its own pages alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from msgspec import Struct, field

from sitegen.schema.base import Location
from sitegen.schema.content import CoverRef, Reference
from sitegen.schema.glossary import Term


class StepHead(Struct, frozen=True):
    number: int
    id: str
    title: str


class ActHead(Struct, frozen=True):
    number: int
    slug: str
    id: str
    title: str
    steps: tuple[StepHead, ...]


class ChapterHead(Struct, frozen=True):
    """A chapter as the first page lists it. `parts`: id of an act or a section, "" for the opening -> what it is called
    in a list of places."""

    number: int
    slug: str
    title: str
    kicker: str
    description: str
    models: str
    acts: tuple[ActHead, ...]
    parts: Mapping[str, str]
    minutes: int
    outcomes: tuple[str, ...]
    published: date | None
    updated: date | None
    cover: CoverRef | None
    at: Location


class Neighbour(Struct, frozen=True):
    """A chapter as the pages of other chapters name it."""

    number: int
    slug: str
    title: str


class PageHead(Struct, frozen=True):
    slug: str
    title: str
    description: str
    at: Location


class SiteHead(Struct, frozen=True):
    """A site as its templates see it. `chapters` are neighbours on the pages of a chapter, and heads on all others."""

    title: str
    description: str
    url: str
    language: str
    repository: str
    footer: str  # inline HTML
    raw_html: bool
    chapters: tuple[ChapterHead, ...] | tuple[Neighbour, ...]
    pages: tuple[PageHead, ...]
    bibliography: Mapping[str, Reference] = field(default_factory=dict)
    glossary: Mapping[str, Term] = field(default_factory=dict)
