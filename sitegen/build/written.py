"""What of each page was written in Markdown: so that a dead link is told where, and as, its author wrote it."""

from __future__ import annotations

from collections.abc import Iterator

from sitegen import check, render
from sitegen.markdown import walk
from sitegen.markdown.markers import replace
from sitegen.schema import Site


def written(site: Site) -> Iterator[check.Prose]:
    """With the markers of lines and of links from the site's root."""

    def links(html: str) -> str:
        return replace(html, lambda one: str(one) if one.kind in ("line", "root") else "")

    for chapter in site.chapters:
        html = "".join(walk.html_of_chapter(chapter))
        yield check.Prose(f"{chapter.slug}/index.html", links(html), render.CHAPTER_ROOT)
    for page in site.pages:
        yield check.Prose(render.path_of(page), links(page.html), "" if page.slug in ("", "404") else "../")
