"""Where the pages of a site lie, which figures stand on them, and which steps share one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from sitegen.markdown import walk
from sitegen.schema import Act, Chapter, Figure, FigureRef, Page, Section, Site, SiteHead, Step

CHAPTER_ROOT = "../"  # from a chapter's page to the root of the site


class Scene(Struct, frozen=True):
    """A figure and the steps that share it; without a figure, steps before the first one."""

    figure: Figure | None
    steps: tuple[Step, ...]


class FigurePlace(Struct, frozen=True):
    """Where a figure stands: on a page, in a step, a section, or the opening or whole page (""), and what its own page
    calls that. `within` is the title of its chapter."""

    ref: FigureRef
    page: str  # path in the site
    place: str
    title: str
    within: str
    room: str = ""  # how high it is once it lives, by its width


def scenes(act: Act, figures: Mapping[str, Figure]) -> list[Scene]:
    """A step that brings a figure begins a scene; the steps after it share that figure."""
    found: list[tuple[Figure | None, list[Step]]] = []
    for step in act.steps:
        if step.figure or not found:
            found.append((figures[step.figure.id] if step.figure else None, []))
        found[-1][1].append(step)
    return [Scene(figure, tuple(steps)) for figure, steps in found]


def figure_places(chapter: Chapter) -> Iterator[FigurePlace]:
    """Every figure of a chapter, in reading order."""
    page = walk.path_of_chapter(chapter)
    for part in walk.parts_of(chapter):
        if isinstance(part, Section):
            slug, title = part.slug if part.kind == "section" else "", part.title or chapter.title
            for ref in part.figures:
                yield FigurePlace(ref, page, slug, title, chapter.title, chapter.rooms.get(ref.id, ""))
            continue
        for step in part.steps:
            if step.figure:
                title = f"{part.title}, step {step.number} of {len(part.steps)}"
                room = chapter.rooms.get(step.figure.id, "")
                yield FigurePlace(step.figure, page, step.id, title, chapter.title, room)


def figure_places_of_page(page: Page) -> Iterator[FigurePlace]:
    return (FigurePlace(ref, walk.path_of_page(page), "", page.title, "") for ref in page.figures)


def figure_path(identity: str) -> str:
    """The page of one figure."""
    return f"figures/{identity}/index.html"


def is_figure(path: str) -> bool:
    return path.startswith("figures/")


path_of = walk.path_of_page


def address_of(site: Site | SiteHead, path: str = "") -> str:
    """Where a file of the site is published, or "" where the site does not know."""
    return f"{site.url.rstrip('/')}/{path.removesuffix('index.html')}" if site.url else ""


def prefix_of(site: Site | SiteHead) -> str:
    """The path under which the site is published; only the page for lost addresses needs to know it."""
    return urlsplit(site.url).path.rstrip("/") + "/"
