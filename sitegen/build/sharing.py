"""A site to what others take of it: pictures that stand for its chapters, and the documents at its root.

The documents are templates of the theme. What names the site's address is left out where that is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen import render
from sitegen.errors import FigureError, SitegenError, nearest
from sitegen.runs import runs_folder
from sitegen.schema import ChapterHead, Cover, Run, SiteHead

if TYPE_CHECKING:
    from jinja2 import Environment

FEED, MANIFEST, ROBOTS, SITEMAP = "feed.xml", "site.webmanifest", "robots.txt", "sitemap.xml"
_ICON = "icons/favicon.ico"  # browsers and readers of feeds ask for it at the root, by this name


def covers(chapters: Iterable[ChapterHead], runs: Mapping[str, Run], errors: list[SitegenError]) -> dict[str, Cover]:
    """Slug of a chapter -> its cover, for the chapters that name a picture of a run that could be loaded."""
    found: dict[str, Cover] = {}
    for chapter in chapters:
        ref = chapter.cover
        if not ref or ref.run not in runs:
            continue
        run = runs[ref.run]
        if image := run.images.get(ref.picture):
            href = f"data/{run.run}.{run.digest[:12]}-{ref.picture}.png"
            found[chapter.slug] = Cover(href, image.width, image.height, image.alt)
        else:
            hint = nearest(ref.picture, run.images)
            errors.append(FigureError(f"run {ref.run!r} has no picture {ref.picture!r}", at=ref.at, hint=hint))
    return found


def cover_files(
    chapters: Iterable[ChapterHead], covers: Mapping[str, Cover], runs: Mapping[str, Run], site_dir: Path
) -> Iterator[tuple[str, bytes]]:
    """Path in the site -> bytes of each cover."""
    for chapter in chapters:
        if chapter.cover and (cover := covers.get(chapter.slug)):
            image = runs[chapter.cover.run].images[chapter.cover.picture]
            yield cover.href, (runs_folder(site_dir) / chapter.cover.run / image.file).read_bytes()


def feed_chapters(chapters: Iterable[ChapterHead], url: str) -> list[ChapterHead]:
    """Those with a date, the latest news first; none where the site's address is not known."""
    dated = [chapter for chapter in chapters if chapter.updated and url]
    return sorted(dated, key=lambda chapter: (str(chapter.updated), chapter.number), reverse=True)


def documents(
    site: SiteHead, chapters: Sequence[ChapterHead], asset_folder: str, templates: Environment
) -> dict[str, bytes]:
    """Path in the site -> bytes of what stands at its root beside the pages."""
    dated = feed_chapters(chapters, site.url)
    shared = {
        "site": site,
        "address": lambda path="": render.address_of(site, path),
        "asset": lambda path: f"{asset_folder}/{path}",
        "chapters": dated,
    }
    found = {".nojekyll": b""}  # a host that makes sites of its own from Markdown leaves this one as it is
    for name in _wanted(site, bool(dated)):
        template = f"{name}.j2"
        try:
            found[name] = templates.get_template(template).render(shared).encode()
        except Exception as error:  # a template may fail in any way
            raise render.theme_error(error, template) from error
    return found


def icon(assets: Mapping[str, bytes]) -> dict[str, bytes]:
    return {"favicon.ico": assets[_ICON]} if _ICON in assets else {}


def _wanted(site: SiteHead, feed: bool) -> Iterator[str]:
    yield from (MANIFEST, ROBOTS)
    if site.url:
        yield SITEMAP
    if feed:
        yield FEED
