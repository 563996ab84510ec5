"""What pages know of each other: titles and addresses, and no texts. So an edited text concerns its own pages alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from sitegen.schema.base import Location
from sitegen.schema.content import CoverRef, Reference
from sitegen.schema.glossary import Term


@dataclass(frozen=True, slots=True)
class StepHead:
    number: int
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class ActHead:
    number: int
    slug: str
    id: str
    title: str
    steps: tuple[StepHead, ...]


@dataclass(frozen=True, slots=True)
class ChapterHead:
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


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chapter as the pages of other chapters name it."""

    number: int
    slug: str
    title: str


@dataclass(frozen=True, slots=True)
class PageHead:
    slug: str
    title: str
    description: str
    at: Location


@dataclass(frozen=True, slots=True)
class SiteHead:
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
