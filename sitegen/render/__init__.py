"""A resolved chapter or page to its pages: path -> HTML. Nothing is read, or looked up but in `Material`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.citations import PageCitations
from sitegen.errors import ThemeError, nearest
from sitegen.figures import whole_tables
from sitegen.formats import formatted
from sitegen.glossary import Entry, Glossary
from sitegen.markdown import markers, walk
from sitegen.markdown.highlight import CodeQuote
from sitegen.markdown.markers import Marker
from sitegen.numbering import Numbers
from sitegen.render.places import (
    CHAPTER_ROOT,
    FigurePlace,
    Scene,
    address_of,
    figure_path,
    figure_places,
    figure_places_of_page,
    is_figure,
    path_of,
    prefix_of,
    scenes,
)
from sitegen.render.printed import with_addresses
from sitegen.render.stills import still
from sitegen.render.templates import base_of, environment, theme_error, whole
from sitegen.schema import CHECKS, Chapter, Cover, Figure, Location, Medium, Neighbour, Page, SiteHead, Verification

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = [
    "CHAPTER_ROOT",
    "FigurePlace",
    "Material",
    "Renderer",
    "Scene",
    "address_of",
    "environment",
    "figure_path",
    "figure_places",
    "figure_places_of_page",
    "is_figure",
    "path_of",
    "prefix_of",
    "scenes",
    "theme_error",
]


class Material(Struct, frozen=True):
    """All that the pages of one chapter, or one page, show beside its text."""

    asset_folder: str  # "assets/<digest12>"
    assets: frozenset[str]  # paths in that folder
    figures: Mapping[str, Figure]
    quotes: Mapping[str, CodeQuote]
    values: Mapping[str, str]  # the text of a value's marker -> HTML
    media: Mapping[tuple[str, str], Medium]  # (file that shows it, source as written) -> what is shown
    verification: Verification = field(default_factory=Verification)
    cover: Cover | None = None  # what stands for it elsewhere
    feed: bool = False  # whether the site has one
    numbers: Numbers = field(default_factory=Numbers)
    index: str = ""  # path of the search's index
    entries: Sequence[Entry] = ()  # of the glossary, for its page


class Renderer:
    """Renders with the templates of `environment`; `site` has neighbours for a chapter, heads for any other page."""

    def __init__(self, site: SiteHead, material: Material, templates: Environment) -> None:
        self.site = site
        self.material = material
        self.glossary = Glossary(site.glossary)
        self.environment = templates

    def page_of_chapter(self, chapter: Chapter) -> str:
        return with_addresses(self.chapter(chapter))

    def page_of_page(self, page: Page) -> str:
        return with_addresses(self.page(page))

    def chapter(self, chapter: Chapter) -> str:
        return self._html(
            "chapter.html.j2",
            CHAPTER_ROOT,
            here=walk.path_of_chapter(chapter),
            page_title=f"{chapter.title} · {self.site.title}",
            description=chapter.description,
            subject=chapter.title,
            address=address_of(self.site, walk.path_of_chapter(chapter)),
            cover=self.material.cover,
            chapter=chapter,
            scenes=lambda act: scenes(act, self.material.figures),
            figures=self.material.figures,
            code=self.material.quotes,
            before=self._beside(chapter, -1),
            after=self._beside(chapter, 1),
        )

    def _beside(self, chapter: Chapter, by: int) -> Neighbour | None:
        """The chapter before or after one."""
        all_ = [Neighbour(one.number, one.slug, one.title) for one in self.site.chapters]
        place = [one.slug for one in all_].index(chapter.slug) + by
        return all_[place] if 0 <= place < len(all_) else None

    def page(self, page: Page) -> str:
        from markupsafe import Markup as markup

        depth = 0 if page.slug in ("", "404") else page.slug.count("/") + 1
        root = prefix_of(self.site) if page.slug == "404" else "../" * depth
        title = self.site.title if not page.slug else f"{page.title} · {self.site.title}"
        return self._html(
            page.template,
            root,
            here=path_of(page),
            page_title=title,
            description=page.description,
            subject=page.title,
            address=address_of(self.site, path_of(page)) if page.slug != "404" else "",
            cover=self.material.cover,
            page=page,
            entries=self.material.entries,
            code=self.material.quotes,
            minutes=lambda chapter: chapter.minutes,
            verification=self.material.verification,
            checks=CHECKS,
            number=lambda value, spec: markup(formatted(value, spec, page.at)),
        )

    def figure(self, place: FigurePlace) -> str:
        """One figure by itself, in a folder two deep, with all its numbers and the sources it cites."""
        one, here = self.material.figures[place.ref.id], figure_path(place.ref.id)
        tables = tuple(whole_tables(one.kind.tables, one.run, one.state)) if one.run else ()
        return self._html(
            "figure-page.html.j2",
            "../" * here.count("/"),
            here=here,
            page_title=f"{place.title} · {self.site.title}",
            description=one.ref.alt,
            subject=place.title,
            address=address_of(self.site, here),
            cover=_cover(one),
            figure=replace(one, tables=tables),
            place=place,
            canonical=address_of(self.site, place.page),
        )

    def _html(self, template: str, root: str, **values: Any) -> str:
        try:
            html = whole(self._rendered(template, root, values), template)
        except Exception as error:  # a template may fail in any way; it is told like all other mistakes
            raise theme_error(error, template) from error
        if not html.strip():
            hint = 'begin it with {% extends "base.html.j2" %}, or remove the file: the theme has one of its name'
            at = Location(f"templates/{base_of(self.environment, template)}", 1)
            raise ThemeError("this template makes an empty page", at=at, hint=hint)
        return html

    def _rendered(self, template: str, root: str, values: Mapping[str, Any]) -> str:
        shared = {
            "site": self.site,
            "root": root,
            "feed": self.material.feed,
            "asset": lambda path: root + self._asset(path),
            "still": self._still,
            "numbers": self.material.numbers,
            "index": self.material.index,
            "references": str(Marker("references", (), Location(f"templates/{template}"))),
        }
        macros: Any = cache(lambda name: self.environment.get_template(name).make_module(shared))  # of few pages
        citations = PageCitations(self.site.bibliography)

        def put(marker: Marker) -> str:
            match marker.kind, *marker.arguments:
                case "line", *_:
                    return ""
                case "root", *_:
                    return root
                case "ref", whole:
                    return self.material.numbers.link(whole, root, values["here"])
                case "term", key, text, *title:
                    return self.glossary.opening(key, text, root, values["here"], *title)
                case "value", _:
                    return self.material.values[str(marker)]
                case "quote", target:
                    return str(macros("figure.html.j2").quote(target, self.material.quotes[target]))
                case "cite", form, *keys:
                    return citations.cite(form, keys)
                case "cited", key:
                    return citations.cited(key)
                case "references", *_:
                    return str(marker)  # until all citations of the page are known
                case "media", source, *size:
                    medium = self.material.media[marker.at.path, source]
                    return root + medium.path + (medium.size if size else "")
                case "figure", identity:
                    return markers.replace(str(macros("figure.html.j2").figure(self.material.figures[identity])), put)
            raise AssertionError(f"no marker is called {marker.kind}")

        html = markers.without(self.environment.get_template(template).render({**shared, **values}), "line")
        html = markers.replace(html, put)
        return markers.replace(html, lambda _: str(macros("references.html.j2").references(citations.entries())))

    def _still(self, figure: Figure) -> Markup:
        from markupsafe import Markup as markup

        one, assets = self.material.figures[figure.ref.id], self.material.assets
        return markup(still(one, self.environment, self.site, self._asset, assets))

    def _asset(self, path: str) -> str:
        """Its path in the site."""
        if path not in self.material.assets:
            hint = nearest(path, self.material.assets)
            raise ThemeError(f"a template asks for {path!r}, which the theme does not have", hint=hint)
        return f"{self.material.asset_folder}/{path}"


def _cover(figure: Figure) -> Cover | None:
    """The still of a figure, as it stands for the figure's own page."""
    if not figure.image or not figure.image_href:
        return None
    href = figure.image_href.removeprefix(markers.ROOT)
    return Cover(href, figure.image.width, figure.image.height, figure.image.alt)
