"""A resolved site to its pages: path -> HTML. Nothing is read and nothing is looked up here but in `Material`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sitegen.citations import PageCitations
from sitegen.errors import ThemeError, nearest
from sitegen.figures import whole_tables
from sitegen.formats import formatted
from sitegen.markdown import markers, walk
from sitegen.markdown.highlight import CodeQuote
from sitegen.markdown.markers import Marker
from sitegen.schema import (
    CHECKS,
    Act,
    Chapter,
    Cover,
    Figure,
    FigureRef,
    Location,
    Page,
    Section,
    Site,
    Step,
    Verification,
)

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

CHAPTER_ROOT = "../"  # from a chapter's page to the root of the site


@dataclass(frozen=True, slots=True)
class Scene:
    """A figure and the steps that share it; without a figure, steps before the first one."""

    figure: Figure | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class FigurePlace:
    """Where a figure stands: a step, a section, or the opening (""), and what its own page calls that."""

    ref: FigureRef
    place: str
    title: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that pages show beside the site itself."""

    templates: Mapping[str, str]
    asset_folder: str  # "assets/<digest12>"
    assets: frozenset[str]  # paths in that folder
    figures: Mapping[str, Figure]
    quotes: Mapping[str, CodeQuote]
    values: Mapping[str, str]  # the text of a value's marker -> HTML
    media: Mapping[tuple[str, str], str]  # (file that shows it, source as written) -> path in the site
    verification: Verification = field(default_factory=Verification)
    covers: Mapping[str, Cover] = field(default_factory=dict)  # slug of a chapter -> what stands for it elsewhere
    feed: bool = False  # whether the site has one


def pages(site: Site, material: Material, compiled: BytecodeCache | None = None) -> dict[str, str]:
    """Path in the site -> HTML of every page; `compiled` keeps templates from one build to the next."""
    return _Renderer(site, material, compiled).pages()


def scenes(act: Act, figures: Mapping[str, Figure]) -> list[Scene]:
    """A step that brings a figure begins a scene; the steps after it share that figure."""
    found: list[tuple[Figure | None, list[Step]]] = []
    for step in act.steps:
        if step.figure or not found:
            found.append((figures[step.figure.id] if step.figure else None, []))
        found[-1][1].append(step)
    return [Scene(figure, tuple(steps)) for figure, steps in found]


def figure_places(chapter: Chapter) -> Iterator[FigurePlace]:
    for part in walk.parts_of(chapter):
        if isinstance(part, Section):
            slug = part.slug if part.kind == "section" else ""
            yield from (FigurePlace(ref, slug, part.title or chapter.title) for ref in part.figures)
            continue
        for step in part.steps:
            if step.figure:
                yield FigurePlace(step.figure, step.id, f"{part.title}, step {step.number} of {len(part.steps)}")


def figure_path(identity: str) -> str:
    """The page of one figure."""
    return f"figures/{identity}/index.html"


def is_figure(path: str) -> bool:
    return path.startswith("figures/")


def path_of(page: Page) -> str:
    if page.slug == "404":
        return "404.html"
    return f"{page.slug}/index.html" if page.slug else "index.html"


def address_of(site: Site, path: str = "") -> str:
    """Where a file of the site is published, or "" where the site does not know."""
    return f"{site.url.rstrip('/')}/{path.removesuffix('index.html')}" if site.url else ""


def prefix_of(site: Site) -> str:
    """The path under which the site is published; only the page for lost addresses needs to know it."""
    return urlsplit(site.url).path.rstrip("/") + "/"


class _Renderer:
    def __init__(self, site: Site, material: Material, compiled: BytecodeCache | None) -> None:
        self.site = site
        self.material = material
        self.environment = environment(material.templates, compiled)

    def pages(self) -> dict[str, str]:
        found = {f"{chapter.slug}/index.html": self.chapter(chapter) for chapter in self.site.chapters}
        for page in self.site.pages:
            found[path_of(page)] = self.page(page)
        for chapter in self.site.chapters:
            for place in figure_places(chapter):
                found[figure_path(place.ref.id)] = self.figure(place, chapter)
        return dict(sorted(found.items()))

    def chapter(self, chapter: Chapter) -> str:
        return self._html(
            "chapter.html.j2",
            CHAPTER_ROOT,
            page_title=f"{chapter.title} · {self.site.title}",
            description=chapter.description,
            subject=chapter.title,
            address=address_of(self.site, f"{chapter.slug}/index.html"),
            cover=self.material.covers.get(chapter.slug),
            chapter=chapter,
            scenes=lambda act: scenes(act, self.material.figures),
            figures=self.material.figures,
            code=self.material.quotes,
        )

    def page(self, page: Page) -> str:
        from markupsafe import Markup as markup

        depth = 0 if page.slug in ("", "404") else page.slug.count("/") + 1
        root = prefix_of(self.site) if page.slug == "404" else "../" * depth
        title = self.site.title if not page.slug else f"{page.title} · {self.site.title}"
        return self._html(
            page.template,
            root,
            page_title=title,
            description=page.description,
            subject=page.title,
            address=address_of(self.site, path_of(page)) if page.slug != "404" else "",
            cover=next(iter(self.material.covers.values()), None),
            page=page,
            code=self.material.quotes,
            verification=self.material.verification,
            checks=CHECKS,
            number=lambda value, spec: markup(formatted(value, spec, page.at)),
        )

    def figure(self, place: FigurePlace, chapter: Chapter) -> str:
        """One figure by itself, one folder deeper than a chapter, with all its numbers and the sources it cites."""
        one = self.material.figures[place.ref.id]
        whole = tuple(whole_tables(one.kind.tables, one.run, one.state)) if one.run else ()

        def deeper(address: str | None) -> str | None:
            return address and CHAPTER_ROOT + address

        return self._html(
            "figure-page.html.j2",
            CHAPTER_ROOT * 2,
            page_title=f"{place.title} · {self.site.title}",
            description=one.ref.alt,
            subject=place.title,
            address=address_of(self.site, figure_path(place.ref.id)),
            cover=_cover(one),
            chapter=chapter,
            figure=replace(
                one,
                tables=whole,
                image_href=deeper(one.image_href),
                data_href=deeper(one.data_href),
                timings_href=deeper(one.timings_href),
                weights_href=deeper(one.weights_href),
            ),
            title=place.title,
            home=f"{chapter.slug}/index.html",
            canonical=address_of(self.site, f"{chapter.slug}/index.html"),
            place=place.place,
        )

    def _html(self, template: str, root: str, **values: Any) -> str:
        try:
            return self._rendered(template, root, values)
        except Exception as error:  # a template may fail in any way; it is told like all other mistakes
            raise theme_error(error, template) from error

    def _rendered(self, template: str, root: str, values: Mapping[str, Any]) -> str:
        shared = {
            "site": self.site,
            "root": root,
            "feed": self.material.feed,
            "asset": lambda path: self._asset(path, root),
            "references": str(Marker("references", (), Location(f"templates/{template}"))),
        }
        parts: Any = self.environment.get_template("figure.html.j2").make_module(shared)
        lists: Any = self.environment.get_template("references.html.j2").make_module(shared)
        citations = PageCitations(self.site.bibliography or {})

        def put(marker: Marker) -> str:
            match marker.kind, *marker.arguments:
                case "line", *_:
                    return ""
                case "root", *_:
                    return root
                case "value", _:
                    return self.material.values[str(marker)]
                case "quote", target:
                    return str(parts.quote(target, self.material.quotes[target]))
                case "cite", form, *keys:
                    return citations.cite(form, keys)
                case "cited", key:
                    return citations.cited(key)
                case "references", *_:
                    return str(marker)  # until all citations of the page are known
                case "media", source:
                    return root + self.material.media[marker.at.path, source]
                case "figure", identity:
                    return markers.replace(str(parts.figure(self.material.figures[identity])), put)
            raise AssertionError(f"no marker is called {marker.kind}")

        html = markers.replace(self.environment.get_template(template).render({**shared, **values}), put)
        return markers.replace(html, lambda _: str(lists.references(citations.entries())))

    def _asset(self, path: str, root: str) -> str:
        if path not in self.material.assets:
            hint = nearest(path, self.material.assets)
            raise ThemeError(f"a template asks for {path!r}, which the theme does not have", hint=hint)
        return f"{root}{self.material.asset_folder}/{path}"


def _cover(figure: Figure) -> Cover | None:
    """The still of a figure, as it stands for the figure's own page."""
    if not figure.image or not figure.image_href:
        return None
    href = figure.image_href.removeprefix(CHAPTER_ROOT)
    return Cover(href, figure.image.width, figure.image.height, figure.image.alt)


def environment(templates: Mapping[str, str], compiled: BytecodeCache | None) -> Environment:
    """Where templates are looked up by name; all they show is escaped, and what is not given to them is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def load(name: str) -> tuple[str, str, None] | None:
        return (templates[name], f"templates/{name}", None) if name in templates else None

    return Environment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=compiled,
    )


def theme_error(error: Exception, template: str) -> ThemeError:
    """A mistake in a template, with the line of the template in which it came up."""
    import traceback

    if isinstance(error, ThemeError) and error.at:
        return error
    at = Location(f"templates/{template}")
    if line := getattr(error, "lineno", None):
        at = Location(getattr(error, "filename", None) or at.path, line)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("templates/"):
            at = Location(frame.filename, frame.lineno)
    if isinstance(error, ThemeError):
        return ThemeError(error.message, at=at, hint=error.hint)
    return ThemeError(f"a template cannot be rendered: {error}", at=at)
