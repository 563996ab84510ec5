"""What a site holds, in reading order: its parts, its texts with their places, and the site with other texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sitegen.schema import Act, Chapter, ChapterHead, FigureRef, Page, Section, Site, Term


class Place(Struct, frozen=True):
    """Where a text stands, and how one gets there. A part is an act or a section; the opening's is ""."""

    chapter: str  # slug, "" on pages beside chapters
    part: str  # "a6", "notes"
    page: str  # path in the site, "straight-lines/index.html"
    anchor: str  # what to link to on that page, "a6-s3"; "" is its top
    name: str  # "act 6, step 3"


Change = Callable[[str, Place], str]


def parts_of(chapter: Chapter) -> Iterator[Act | Section]:
    """The opening and all parts, in reading order."""
    if chapter.opening:
        yield chapter.opening
    yield from chapter.parts


def html_of_chapter(chapter: Chapter) -> Iterator[str]:
    yield chapter.attribution
    for part in parts_of(chapter):
        if isinstance(part, Section):
            yield part.html
            yield from (ref.caption for ref in part.figures)
            continue
        yield part.lead
        for step in part.steps:
            yield step.title
            yield step.html
            if step.figure:
                yield step.figure.caption
        yield part.after


def html_of(site: Site) -> Iterator[str]:
    """All HTML of a site that may hold markers, in reading order."""
    yield site.footer
    for chapter in site.chapters:
        yield from html_of_chapter(chapter)
        yield from chapter.outcomes
    for page in site.pages:
        yield page.html
        yield from (ref.caption for ref in page.figures)
    yield from (term.definition for term in (site.glossary or {}).values())


def path_of_chapter(chapter: Chapter) -> str:
    return f"{chapter.slug}/index.html"


def path_of_page(page: Page) -> str:
    if page.slug == "404":
        return "404.html"
    return f"{page.slug}/index.html" if page.slug else "index.html"


def changed(site: Site, change: Change) -> Site:
    """The site with every running text as `change` makes it, called in reading order: no titles, and no footer."""
    return replace(
        site,
        chapters=tuple(changed_chapter(chapter, change) for chapter in site.chapters),
        pages=tuple(changed_page(page, change) for page in site.pages),
        glossary=site.glossary and changed_terms(site.glossary, change),
    )


def texts_of(site: Site) -> list[tuple[str, Place]]:
    """Every running text with its place, in reading order."""
    found: list[tuple[str, Place]] = []
    changed(site, noting(found))
    return found


def noting(found: list[tuple[str, Place]]) -> Change:
    """Changes nothing, and adds every text to `found`."""

    def note(html: str, place: Place) -> str:
        found.append((html, place))
        return html

    return note


def changed_terms(glossary: Mapping[str, Term], change: Change) -> dict[str, Term]:
    return {
        key: replace(term, definition=change(term.definition, Place("", "", "glossary/index.html", key, term.name)))
        for key, term in glossary.items()
    }


def changed_page(page: Page, change: Change) -> Page:
    place = Place("", "", path_of_page(page), "", page.title)
    html = change(page.html, place)
    return replace(page, html=html, figures=tuple(_caption(ref, place, change) for ref in page.figures))


def changed_chapter(chapter: Chapter, change: Change) -> Chapter:
    opening = _section(chapter.opening, chapter, change) if chapter.opening else None
    parts = tuple(
        _act(part, chapter, change) if isinstance(part, Act) else _section(part, chapter, change)
        for part in chapter.parts
    )
    return replace(chapter, opening=opening, parts=parts, outcomes=changed_outcomes(chapter, change))


def changed_outcomes(chapter: Chapter | ChapterHead, change: Change) -> tuple[str, ...]:
    """What the first page says of a chapter."""
    index = Place("", "", "index.html", "", chapter.title)
    return tuple(change(outcome, index) for outcome in chapter.outcomes)


def _section(section: Section, chapter: Chapter, change: Change) -> Section:
    slug, name = (section.slug, section.title) if section.kind == "section" else ("", "the opening")
    place = Place(chapter.slug, slug, path_of_chapter(chapter), slug, name)
    html = change(section.html, place)
    return replace(section, html=html, figures=tuple(_caption(ref, place, change) for ref in section.figures))


def _act(act: Act, chapter: Chapter, change: Change) -> Act:
    place = Place(chapter.slug, act.id, path_of_chapter(chapter), act.id, f"act {act.number}")
    lead, steps = change(act.lead, place), []
    for step in act.steps:
        here = replace(place, anchor=step.id, name=f"act {act.number}, step {step.number}")
        html = change(step.html, here)
        steps.append(replace(step, html=html, figure=step.figure and _caption(step.figure, here, change)))
    return replace(act, lead=lead, steps=tuple(steps), after=change(act.after, place))


def _caption(ref: FigureRef, place: Place, change: Change) -> FigureRef:
    return replace(ref, caption=change(ref.caption, place))
