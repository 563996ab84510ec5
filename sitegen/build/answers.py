"""What the units of a site ask of the rest of it: where references lead, values of runs, quoted code, pictures."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from sitegen import citations, glossary, numbering, pictures, quotes
from sitegen.build.baked import Baked
from sitegen.build.given import Asked, Shown, sealed_runs
from sitegen.build.units import Facts
from sitegen.errors import ContentError, FigureError, SitegenError, nearest
from sitegen.glossary import Entry
from sitegen.markdown.highlight import CodeQuote
from sitegen.markdown.markers import Marker, markers
from sitegen.numbering import Numbers
from sitegen.pictures import Picture
from sitegen.remembered import Sealed
from sitegen.schema import CodeRef, Cover, Location, Medium, Site, Verification
from sitegen.values import Known, check, expression_html, run_of


@dataclass(slots=True)
class Answers:
    """`find` looks everything up once, and tells what is not there; `asked` is what one unit gets of it."""

    site_dir: Path
    site: Site  # its settings
    units: Sequence[Facts]
    baked: Baked
    errors: list[SitegenError]
    numbers: Numbers = field(default_factory=Numbers)
    values: dict[str, str] = field(default_factory=dict)  # the text of a value's marker -> HTML
    quotes: dict[str, CodeQuote] = field(default_factory=dict)
    media: dict[tuple[str, str], Medium] = field(default_factory=dict)  # (file, source as written) -> what is shown
    media_files: dict[str, bytes] = field(default_factory=dict)
    covers: Mapping[str, Cover] = field(default_factory=dict)
    footer: tuple[Marker, ...] = ()  # what every page shows
    told: tuple[Marker, ...] = ()  # what pages beside the chapters may show of them, and of the glossary

    def __post_init__(self) -> None:
        self.footer = tuple(markers(self.site.footer))
        definitions = (term.definition for term in (self.site.glossary or {}).values())
        self.told = (
            *(marker for one in self.units for marker in one.outcomes),
            *(marker for html in definitions for marker in markers(html)),
        )

    def find(self) -> None:
        self.numbers = numbering.together(one.numbers for one in self.units)
        marked = [(marker, one.slug) for one in self.units for marker in one.marks]
        marked += ((marker, "") for marker in self.told)
        every = [*(marker for marker, _ in marked), *self.footer]
        self.errors += numbering.errors(marked, self.numbers)
        if self.site.glossary is not None:
            self.errors += glossary.errors(every, self.site.glossary, places_of(self.units))
        self.errors += self._equal_ids()
        self.errors += citations.errors(self.footer, [one.marks for one in self.units], self.site.bibliography)
        known = Known(self.baked.runs, self.baked.verification, self.baked.timings)
        self.values = dict(self._values(every, known))
        self._check_claims(known)
        refs = [ref for one in self.units for ref in one.code]
        refs += [CodeRef(marker.arguments[0], marker.at) for marker in every if marker.kind == "quote"]
        self.quotes = quotes.read(self.site_dir, refs, self.errors)
        for marker in every:
            if marker.kind == "media":
                self._take_media(marker)

    def _equal_ids(self) -> Iterator[SitegenError]:
        places: dict[str, Location] = {}
        for ref in (ref for one in self.units for ref in one.figures):
            if ref.id in places:
                hint = f"the other is {places[ref.id]}; give one an id of its own"
                yield ContentError(f"two figures have the id {ref.id!r}", at=ref.place("id"), hint=hint)
            places.setdefault(ref.id, ref.place("id"))

    def _values(self, every: Iterable[Marker], known: Known) -> Iterator[tuple[str, str]]:
        for marker in every:
            if marker.kind != "value" or run_of(marker.arguments[0]) in self.baked.unusable:
                continue
            try:
                yield str(marker), expression_html(marker.arguments[0], known, marker.at)
            except FigureError as error:
                self.errors.append(error)

    def _check_claims(self, known: Known) -> None:
        for claim in (claim for one in self.units for claim in one.claims):
            if run_of(claim.path) in self.baked.unusable:
                continue
            try:
                check(claim, known)
            except FigureError as error:
                self.errors.append(error)

    def _take_media(self, marker: Marker) -> None:
        source, home = marker.arguments[0], (self.site_dir / "content").resolve()
        if (marker.at.path, source) in self.media:
            return
        folder = (self.site_dir / marker.at.path).parent
        try:
            path = (folder / unquote(source)).resolve()
            data = path.read_bytes() if path.is_relative_to(home) else None
        except (OSError, RuntimeError, ValueError):  # a folder, too long a name, links that go round, NUL
            data = None
        if data is None:
            beside = (one.name for one in folder.glob("*") if one.suffix not in (".md", ".toml"))
            hint = nearest(unquote(source), beside) or "put it beside the text that shows it"
            if hint == f"did you mean {unquote(source)!r}?":
                hint = "what has this name there is no file below content/"
            self.errors.append(ContentError(f"the image {unquote(source)!r} is not there", at=marker.at, hint=hint))
            return
        stem, ending = (re.sub(r"[^A-Za-z0-9_-]+", "-", part) for part in (path.stem, path.suffix[1:]))
        called = pictures.KINDS.get(path.suffix.lower(), "")
        shown = pictures.read(data) if called else pictures.Picture("")
        if wrong := _damage(data, called, shown):
            what, hint = wrong
            self.errors.append(ContentError(f"the image {unquote(source)!r} {what}", at=marker.at, hint=hint))
        name = f"media/{stem}.{hashlib.sha256(data).hexdigest()[:12]}.{ending}".lower().rstrip(".")
        self.media[marker.at.path, source] = Medium(name, shown.width, shown.height)
        self.media_files[name] = data

    # -------------------------------------------------------------------------------------------------- of one unit

    def asked(self, unit: Facts, entries: tuple[Entry, ...] = ()) -> Asked:
        marks = [*unit.marks, *self.footer, *(self.told if unit.page else ())]
        refs = [marker.arguments[0] for marker in marks if marker.kind == "ref"]
        names = [name for written in refs for name in (f"{unit.slug}#{written}", written)]
        targets = {name: self.numbers.targets[name] for name in names if name in self.numbers.targets}
        code = [marker.arguments[0] for marker in marks if marker.kind == "quote"]
        code += [ref.target for ref in unit.code]
        pictures = [(marker.at.path, marker.arguments[0]) for marker in marks if marker.kind == "media"]
        shown = sorted(name for name in {ref.run for ref in unit.figures} if name)
        first = next(iter(self.covers.values()), None)
        return Asked(
            numbers=Numbers(unit.numbers.figures, unit.numbers.letters, {}, targets),
            values={key: self.values[key] for key in map(str, marks) if key in self.values},
            quotes={target: self.quotes[target] for target in code if target in self.quotes},
            media={one: self.media[one] for one in pictures if one in self.media},
            cover=self.covers.get(unit.slug) if unit.chapter else first,
            fresh={name: self.baked.fresh[name] for name in shown if name in self.baked.fresh},
            unusable=tuple(name for name in shown if name in self.baked.unusable),
            verified=tuple(name for name in shown if name in self.baked.verified),
            verification=self.baked.verification if unit.page else Verification(),
            entries=entries,
        )

    def shown(self, unit: Facts) -> Sealed[Shown]:
        names = sorted(name for name in {ref.run for ref in unit.figures} if name and name in self.baked.runs)
        found = {name: self.baked.runs[name] for name in names}
        timings = {name: self.baked.timings[name] for name in names if name in self.baked.timings}
        return sealed_runs(found, timings)


def _damage(data: bytes, called: str, found: Picture) -> tuple[str, str] | None:
    """What is wrong with a picture, and the way out; `called` is the kind that its name says, if it is one we know."""
    if not data:
        return "is empty", "put the picture there"
    if not called:
        return None
    if found.wrong:
        return f"cannot be shown: {found.wrong}", "save it again"
    if not found.kind:
        return "is no picture, whatever its name says", "save it as PNG, JPEG, WebP, GIF or SVG"
    return (f"is {found.kind}, and its name says {called}", "rename it") if found.kind != called else None


def places_of(units: Iterable[Facts]) -> set[str]:
    """Chapters and their parts, as local symbols name them."""
    heads = [one.chapter for one in units if one.chapter]
    return {name for head in heads for name in (head.slug, *(f"{head.slug}#{part}" for part in head.parts))}
