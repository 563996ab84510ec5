"""A site folder to every file of the published site, in memory: gathered, resolved, rendered and checked.

What a chapter or a page asks of the rest of the site is looked up for it; then it is finished by itself. So a unit of
which neither the text nor an answer changed is what an earlier build made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitegen import assets, check, citations, discovery, glossary, numbering, runs, search, values
from sitegen.build import finishing, offline, sharing, units
from sitegen.build.answers import Answers
from sitegen.build.baked import Baked
from sitegen.build.finishing import Finished
from sitegen.build.given import Asked, Theme
from sitegen.build.parallel import prepare
from sitegen.build.units import Facts
from sitegen.errors import Findings, RunError, SitegenError, ThemeError
from sitegen.markdown import walk
from sitegen.markdown.walk import Place
from sitegen.remembered import sealed
from sitegen.schema import (
    ChapterHead,
    Figure,
    Location,
    Neighbour,
    Page,
    RecipeInfo,
    Site,
    SiteHead,
    Term,
    Verification,
)


class Assembly(Struct, frozen=True):
    """`files`: path in the site -> bytes, pages included; `used`: runs that the site shows or quotes; `unverified`:
    what a site that is published should not have, beside warnings. `terms` are keys of the glossary that are linked."""

    site: SiteHead
    files: Mapping[str, bytes]
    pages: tuple[str, ...]
    figures: int
    used: frozenset[str]
    warnings: tuple[SitegenError, ...]
    unverified: tuple[SitegenError, ...]
    on_demand: frozenset[str]  # files that come only when a reader asks for them
    kept: frozenset[str]  # files that are kept for reading without a network
    terms: frozenset[str]
    draft: Draft

    def whole(self) -> Site:
        """The site with all its texts, as they are shown."""
        return self.draft.whole()

    def resolved(self) -> dict[str, Figure]:
        """All figures, by their ids."""
        return self.draft.resolved()


def assemble(site_dir: Path, url: str = "") -> Assembly:
    """Raises Findings with every mistake that could be found. `url`: where it is published, if not where it says."""
    draft = Draft(site_dir, url)
    draft.gather()
    draft.resolve()
    return draft.assembly(draft.finished())


@dataclass(slots=True)
class Draft:
    site_dir: Path
    url: str = ""
    errors: list[SitegenError] = field(default_factory=list)
    warnings: list[SitegenError] = field(default_factory=list)
    units: list[Facts] = field(default_factory=list)
    terms: dict[str, list[Place]] = field(default_factory=dict)  # of the glossary -> where they are linked
    defined: dict[str, Term] | None = None  # the glossary, once it is linked
    site: Site = field(init=False)  # its settings
    baked: Baked = field(init=False)
    assets: assets.Theme = field(init=False)
    answers: Answers = field(init=False)

    def gather(self) -> None:
        self.site, self.units = units.read(self.site_dir, self.errors)
        if self.url:
            self.site = replace(self.site, url=self.url)
        kinds = {ref.kind for one in self.units for ref in one.figures}
        self.assets = assets.read(self.site_dir, self.errors, kinds)
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
        self.baked.unusable |= {name for name, _ in self._named_runs()} - self.baked.runs.keys()
        self.answers = Answers(self.site_dir, self.site, self.units, self.baked, self.errors)

    def _named_runs(self) -> Iterator[tuple[str, Location]]:
        for one in self.units:
            yield from ((ref.run, ref.place("run")) for ref in one.figures if ref.run)
        for one in self.units:
            marks = (marker for marker in (*one.marks, *one.outcomes) if marker.kind == "value")
            yield from ((values.run_of(marker.arguments[0]), marker.at) for marker in marks)
        yield from ((values.run_of(claim.path), claim.at) for one in self.units for claim in one.claims)
        yield from ((head.cover.run, head.cover.at) for head in self._heads() if head.cover)

    def _heads(self) -> tuple[ChapterHead, ...]:
        return tuple(one.chapter for one in self.units if one.chapter)

    def resolve(self) -> None:
        self.answers.find()
        self.answers.covers = sharing.covers(self._heads(), self.baked.runs, self.errors)
        if self.errors:
            theme = self._theme(())
            for one in self.units:
                shown = self.answers.shown(one).value
                finishing.resolve(units.text_of(one), self.answers.asked(one), shown, theme, self.errors)
            raise Findings(self.errors)

    # ---------------------------------------------------------------------------------------------- finishing

    def finished(self) -> dict[str, Finished]:
        """Each unit by the path of its page; that of the glossary last, which says where all others use its terms."""
        neighbours = tuple(Neighbour(head.number, head.slug, head.title) for head in self._heads())
        themes = self._theme(neighbours), self._theme(self._outcomes())
        between, beside = (sealed(theme, theme.kinds) for theme in themes)
        calls = {
            one.path: (sealed(one), sealed(self.answers.asked(one)), self.answers.shown(one), between)
            for one in self.units
            if one.chapter
        }
        prepare(finishing.finish, [*calls.values()], sum(len(one.text) for one in self.units))
        found: dict[str, Finished] = {}
        broken: list[ThemeError] = []
        for one in sorted(self.units, key=lambda unit: unit.path == glossary.PAGE):
            try:
                if one.chapter:
                    found[one.path] = finishing.finish(*calls[one.path])
                else:
                    asked, shown = sealed(self._asked(one)), self.answers.shown(one)
                    found[one.path] = finishing.finish(sealed(one), asked, shown, beside)
            except Findings as wrong:
                self.errors += wrong.errors
            except ThemeError as error:
                broken.append(error)
            else:
                self._note_terms(one, found[one.path])
        if self.errors or broken:
            raise Findings(self.errors or broken[:1])
        return found

    def _asked(self, one: Facts) -> Asked:
        if one.path != glossary.PAGE:
            return self.answers.asked(one)
        titles = {head.slug: head.title for head in self._heads()} | {"": ""}
        names = {f"{head.slug}#{part}": name for head in self._heads() for part, name in head.parts.items()} | titles
        entries = glossary.entries(self._glossary(), self.terms, titles, names)
        return self.answers.asked(one, tuple(entries))

    def _note_terms(self, one: Facts, finished: Finished) -> None:
        outcomes: list[tuple[str, Place]] = []
        if one.chapter:
            walk.changed_outcomes(one.chapter, walk.noting(outcomes))
        for terms in (finished.terms, glossary.places(outcomes, self.site.glossary or {})):
            for key, places in terms.items():
                self.terms[key] = list(dict.fromkeys((*self.terms.get(key, ()), *places)))

    def _theme(self, chapters: tuple[ChapterHead, ...] | tuple[Neighbour, ...]) -> Theme:
        site = self.site
        head = SiteHead(
            title=site.title,
            description=site.description,
            url=site.url,
            language=site.language,
            repository=site.repository,
            footer=site.footer,
            raw_html=site.raw_html,
            chapters=chapters,
            pages=tuple(one.page for one in self.units if one.page),
            bibliography=site.bibliography or {},
            glossary=self._glossary(),
        )
        theme = self.assets
        feed = bool(sharing.feed_chapters(self._heads(), site.url))
        kinds = dict(sorted(theme.kinds.items()))
        return Theme(
            head, theme.templates, kinds, tuple(sorted(theme.broken_kinds)), theme.folder, tuple(sorted(theme.assets)),
            feed, search.INDEX,
        )  # fmt: skip

    def _glossary(self) -> dict[str, Term]:
        """Its definitions with references in place."""
        if self.defined is None:
            self.defined = walk.changed_terms(self.site.glossary or {}, self._linking())
        return self.defined

    def _outcomes(self) -> tuple[ChapterHead, ...]:
        """The heads of all chapters with what their readers learn as the first page shows it."""
        return tuple(
            replace(head, outcomes=walk.changed_outcomes(head, self._linking())) if head.outcomes else head
            for head in self._heads()
        )

    def _linking(self) -> walk.Change:
        known = numbering.with_numbers(self.answers.numbers)
        terms = glossary.with_terms(self.site.glossary) if self.site.glossary else None
        return lambda html, place: terms(known(html, place), place) if terms else known(html, place)

    # ---------------------------------------------------------------------------------------------- all files

    def assembly(self, finished: Mapping[str, Finished]) -> Assembly:
        theme = self._theme(self._heads())
        folder = theme.asset_folder
        shown = {f"{folder}/{name}": data for name, data in self.assets.assets.items()} | self.answers.media_files
        shown |= sharing.icon(self.assets.assets)
        shown[search.INDEX] = self._index(finished)
        for path, (run, file) in (item for one in finished.values() for item in one.files.items()):
            if path not in shown:
                shown[path] = (runs.runs_folder(self.site_dir) / run / file).read_bytes()
        pages = {path: html for one in finished.values() for path, html in one.pages.items()}
        covers = dict(sharing.cover_files(self._heads(), self.answers.covers, self.baked.runs, self.site_dir))
        try:
            environment = finishing.environment(theme.templates)
            documents = sharing.documents(theme.site, self._heads(), folder, environment)
        except ThemeError as error:
            raise Findings([error]) from error
        files = {**covers, **shown, **documents, **dict(sorted(pages.items()))}
        later = frozenset(path for one in finished.values() for path in one.later)
        unread = covers.keys() - shown.keys()
        kept = frozenset(offline.kept(files, unread)) - later
        files |= offline.worker(files, folder, later=later, unread=unread)
        anchors = {path: ids for one in finished.values() for path, ids in one.anchors.items()}
        links = (link for one in finished.values() for link in one.links)
        if dead := [*check.dead(links, anchors, files), *check.alike(files)]:
            raise Findings(dead)
        return Assembly(
            site=theme.site,
            files=files,
            pages=tuple(sorted(pages)),
            figures=sum(len(one.figures) for one in self.units),
            used=frozenset(self.baked.runs),
            warnings=tuple(self.warnings),
            unverified=tuple(self.baked.unverified()),
            on_demand=later,
            kept=kept,
            terms=frozenset(self.terms),
            draft=self,
        )

    def _index(self, finished: Mapping[str, Finished]) -> bytes:
        rows = search.Rows(self.site.bibliography or {}, self.answers.numbers, self.answers.values)
        homes = citations.homes(((one.path, one.marks) for one in self.units), self.site.bibliography or {})
        chapters = (finished[one.path].rows for one in self.units if one.chapter)
        pages = (finished[one.path].rows for one in self.units if one.page)
        return search.index([*chapters, rows.of_terms(self._glossary().values()), rows.of_references(homes), *pages])

    # ---------------------------------------------------------------------------------------------- for the checks

    def whole(self) -> Site:
        terms = self.site.glossary or {}
        texts = [finishing.linked(one, self.answers.asked(one), terms) for one in self.units]
        chapters = [text for text in texts if not isinstance(text, Page)]
        pages = tuple(text for text in texts if isinstance(text, Page))
        glossary_ = self._glossary() if self.site.glossary is not None else None
        return replace(self.site, chapters=tuple(chapters), pages=pages, glossary=glossary_)

    def resolved(self) -> dict[str, Figure]:
        theme, found, errors = self._theme(()), dict[str, Figure](), list[SitegenError]()
        for one in self.units:
            asked, shown = self.answers.asked(one), self.answers.shown(one).value
            text = finishing.linked(one, asked, self.site.glossary or {})
            found |= finishing.resolve(text, asked, shown, theme, errors)
        return found
