"""A unit, and all that it may ask for, to its pages: the same arguments give the same bytes, and are remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from sitegen import check, figures, glossary, numbering, render, search
from sitegen.build.compiled import compiled_templates
from sitegen.build.given import Asked, Shown, Theme, asked_by, sealed_runs
from sitegen.build.units import Facts, text_of
from sitegen.errors import Findings, SitegenError
from sitegen.markdown import markers, walk
from sitegen.markdown.walk import Place
from sitegen.remembered import Sealed, remembered, sealed
from sitegen.schema import (
    Chapter,
    Figure,
    FigureRef,
    Page,
    Step,
    Term,
)

if TYPE_CHECKING:
    from jinja2 import Environment


class Finished(Struct, frozen=True):
    """`pages`: path -> HTML; `anchors`: the ids on each; `links`: what they lead to on other pages; `files`: path in
    the site -> (run, file of it); `later`: those that come on demand; `rows` of the search; `terms`: where they are
    linked."""

    pages: dict[str, bytes]
    anchors: dict[str, tuple[str, ...]]
    links: tuple[check.Link, ...]
    files: dict[str, tuple[str, str]]
    later: tuple[str, ...]
    rows: str
    terms: dict[str, tuple[Place, ...]]


class Rendered(Struct, frozen=True):
    """One page, the ids on it, and its links to other pages."""

    html: str
    anchors: tuple[str, ...]
    links: tuple[check.Link, ...]


@remembered
def finish(facts: Sealed[Facts], asked: Sealed[Asked], shown: Sealed[Shown], theme: Sealed[Theme]) -> Finished:
    """Raises Findings where a figure, a template or a page is wrong."""
    unit = linked(facts.value, asked.value, theme.value.site.glossary)
    errors: list[SitegenError] = []
    resolved = resolve(unit, asked.value, shown.value, theme.value, errors)
    if errors:
        raise Findings(errors)
    renderer = _renderer(asked.value, resolved, theme)
    html = renderer.page_of_chapter(unit) if isinstance(unit, Chapter) else renderer.page_of_page(unit)
    pages = {facts.value.path: _rendered(facts.value.path, html, theme.value, unit)}
    for place in figure_places(unit):
        own, run = asked_by(place.ref, asked.value, theme.value), _run_of(place.ref, shown.value)
        pages[render.figure_path(place.ref.id)] = figure_page(sealed_place(place), sealed(own), run, theme)
    rows = search.Rows(theme.value.site.bibliography, asked.value.numbers, asked.value.values)
    return Finished(
        pages={path: one.html.encode() for path, one in pages.items()},
        anchors={path: one.anchors for path, one in pages.items()},
        links=tuple(link for one in pages.values() for link in one.links),
        files=dict(_files(unit, resolved)),
        later=tuple(_on_demand(resolved)),
        rows=rows.of_chapter(unit) if isinstance(unit, Chapter) else rows.of_page(unit),
        terms=glossary.places(texts_of(unit), theme.value.site.glossary),
    )


def sealed_place(place: render.FigurePlace) -> Sealed[render.FigurePlace]:
    return sealed(place, place.ref.options, place.ref.state)


@remembered
def figure_page(
    place: Sealed[render.FigurePlace], asked: Sealed[Asked], shown: Sealed[Shown], theme: Sealed[Theme]
) -> Rendered:
    """The page of one figure, which asks for what its caption does: an edited text beside it is no matter."""
    ref, errors = place.value.ref, list[SitegenError]()
    figure = figures.resolve(ref, _known(asked.value, shown.value, theme.value), errors)
    assert figure, "it was resolved for the page on which it stands"
    figure = replace(figure, room=place.value.room)
    html = _renderer(asked.value, {ref.id: figure}, theme).figure(place.value)
    return _rendered(render.figure_path(ref.id), html, theme.value)


def _rendered(path: str, html: str, theme: Theme, *units: Chapter | Page) -> Rendered:
    """A page that is well by itself; else Findings. Of the page of a unit it is known what its author wrote where."""
    prose = tuple(map(_prose, units))
    places = {place.ref.id: place.ref.place("id") for unit in units for place in figure_places(unit)}
    outline = check.outline(check.without_rows(html) if render.is_figure(path) else html)
    if wrong := list(check.page_errors(path, outline, "".join(one.html for one in prose), places)):
        raise Findings(wrong)
    anchors = tuple(dict.fromkeys(identity for identity, _ in outline.ids))
    shared, assets = f"{'../' * path.count('/')}{theme.asset_folder}/", frozenset(theme.assets)
    outline.links = [
        one for one in outline.links if not one[0].startswith(shared) or one[0][len(shared) :] not in assets
    ]
    every = check.links({path: outline}, *prose, prefix=render.prefix_of(theme.site))
    links = (one for one in every if one.target != path or one.fragment not in ("", *anchors))
    return Rendered(html, anchors, tuple(links))


def _run_of(ref: FigureRef, shown: Shown) -> Sealed[Shown]:
    name = ref.run or ""
    return sealed_runs(
        {name: shown.runs[name]} if name in shown.runs else {},
        {name: shown.timings[name]} if name in shown.timings else {},
    )


def linked(facts: Facts, asked: Asked, terms: Mapping[str, Term]) -> Chapter | Page:
    """The text of a unit with numbers, whole references, terms and symbols in place."""
    text = text_of(facts)
    numbers = asked.numbers
    if isinstance(text, Chapter):
        numbers = replace(numbers, formulas=numbering.of_chapter(text).formulas)
    for change in (numbering.with_numbers(numbers), *((glossary.with_terms(terms),) if terms else ())):
        changed = walk.changed_chapter(text, change) if isinstance(text, Chapter) else walk.changed_page(text, change)
        text = changed
    return text


def resolve(
    unit: Chapter | Page, asked: Asked, shown: Shown, theme: Theme, errors: list[SitegenError]
) -> dict[str, Figure]:
    """Its figures by their ids, and what is wrong with them and with the states of its steps."""
    known = _known(asked, shown, theme)
    found: dict[str, Figure] = {}
    for place in figure_places(unit):
        if figure := figures.resolve(place.ref, known, errors):
            found[place.ref.id] = replace(figure, room=place.room)
    for step, shared in _shared(unit, found):
        errors += figures.state_errors(step, shared)
    return found


def figure_places(unit: Chapter | Page) -> Iterator[render.FigurePlace]:
    return render.figure_places(unit) if isinstance(unit, Chapter) else render.figure_places_of_page(unit)


def _shared(unit: Chapter | Page, found: Mapping[str, Figure]) -> Iterator[tuple[Step, Figure]]:
    """The steps without a figure of their own, each with the one before it that it shares."""
    for act in unit.acts if isinstance(unit, Chapter) else ():
        figure = None
        for step in act.steps:
            if step.figure:
                figure = found.get(step.figure.id)
            elif figure:
                yield step, figure


def _known(asked: Asked, shown: Shown, theme: Theme) -> figures.Known:
    return figures.Known(
        theme.kinds,
        shown.runs,
        asked.fresh,
        frozenset(asked.unusable),
        frozenset(theme.broken_kinds),
        frozenset(asked.verified),
        shown.timings,
    )


def _renderer(asked: Asked, resolved: Mapping[str, Figure], theme: Sealed[Theme]) -> render.Renderer:
    material = render.Material(
        theme.value.asset_folder,
        frozenset(theme.value.assets),
        resolved,
        asked.quotes,
        asked.values,
        asked.media,
        asked.verification,
        asked.cover,
        theme.value.feed,
        asked.numbers,
        theme.value.index,
        asked.entries,
    )
    return render.Renderer(theme.value.site, material, environment(theme.value.templates))


_environments: dict[frozenset[tuple[str, str]], Environment] = {}


def environment(templates: Mapping[str, str]) -> Environment:
    """One for the same templates, whatever of a site they are to show; that of other ones is let go."""
    known = frozenset(templates.items())
    if known not in _environments:
        _environments.clear()
        _environments[known] = render.environment(templates, compiled_templates())
    return _environments[known]


def _files(unit: Chapter | Page, resolved: Mapping[str, Figure]) -> Iterator[tuple[str, tuple[str, str]]]:
    """What figures replay and show: path in the site -> (run, file of it)."""
    shared = {(figure.run.run, step.still) for step, figure in _shared(unit, resolved) if figure.run and step.still}
    for figure in resolved.values():
        if not (run := figure.run):
            continue
        base = figures.data_path(run)
        yield f"{base}.json", (run.run, "run.json")
        if run.weights:
            yield f"{base}.bin", (run.run, run.weights.file)
        if figure.timings:
            yield f"{figures.timings_path(run, figure.timings)}.json", (run.run, "timings.json")
        stills = {figure.ref.still, *(still for name, still in shared if name == run.run)}
        for name, address in figure.pictures.items():
            if name in stills:
                yield address.removeprefix(markers.ROOT), (run.run, run.images[name].file)


def _on_demand(resolved: Mapping[str, Figure]) -> Iterator[str]:
    """Weights that were rounded to be shipped: such a model is large, and fetched when a reader wants it to compute."""
    for figure in resolved.values():
        if figure.run and figure.run.weights and figure.run.weights.quantised:
            yield f"{figures.data_path(figure.run)}.bin"


def _prose(unit: Chapter | Page) -> check.Prose:
    """What of its page was written in Markdown: so that a dead link is told where, and as, its author wrote it."""
    if isinstance(unit, Chapter):
        path, html, root = walk.path_of_chapter(unit), "".join(walk.html_of_chapter(unit)), render.CHAPTER_ROOT
    else:
        path, html = walk.path_of_page(unit), unit.html
        root = "" if unit.slug in ("", "404") else "../"
    return check.Prose(path, markers.only(html, "line", "root"), root)


def texts_of(unit: Chapter | Page) -> list[tuple[str, Place]]:
    """Its running texts with their places, but for what the first page says of it."""
    found: list[tuple[str, Place]] = []
    if isinstance(unit, Chapter):
        walk.changed_chapter(replace(unit, outcomes=()), walk.noting(found))
    else:
        walk.changed_page(unit, walk.noting(found))
    return found
