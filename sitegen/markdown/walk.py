"""What a site holds, in reading order."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen.schema import Act, Chapter, Section, Site


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
    yield from (page.html for page in site.pages)
