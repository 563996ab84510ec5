"""What a unit is given beside its text, each part known by its digest: a theme, answers to what it asks, and runs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from sitegen.errors import RunError
from sitegen.glossary import Entry
from sitegen.markdown import markers
from sitegen.markdown.highlight import CodeQuote
from sitegen.numbering import Numbers
from sitegen.remembered import Sealed, sealed
from sitegen.schema import Cover, FigureKind, FigureRef, Medium, Run, SiteHead, Timings, Verification


class Theme(Struct, frozen=True):
    """What all units have in common. The site has neighbours for chapters, heads for pages; `assets` are sorted."""

    site: SiteHead
    templates: Mapping[str, str]
    kinds: Mapping[str, FigureKind]
    broken_kinds: tuple[str, ...]
    asset_folder: str
    assets: tuple[str, ...]
    feed: bool
    index: str


class Asked(Struct, frozen=True):
    """What one unit asks of the rest of the site."""

    numbers: Numbers
    values: Mapping[str, str]
    quotes: Mapping[str, CodeQuote]
    media: Mapping[tuple[str, str], Medium]
    cover: Cover | None
    fresh: Mapping[str, bool]
    unusable: tuple[str, ...]  # runs whose errors were told
    verified: tuple[str, ...]
    verification: Verification = field(default_factory=Verification)
    entries: tuple[Entry, ...] = ()


class Shown(Struct, frozen=True):
    """The runs that its figures show: their digests stand for them where it is asked whether anything changed."""

    runs: Mapping[str, Run]
    timings: Mapping[str, Timings | RunError]


def asked_by(ref: FigureRef, asked: Asked, theme: Theme) -> Asked:
    """What of the answers to a unit is for one of its figures."""
    marks = [*markers.markers(ref.caption), *markers.markers(theme.site.footer)]
    texts, names = set(map(str, marks)), {name for marker in marks for name in marker.arguments}
    return Asked(
        numbers=Numbers(
            {ref.id: asked.numbers.figures[ref.id]} if ref.id in asked.numbers.figures else {},
            {},
            {},
            {name: target for name, target in asked.numbers.targets.items() if name in names},
        ),
        values={text: html for text, html in asked.values.items() if text in texts},
        quotes={target: quote for target, quote in asked.quotes.items() if target in names},
        media={one: path for one, path in asked.media.items() if one[1] in names},
        cover=None,
        fresh={name: fresh for name, fresh in asked.fresh.items() if name == ref.run},
        unusable=tuple(name for name in asked.unusable if name == ref.run),
        verified=tuple(name for name in asked.verified if name == ref.run),
    )


def sealed_runs(runs: Mapping[str, Run], timings: Mapping[str, Timings | RunError]) -> Sealed[Shown]:
    """A digest says all that is in a run, or in its timings."""
    digests = {name: run.digest for name, run in runs.items()}
    measured = {
        name: one.digest if isinstance(one, Timings) else f"{one.message}\0{one.hint}" for name, one in timings.items()
    }
    return Sealed(sealed((digests, measured)).digest, lambda: Shown(runs, timings))
