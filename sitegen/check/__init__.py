"""Promises to readers, checked on rendered pages: nothing is dead, nothing lacks words, nothing is too heavy.

All of it is pure: pages and files come as values, findings go back as values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from sitegen.check.budgets import BUDGETS, Size, sizes
from sitegen.check.glyphs import undrawn
from sitegen.check.measurements import Measurements, measurements
from sitegen.check.outline import Outline, outline, without_rows
from sitegen.check.syntax import syntax_errors
from sitegen.errors import CheckError, SitegenError, nearest
from sitegen.markdown import markers
from sitegen.schema import Location, RecipeInfo, Section, Site

__all__ = [
    "BUDGETS",
    "Link",
    "Measurements",
    "Outline",
    "Prose",
    "Size",
    "alike",
    "broken",
    "dead",
    "links",
    "measurements",
    "outline",
    "page_errors",
    "sizes",
    "syntax_errors",
    "undrawn",
    "unused_runs",
    "without_act",
    "without_rows",
]


class Prose(Struct, frozen=True):
    """What of a page was written in Markdown: `html` has markers of lines and root links, `root` is the way there."""

    path: str
    html: str
    root: str


class Link(Struct, frozen=True):
    """A link of a page within the site. `target` is the file it leads to, "" if it leaves the site; `written` is how
    its author wrote it, at `at`."""

    page: str
    target: str
    fragment: str
    written: str
    at: Location


_HREF = re.compile(r'<a href="([^"]*)"|(\x00line\x1f[^\x00]*\x00)')


def broken(
    outlines: Mapping[str, Outline], files: Collection[str], prose: Iterable[Prose] = (), prefix: str = "/"
) -> list[SitegenError]:
    """What must never be published: dead links, ids twice, headings that jump, pictures and figures without words.

    `outlines`: path in the site -> outline; `files`: every path in the site; `prose`: so that a dead link is told
    where, and as, the author wrote it.
    """
    anchors = {path: {identity for identity, _ in one.ids} for path, one in outlines.items()}
    prose = tuple(prose)
    texts = {one.path: one.html for one in prose}
    wrong = [error for path, one in outlines.items() for error in page_errors(path, one, texts.get(path, ""))]
    return [*wrong, *dead(links(outlines, *prose, prefix=prefix), anchors, files), *alike(files)]


def alike(files: Iterable[str]) -> Iterator[CheckError]:
    """Files that are one where the case of letters does not count."""
    seen: dict[str, str] = {}
    for path in sorted(files):
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            hint = "some computers take them for one file: rename what they are made of"
            yield CheckError(f"{path!r} and {other!r} differ only in case", at=Location(path), hint=hint)


def links(outlines: Mapping[str, Outline], *prose: Prose, prefix: str = "/") -> list[Link]:
    """Each link of some pages within the site; what was written in Markdown is not named once more as a page has it."""
    found: list[Link] = []
    told: set[tuple[str, str]] = set()
    for one in prose:
        for href, written, at in _written_links(one):
            told.add((one.path, href))
            found += _within(one.path, href, written, at, prefix)
    for path, outlined in outlines.items():
        for href, line in dict(reversed(outlined.links)).items():
            if (path, href) not in told:
                found += _within(path, href, href, Location(path, line), prefix)
    return found


def dead(
    links: Iterable[Link], anchors: Mapping[str, Collection[str]], files: Collection[str]
) -> Iterator[SitegenError]:
    """The links that lead to no file of a site, or to no place on a page; `anchors`: page -> its ids."""
    for link in links:
        if problem := _problem(link, anchors, files):
            yield CheckError(problem[0], at=link.at, hint=problem[1])


def unused_runs(site: Site, baked: Iterable[str], used: Collection[str]) -> list[SitegenError]:
    """Runs on disk that no figure, number or claim of the site shows."""
    return [
        CheckError(
            f"run {name!r} is baked, but no page shows it",
            at=Location(f"build/runs/{name}/run.json"),
            hint=f"show it in a figure, or remove its recipe and the folder build/runs/{name}",
        )
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


def _written_links(prose: Prose) -> Iterator[tuple[str, str, Location]]:
    """Links of one page's Markdown: relative, as they were written, and where."""
    line = ""  # the marker of the last one
    for found in _HREF.finditer(prose.html):
        if found[2]:
            line = found[2]
        else:
            at = next((one.at for one in markers.markers(line)), Location(""))
            href = markers.replace(found[1], lambda _: prose.root).replace("&amp;", "&")
            from_root = next((one.arguments[0] for one in markers.markers(found[1])), None)
            yield href, from_root.replace("&amp;", "&") if from_root else href, at


def _within(page: str, href: str, written: str, at: Location, prefix: str) -> Iterator[Link]:
    """The link, if it leads to a place of the site, as far as that is known without its files."""
    try:
        url = urlsplit(href)
    except ValueError:  # a bracket that is not closed
        yield Link(page, "", "", written, at)
        return
    if url.scheme or url.netloc:
        return
    path = unquote(url.path)
    if path.startswith("/"):
        target = (path[len(prefix) :] or "index.html") if path.startswith(prefix) else ""
    else:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if target and (path.endswith("/") or target == "."):
        target = posixpath.normpath(posixpath.join(target, "index.html"))
    yield Link(page, target, unquote(url.fragment), written, at)


def _problem(
    link: Link, anchors: Mapping[str, Collection[str]], files: Collection[str]
) -> tuple[str, str | None] | None:
    """What is wrong with a link, in its writer's words, and the way out."""
    target = link.target
    if not target and "[" in link.written:
        return f"the link {link.written!r} is no address", "write https://host/path"
    if not target:
        return f"the link {link.written!r} leaves the site", "write it from the page, or from the root of the site"
    if f"{target}/index.html" in files:
        target = f"{target}/index.html"
    if target not in files:
        return f"the link {link.written!r} is dead", nearest(_from_root(target), map(_from_root, _pages(files)))
    if link.fragment and target in anchors and link.fragment not in anchors[target]:
        return f"the link {link.written!r} leads to no place on its page", nearest(link.fragment, anchors[target])
    return None


def _from_root(path: str) -> str:
    """A page as a link from the site's root names it."""
    return "/" + path.removesuffix("index.html")


def _pages(files: Collection[str]) -> Iterator[str]:
    """Those that are linked to by name: without the pages of figures."""
    return (name for name in files if name.endswith(".html") and not name.startswith(("figures/", "404")))


def _written_at(identity: str, html: str) -> Location | None:
    """Where a text gives something an id: the line that begins next to it."""
    before, found, behind = html.rpartition(f' id="{identity}"')
    lines = [one.at for one in markers.markers(behind) if one.kind == "line"][:1] if found else []
    lines += [one.at for one in markers.markers(before) if one.kind == "line"][-1:] if found and not lines else []
    return lines[0] if lines else None


def page_errors(
    path: str, one: Outline, written: str = "", places: Mapping[str, Location] | None = None
) -> Iterator[CheckError]:
    """What is wrong with a page whatever the others are; `written` is what of it was, with the markers of lines;
    `places`: figure -> where it has its id."""
    seen: set[str] = set()
    for identity, line in one.ids:
        if identity in seen:
            hint = "rename what is called so: a section, a heading, a figure or a formula"
            at = _written_at(identity, written) or (places or {}).get(identity) or Location(path, line)
            yield CheckError(f"two elements of one page have the id {identity!r}", at=at, hint=hint)
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
