"""Promises to readers, checked on rendered pages: nothing is dead, nothing lacks words, nothing is too heavy.

All of it is pure: pages and files come as values, findings go back as values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from sitegen.check.budgets import BUDGETS, Size, sizes
from sitegen.check.measurements import Measurements, measurements
from sitegen.check.outline import Outline, outline, without_rows
from sitegen.errors import CheckError, SitegenError, nearest
from sitegen.markdown import markers
from sitegen.schema import Location, RecipeInfo, Section, Site

__all__ = [
    "BUDGETS",
    "Measurements",
    "Outline",
    "Size",
    "broken",
    "measurements",
    "outline",
    "sizes",
    "unused_runs",
    "without_act",
    "without_rows",
]

_HREF = re.compile(r'<a href="([^"]*)"|(\x00line\x1f[^\x00]*\x00)')


def broken(
    outlines: Mapping[str, Outline], files: Collection[str], prose: Iterable[tuple[str, str]] = (), prefix: str = "/"
) -> list[SitegenError]:
    """What must never be published: dead links, ids twice, headings that jump, pictures and figures without words.

    `outlines`: path in the site -> outline; `files`: every path in the site; `prose`: (path of a page, HTML of its
    Markdown with line markers), so that a dead link is told where the author wrote it.
    """
    anchors = {path: {identity for identity, _ in one.ids} for path, one in outlines.items()}
    found: list[SitegenError] = []
    told: set[tuple[str, str]] = set()
    for path, html in prose:
        for href, at in _written_links(html):
            if problem := _dead(path, href, anchors, files, prefix):
                found.append(CheckError(problem[0], at=at, hint=problem[1]))
                told.add((path, href))
    for path, one in outlines.items():
        found += _page_errors(path, one)
        for href, line in dict(reversed(one.links)).items():
            problem = None if (path, href) in told else _dead(path, href, anchors, files, prefix)
            if problem:
                found.append(CheckError(problem[0], at=Location(path, line), hint=problem[1]))
    return found


def unused_runs(site: Site, baked: Iterable[str], used: Collection[str]) -> list[SitegenError]:
    """Runs on disk that no figure, number or claim of the site shows."""
    return [
        CheckError(f"run {name!r} is baked, but no page shows it", at=Location(f"build/runs/{name}/run.json"))
        for name in sorted(set(baked) - set(used))
    ]


def without_act(site: Site, recipes: Iterable[RecipeInfo]) -> list[SitegenError]:
    """Recipes for an act that their chapter does not have, but for those that a section shows."""
    acts = {chapter.slug: [str(act.number) for act in chapter.acts] for chapter in site.chapters}
    sections = [part for chapter in site.chapters for part in chapter.parts if isinstance(part, Section)]
    shown = {figure.run for section in sections for figure in section.figures}
    return [
        CheckError(
            f"recipe {info.name!r} is of act {info.act}, which chapter {info.chapter!r} does not have",
            at=info.at,
            hint=f"its acts: {', '.join(acts[info.chapter])}" if acts.get(info.chapter) else None,
        )
        for info in recipes
        if str(info.act) not in acts.get(info.chapter, []) and info.name not in shown
    ]


def _written_links(html: str) -> Iterator[tuple[str, Location]]:
    """Links of one page's Markdown, root links already relative, each with its line."""
    at = Location("")
    for found in _HREF.finditer(html):
        if found[2]:
            at = next(markers.markers(found[2])).at
        else:
            yield found[1].replace("&amp;", "&"), at


def _dead(
    page: str, href: str, anchors: Mapping[str, set[str]], files: Collection[str], prefix: str
) -> tuple[str, str | None] | None:
    """What is wrong with a link from a page, and the way out."""
    url = urlsplit(href)
    if url.scheme or url.netloc or href.startswith("data:"):
        return None
    path = unquote(url.path)
    if path.startswith("/"):
        if not path.startswith(prefix):
            return f"the link {href!r} leaves the site", "write it from the page, or from the root of the site"
        target = path[len(prefix) :] or "index.html"
    else:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if path.endswith("/") or target == "." or f"{target}/index.html" in files:
        target = posixpath.normpath(posixpath.join(target, "index.html"))
    if target not in files:
        return f"the link {href!r} is dead", nearest(target, (name for name in files if name.endswith(".html")))
    if url.fragment and target in anchors and unquote(url.fragment) not in anchors[target]:
        return f"the link {href!r} leads to no place on its page", nearest(url.fragment, anchors[target])
    return None


def _page_errors(path: str, one: Outline) -> Iterator[CheckError]:
    seen: set[str] = set()
    for identity, line in one.ids:
        if identity in seen:
            yield CheckError(f"two elements have the id {identity!r}", at=Location(path, line))
        seen.add(identity)
    level = 0
    for here, line in one.headings:
        if here > level + 1:
            yield CheckError(f"a heading of level {here} follows one of level {level}", at=Location(path, line))
        level = here
    for source, line in one.bare_images:
        yield CheckError(f"the picture {source!r} has no alternative text", at=Location(path, line))
    for figure in one.figures:
        if not figure.described:
            yield CheckError(f"figure {figure.identity!r} has no alternative text", at=Location(path, figure.line))


def wordless(outlines: Mapping[str, Outline]) -> list[SitegenError]:
    """Figures without a table of their numbers."""
    return [
        CheckError(
            f"figure {figure.identity!r} has no table",
            at=Location(path, figure.line),
            hint=f"add [table] to templates/figures/{figure.kind}/figure.toml",
        )
        for path, one in outlines.items()
        for figure in one.figures
        if not figure.has_words
    ]
