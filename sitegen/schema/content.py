"""A site as its author wrote it: nothing is looked up yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from msgspec import Struct, field

from sitegen.schema.base import Json, Location
from sitegen.schema.glossary import Term


class CodeRef(Struct, frozen=True):
    """Code quoted by name from `models/`: "models.curves.circle:Circle"."""

    target: str
    at: Location


class Claim(Struct, frozen=True):
    """`path operator number`, e.g. "circle.metrics.area == 1"; compared, never evaluated."""

    path: str
    operator: str
    number: float
    text: str
    at: Location


class FigureRef(Struct, frozen=True):
    """A figure as the author wrote it: nothing is looked up yet."""

    id: str
    kind: str
    run: str | None
    still: str | None
    alt: str
    caption: str  # inline HTML
    state: Mapping[str, Json]
    options: Mapping[str, Json]
    at: Location
    places: Mapping[str, Location] = field(default_factory=dict)  # "run", "state.t" -> where it stands in the fence

    def place(self, name: str) -> Location:
        """Where what it says of `name` stands; the line of its fence, where it says nothing."""
        return self.places.get(name, self.at)


class Step(Struct, frozen=True):
    """One step of an act. `figure` is set on the step that brings a figure; `state` goes on from the step before."""

    number: int
    id: str  # "a6-s3"
    title: str
    html: str
    figure: FigureRef | None
    state: Mapping[str, Json]
    at: Location
    state_at: Location | None = None  # where its own {state} stands
    still: str | None = None  # the picture that shows this state of a figure shared with the step before
    state_places: Mapping[str, Location] = field(default_factory=dict)  # "t", "still" -> where it stands in {state}


class Act(Struct, frozen=True):
    number: int
    slug: str
    id: str  # "a6"
    title: str
    lead: str  # HTML before the first step
    steps: tuple[Step, ...]
    after: str  # HTML of the parts after the steps: exercises, the bridge
    code: tuple[CodeRef, ...]
    claims: tuple[Claim, ...]
    at: Location


class Section(Struct, frozen=True):
    """A part of a chapter that is not an act, or (kind "opening") what stands before all acts."""

    slug: str
    title: str
    kind: Literal["section", "opening"]
    html: str
    figures: tuple[FigureRef, ...]
    code: tuple[CodeRef, ...]
    claims: tuple[Claim, ...]
    at: Location


class CoverRef(Struct, frozen=True):
    """The picture of a run that stands for a chapter where it is shared: "run/picture"."""

    run: str
    picture: str
    at: Location


class Cover(Struct, frozen=True):
    """A picture that stands for a page where it is shared; `href` leads there from the root of the site."""

    href: str
    width: int
    height: int
    alt: str


class Medium(Struct, frozen=True):
    """A picture beside a text: its path in the site, and its size, 0 × 0 where it has none."""

    path: str
    width: int
    height: int

    @property
    def size(self) -> str:
        """What follows its address in an element, so that its place is kept until it comes."""
        return f'" width="{self.width}" height="{self.height}' if self.width and self.height else ""


class Chapter(Struct, frozen=True):
    number: int
    slug: str
    title: str
    kicker: str
    description: str
    attribution: str  # inline HTML: whose structure and facts the chapter follows
    models: str  # package under models/
    opening: Section | None
    parts: tuple[Act | Section, ...]  # in reading order
    at: Location
    cover: CoverRef | None = None
    published: date | None = None
    updated: date | None = None  # the day of its last change that readers should hear of, or of its publication
    outcomes: tuple[str, ...] = ()  # inline HTML: what its readers will be able to do
    rooms: Mapping[str, str] = field(default_factory=dict)  # figure -> its heights once it lives, by its width

    @property
    def acts(self) -> tuple[Act, ...]:
        return tuple(part for part in self.parts if isinstance(part, Act))


class Reference(Struct, frozen=True):
    """A work that pages cite. Authors read "Family, Given"; a last author "others" stands for those not named."""

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    venue: str
    link: str  # its address, or ""
    link_text: str  # "doi:10.1137/1109020", "arXiv:1706.03762", or the host
    at: Location


class Page(Struct, frozen=True):
    slug: str  # "" is the site's index
    title: str
    description: str
    template: str
    html: str
    at: Location
    figures: tuple[FigureRef, ...] = ()


class Site(Struct, frozen=True):
    title: str
    description: str
    url: str  # where it is published, or ""
    language: str
    repository: str
    footer: str  # inline HTML
    raw_html: bool
    chapters: tuple[Chapter, ...]
    pages: tuple[Page, ...]
    bibliography: Mapping[str, Reference] | None  # None if it cannot be read
    at: Location
    glossary: Mapping[str, Term] | None = field(default_factory=dict)  # None if it cannot be read
    system_fonts: bool = False  # whether the readers' own may draw what the theme's do not
