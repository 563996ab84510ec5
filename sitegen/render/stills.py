"""What a figure shows without a script: drawn by its kind's template, of the figure alone, once for all its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from sitegen.markdown import markers
from sitegen.markdown.markers import ROOT
from sitegen.remembered import Sealed, remembered, sealed
from sitegen.render.templates import theme_error, whole
from sitegen.schema import Figure, Location, SiteHead

if TYPE_CHECKING:
    from jinja2 import Environment


class Names(Struct, frozen=True):
    """What a template asks for: names that it does not define, and templates; `any`: one that it finds out later."""

    asked: tuple[str, ...]
    templates: tuple[str, ...]
    any: bool


@remembered
def names(source: str) -> Names:
    """Raises TemplateSyntaxError, without the template's name."""
    from jinja2 import Environment, meta

    tree = Environment().parse(source)
    templates = list(meta.find_referenced_templates(tree))
    found = tuple(sorted(filter(None, templates)))
    return Names(tuple(sorted(meta.find_undeclared_variables(tree))), found, None in templates)


class Drawing(Struct, frozen=True):
    """A kind's template with all that it may ask for beside the figure, which is `one`."""

    environment: Environment
    template: str
    given: Mapping[str, object]

    def of(self, figure: Figure) -> str:
        try:
            template = self.environment.get_template(self.template)
        except RecursionError as error:  # Jinja would tell it as one of the template that asks for this drawing
            raise theme_error(error, self.template) from None
        return whole(template.render({**self.given, "one": figure}), self.template)


@remembered
def drawn(figure: Sealed[Figure], drawing: Sealed[Drawing]) -> str:
    return drawing.value.of(figure.value)


def still(
    figure: Figure, environment: Environment, site: SiteHead, asset: Callable[[str], str], assets: Iterable[str]
) -> str:
    """HTML with the marker ROOT where the way to the root of the site is to stand.

    `asset` gives the path in the site of one of `assets`, when the template asks for it. Raises what a template may.
    """
    template = figure.kind.template
    drawing = Drawing(environment, template, {"site": site, "root": ROOT, "asset": lambda path: ROOT + asset(path)})
    source = _source(environment, template)
    if source is None:
        return drawing.of(figure)
    digest = hashlib.sha256(source.digest)
    digest.update(sealed(site).digest if "site" in source.asked else b"")
    if "asset" in source.asked:
        digest.update("\0".join((asset("site.css"), *sorted(assets))).encode())
    return drawn(_sealed(figure), Sealed(digest.digest(), lambda: drawing))


class _Source(Struct, frozen=True):
    """Of a template and those that it asks for: the digest of their texts, and which names they do not define."""

    digest: bytes
    asked: frozenset[str]


_sources: WeakKeyDictionary[Environment, dict[str, _Source | None]] = WeakKeyDictionary()


def _source(environment: Environment, template: str) -> _Source | None:
    """None if it is not known what it asks for, or if something is wrong with it."""
    known = _sources.setdefault(environment, {})
    if template not in known:
        known[template] = _read(environment, template)
    return known[template]


def _read(environment: Environment, template: str) -> _Source | None:
    from jinja2 import TemplateError

    texts: dict[str, str] = {}
    asked: set[str] = set()
    waiting = [template]
    while waiting:
        name = waiting.pop()
        if name in texts:
            continue
        assert environment.loader, "templates are looked up by name"
        try:
            texts[name] = environment.loader.get_source(environment, name)[0]
            found = names(texts[name])
        except (TemplateError, RecursionError):  # told by who draws with it
            return None
        if found.any:
            return None
        asked.update(found.asked)
        waiting += found.templates
    return _Source(sealed(dict(sorted(texts.items()))).digest, frozenset(asked))


def _sealed(figure: Figure) -> Sealed[Figure]:
    """Without the places where it was written, which move with the text above. Its runs are known by their digests, its
    tables follow from them."""
    nowhere = Location("")
    ref = replace(figure.ref, at=nowhere, places={}, caption=markers.without(figure.ref.caption, "line"))
    figure = replace(figure, ref=ref, kind=replace(figure.kind, at=nowhere))
    told = replace(figure, run=None, timings=None, tables=())
    plain = sealed(told, figure.kind, ref.options, ref.state, figure.state)
    run = figure.run.digest if figure.run else ""
    return Sealed(hashlib.sha256(plain.digest + run.encode()).digest(), lambda: figure)
