"""A site folder to every file of the published site, in memory: gathered, resolved, rendered and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from sitegen import assets, check, citations, content, discovery, figures, quotes, render, runs, search, values
from sitegen.build import linking, offline, sharing
from sitegen.build.baked import Baked
from sitegen.build.compiled import compiled_templates
from sitegen.build.written import written
from sitegen.errors import ContentError, FigureError, Findings, RunError, SitegenError, ThemeError, nearest
from sitegen.markdown import walk
from sitegen.markdown.markers import Marker, markers
from sitegen.schema import Act, CodeRef, Cover, Figure, FigureRef, Location, RecipeInfo, Section, Site, Verification


@dataclass(frozen=True, slots=True)
class Assembly:
    """`files`: path in the site -> bytes, pages included; `used`: runs that the site shows or quotes; `unverified`:
    what a site that is published should not have, beside warnings."""

    site: Site
    files: Mapping[str, bytes]
    outlines: Mapping[str, check.Outline]
    figures: Mapping[str, Figure]
    used: frozenset[str]
    warnings: tuple[SitegenError, ...]
    unverified: tuple[SitegenError, ...] = ()
    on_demand: frozenset[str] = frozenset()  # files that come only when a reader asks for them
    kept: frozenset[str] = frozenset()  # files that are kept for reading without a network


def assemble(site_dir: Path, url: str = "") -> Assembly:
    """Raises Findings with every mistake that could be found. `url`: where it is published, if not where it says."""
    draft = _Draft(site_dir, url)
    draft.gather()
    material = draft.resolve()
    if draft.errors:
        raise Findings(draft.errors)
    compiled = compiled_templates()
    try:
        pages = render.pages(draft.site, material, compiled)
        documents = sharing.documents(draft.site, material, compiled)
    except ThemeError as error:
        raise Findings([error]) from error
    shown, covers = draft.files(), draft.cover_files()
    files = {**covers, **shown, **documents, **{path: html.encode() for path, html in pages.items()}}
    outlines = {
        path: check.outline(check.without_rows(html) if render.is_figure(path) else html)
        for path, html in pages.items()
    }
    later, unread = frozenset(draft.on_demand()), covers.keys() - shown.keys()
    kept = frozenset(offline.kept(files, unread)) - later
    files |= offline.worker(files, draft.theme.folder, later=later, unread=unread)
    if found := check.broken(outlines, files.keys(), written(draft.site), render.prefix_of(draft.site)):
        raise Findings(found)
    return Assembly(
        draft.site,
        files,
        outlines,
        draft.figures,
        frozenset(draft.baked.runs),
        tuple(draft.warnings),
        tuple(draft.baked.unverified()),
        later,
        kept,
    )


@dataclass(slots=True)
class _Draft:
    site_dir: Path
    url: str = ""
    errors: list[SitegenError] = field(default_factory=list)
    warnings: list[SitegenError] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)
    stills: set[tuple[str, str]] = field(default_factory=set)  # (run, picture) that steps show of a shared figure
    media: dict[tuple[str, str], str] = field(default_factory=dict)
    media_files: dict[str, bytes] = field(default_factory=dict)
    covers: dict[str, Cover] = field(default_factory=dict)
    index: tuple[str, bytes] = ("", b"")
    site: Site = field(init=False)
    baked: Baked = field(init=False)
    theme: assets.Theme = field(init=False)

    def gather(self) -> None:
        self.site, errors = content.gather(self.site_dir)
        self.errors += errors
        if self.url:
            self.site = replace(self.site, url=self.url)
        self.theme = assets.read(self.site_dir, self.errors, {ref.kind for ref in self._figure_refs()})
        infos: tuple[RecipeInfo, ...] = ()
        try:
            infos = discovery.discover(self.site_dir, discovery.model_packages(self.site_dir))
        except Findings as found:
            self.errors += found.errors
        verification = Verification()
        try:
            verification = runs.load_verification(self.site_dir)
        except RunError as error:
            self.errors.append(error)
        self.baked = Baked(self.site_dir, self.errors, self.warnings, verification)
        self.baked.load(self._named_runs(), {info.name: info for info in infos})

    def _named_runs(self) -> Iterator[tuple[str, Location]]:
        for ref in self._figure_refs():
            if ref.run:
                yield ref.run, ref.place("run")
        for marker in self._markers("value"):
            yield values.run_of(marker.arguments[0]), marker.at
        for part in self._parts():
            yield from ((values.run_of(claim.path), claim.at) for claim in part.claims)
        yield from ((one.cover.run, one.cover.at) for one in self.site.chapters if one.cover)

    # ----------------------------------------------------------------------------------------- resolving

    def resolve(self) -> render.Material:
        self.baked.unusable |= {name for name, _ in self._named_runs()} - self.baked.runs.keys()
        self.site, numbers = linking.linked(self.site, self.errors)
        self._resolve_figures()
        self.errors += citations.errors(self.site)
        known = values.Known(self.baked.runs, self.baked.verification, self.baked.timings)
        shown = dict(self._values(known))
        for part in self._parts():
            self._check_claims(part, known)
        refs = [ref for part in self._parts() for ref in part.code]
        refs += [CodeRef(marker.arguments[0], marker.at) for marker in self._markers("quote")]
        quoted = quotes.read(self.site_dir, refs, self.errors)
        for marker in self._markers("media"):
            self._take_media(marker)
        self.covers = sharing.covers(self.site, self.baked.runs, self.errors)
        if not self.errors:
            self.index = search.index(self.site, numbers, shown)
        return render.Material(
            self.theme.templates,
            self.theme.folder,
            frozenset(self.theme.assets),
            self.figures,
            quoted,
            shown,
            self.media,
            self.baked.verification,
            self.covers,
            feed=bool(sharing.feed_chapters(self.site)),
            numbers=numbers,
            index=self.index[0],
        )

    def _resolve_figures(self) -> None:
        known = figures.Known(
            self.theme.kinds,
            self.baked.runs,
            self.baked.fresh,
            frozenset(self.baked.unusable),
            self.theme.broken_kinds,
            self.baked.verified,
            self.baked.timings,
        )
        places: dict[str, Location] = {}
        for place in render.figure_places(self.site):
            ref = place.ref
            if ref.id in places:
                hint = f"the other is {places[ref.id]}; give one an id of its own"
                message = f"two figures have the id {ref.id!r}"
                self.errors.append(ContentError(message, at=ref.place("id"), hint=hint))
            places.setdefault(ref.id, ref.place("id"))
            if figure := figures.resolve(ref, known, place.root, self.errors):
                self.figures[ref.id] = figure
        for act in (act for chapter in self.site.chapters for act in chapter.acts):
            figure = None
            for step in act.steps:
                if step.figure:
                    figure = self.figures.get(step.figure.id)
                elif figure:
                    self.errors += figures.state_errors(step, figure)
                    if step.still and figure.run:
                        self.stills.add((figure.run.run, step.still))

    def _values(self, known: values.Known) -> Iterator[tuple[str, str]]:
        for marker in self._markers("value"):
            expression = marker.arguments[0]
            if values.run_of(expression) in self.baked.unusable:
                continue
            try:
                yield str(marker), values.expression_html(expression, known, marker.at)
            except FigureError as error:
                self.errors.append(error)

    def _check_claims(self, part: Act | Section, known: values.Known) -> None:
        for claim in part.claims:
            if values.run_of(claim.path) in self.baked.unusable:
                continue
            try:
                values.check(claim, known)
            except FigureError as error:
                self.errors.append(error)

    def _take_media(self, marker: Marker) -> None:
        source, home = marker.arguments[0], (self.site_dir / "content").resolve()
        folder = (self.site_dir / marker.at.path).parent
        try:
            path = (folder / unquote(source)).resolve()
            data = path.read_bytes() if path.is_relative_to(home) else None
        except (OSError, RuntimeError, ValueError):  # a folder, too long a name, links that go round, NUL
            data = None
        if data is None:
            pictures = (one.name for one in folder.glob("*") if one.suffix not in (".md", ".toml"))
            hint = nearest(unquote(source), pictures) or "put it beside the text that shows it"
            if hint == f"did you mean {unquote(source)!r}?":
                hint = "what has this name there is no file below content/"
            self.errors.append(ContentError(f"the image {unquote(source)!r} is not there", at=marker.at, hint=hint))
            return
        stem, ending = (re.sub(r"[^A-Za-z0-9_-]+", "-", part) for part in (path.stem, path.suffix[1:]))
        name = f"media/{stem}.{hashlib.sha256(data).hexdigest()[:12]}.{ending}".lower().rstrip(".")
        self.media[marker.at.path, source] = name
        self.media_files[name] = data

    # --------------------------------------------------------------------------------------------- files

    def files(self) -> dict[str, bytes]:
        """All but the pages: assets, media, and what figures replay."""
        found = {f"{self.theme.folder}/{name}": data for name, data in self.theme.assets.items()} | self.media_files
        found |= sharing.icon(self.theme.assets)
        found.update([self.index])
        for figure in self.figures.values():
            if run := figure.run:
                folder, base = runs.runs_folder(self.site_dir) / run.run, figures.data_path(run)
                found[f"{base}.json"] = (folder / "run.json").read_bytes()
                if run.weights:
                    found[f"{base}.bin"] = (folder / run.weights.file).read_bytes()
                if figure.timings:
                    timings = (folder / "timings.json").read_bytes()
                    found[f"{figures.timings_path(run, figure.timings)}.json"] = timings
                shown = {figure.ref.still, *(still for name, still in self.stills if name == run.run)}
                for name, address in figure.pictures.items():
                    if name in shown:
                        path = address.rpartition("../")[2]
                        found[path] = (folder / run.images[name].file).read_bytes()
        return found

    def on_demand(self) -> Iterator[str]:
        """Weights that were rounded to be shipped: such a model is large, and fetched when a reader lets it compute."""
        for figure in self.figures.values():
            if figure.run and figure.run.weights and figure.run.weights.quantised:
                yield f"{figures.data_path(figure.run)}.bin"

    def cover_files(self) -> dict[str, bytes]:
        found = {}
        for chapter in self.site.chapters:
            if chapter.cover and (cover := self.covers.get(chapter.slug)):
                image = self.baked.runs[chapter.cover.run].images[chapter.cover.picture]
                found[cover.href] = (runs.runs_folder(self.site_dir) / chapter.cover.run / image.file).read_bytes()
        return found

    # ----------------------------------------------------------------------------------------- walking

    def _parts(self) -> Iterator[Act | Section]:
        for chapter in self.site.chapters:
            yield from walk.parts_of(chapter)

    def _figure_refs(self) -> Iterator[FigureRef]:
        return (place.ref for place in render.figure_places(self.site))

    def _markers(self, kind: str) -> Iterator[Marker]:
        return (marker for html in walk.html_of(self.site) for marker in markers(html) if marker.kind == kind)
