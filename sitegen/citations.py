"""What pages cite: mistakes in it, and on one page the links to its references and the way back to each place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from msgspec import Struct

from sitegen.errors import CheckError, ContentError, SitegenError, nearest
from sitegen.markdown.markers import Marker
from sitegen.schema import Reference

OTHERS = "others"  # a last author who stands for those that are not named
_CITES = ("cite", "cited")


class Entry(Struct, frozen=True):
    """A reference as the list of a page shows it; `places` are the ids of all places that cite it, in order."""

    id: str
    reference: Reference
    authors: str
    year: str
    label: str  # "Vaswani et al. (2017)"
    places: tuple[str, ...]


def errors(
    footer: Iterable[Marker], pages: Iterable[Sequence[Marker]], bibliography: Mapping[str, Reference] | None
) -> Iterator[SitegenError]:
    """Sources that no one knows, and pages on which a citation leads nowhere, by the markers of each page."""
    for marker in footer:
        if marker.kind in _CITES:
            yield ContentError(
                "a citation cannot stand in the footer", at=marker.at, hint="not every page has references"
            )
    for found in pages:
        cites = [marker for marker in found if marker.kind in _CITES]
        lists = [marker for marker in found if marker.kind == "references"]
        for marker in cites:
            for key in keys_of(marker):
                if bibliography is not None and key not in bibliography:
                    hint = nearest(key, bibliography) or f"add [{key}] to content/bibliography.toml"
                    yield ContentError(f"the bibliography has no {key!r}", at=marker.at, hint=hint)
        if cites and not lists:
            hint = "add a section with ```{references} behind the last part"
            yield ContentError("this page cites, but has no list of references", at=cites[0].at, hint=hint)
        for marker in lists[1:]:
            hint = f"the other is {lists[0].at}"
            yield ContentError("a page has one list of references", at=marker.at, hint=hint)


def unused(pages: Iterable[Sequence[Marker]], bibliography: Mapping[str, Reference]) -> list[SitegenError]:
    """References that no page cites, and lists of references on pages that cite nothing."""
    found: list[SitegenError] = []
    cited: set[str] = set()
    for on_page in pages:
        keys = {key for marker in on_page if marker.kind in _CITES for key in keys_of(marker)}
        cited |= keys
        for marker in on_page:
            if marker.kind == "references" and not keys:
                hint = "cite with {cite}`key`, or leave the list out"
                found.append(CheckError("nothing is cited on this page", at=marker.at, hint=hint))
    for key, one in bibliography.items():
        if key not in cited:
            found.append(CheckError(f"the reference {key!r} is cited nowhere", at=one.at))
    return found


def homes(
    pages: Iterable[tuple[str, Sequence[Marker]]], bibliography: Mapping[str, Reference]
) -> dict[str, tuple[str, Reference]]:
    """Key -> the first page that cites it, as a path, and the work; in the order of the bibliography."""
    found: dict[str, str] = {}
    for path, on_page in pages:
        cites = (marker for marker in on_page if marker.kind in _CITES)
        for key in (key for marker in cites for key in keys_of(marker)):
            found.setdefault(key, path)
    return {key: (found[key], one) for key, one in bibliography.items() if key in found}


def keys_of(marker: Marker) -> tuple[str, ...]:
    return marker.arguments[1:] if marker.kind == "cite" else marker.arguments


# ------------------------------------------------------------------------------------------------ on one page


@dataclass(slots=True)
class PageCitations:
    """Counts the citations of one page while it is rendered, and then knows what its list shows."""

    bibliography: Mapping[str, Reference]
    places: dict[str, list[str]] = field(default_factory=dict)
    years: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.years = years(self.bibliography)

    def cite(self, form: str, keys: Iterable[str]) -> str:
        """(Vaswani et al., 2017; Ba et al., 2016), or as part of a sentence Vaswani et al. (2017)."""
        if form == "text":
            return " and ".join(self._link(key, self.label(key)) for key in keys)
        shown = (self._link(key, f"{names(self.bibliography[key])}, {self.years[key]}") for key in keys)
        return f"({'; '.join(shown)})"

    def cited(self, key: str) -> str:
        """What opens a number that was taken from a source."""
        return f'<a class="cited" {self._attributes(key)} title="{escape(self.label(key))}">'

    def label(self, key: str) -> str:
        return f"{names(self.bibliography[key])} ({self.years[key]})"

    def entries(self) -> list[Entry]:
        """What was cited so far, by author, year and title."""

        def order(key: str) -> tuple[list[str], int, str]:
            one = self.bibliography[key]
            return [name.casefold() for name in one.authors], one.year, one.title.casefold()

        return [
            Entry(
                f"ref-{key}",
                self.bibliography[key],
                everyone(self.bibliography[key]),
                self.years[key],
                self.label(key),
                tuple(self.places[key]),
            )
            for key in sorted(self.places, key=order)
        ]

    def _link(self, key: str, text: str) -> str:
        title = escape(self.bibliography[key].title)
        return f'<a class="citation" {self._attributes(key)} title="{title}">{escape(text, quote=False)}</a>'

    def _attributes(self, key: str) -> str:
        places = self.places.setdefault(key, [])
        places.append(f"cite-{key}-{len(places) + 1}")
        return f'id="{places[-1]}" href="#ref-{key}" role="doc-biblioref"'


def names(one: Reference) -> str:
    """Family names as a citation has them: one, two, or the first of more."""
    families = [name.partition(",")[0].strip() for name in one.authors]
    if len(families) > 2 or families[-1] == OTHERS:
        return f"{families[0]} et al."
    return " and ".join(families)


def everyone(one: Reference) -> str:
    """All authors, given names first: "Diederik P. Kingma and Jimmy Ba"."""
    written = [" ".join(part.strip() for part in reversed(name.split(",", 1))) for name in one.authors]
    if written[-1] == OTHERS:
        return f"{', '.join(written[:-1])} et al."
    return " and ".join([", ".join(written[:-1]), written[-1]] if len(written) > 1 else written)


def years(bibliography: Mapping[str, Reference]) -> dict[str, str]:
    """Years as citations have them: works that would be cited alike get a letter, by their titles."""
    alike: dict[tuple[str, int], list[Reference]] = {}
    for one in bibliography.values():
        alike.setdefault((names(one), one.year), []).append(one)
    found = {}
    for (_, year), works in alike.items():
        letters = "abcdefghijklmnopqrstuvwxyz"[: len(works)] if len(works) > 1 else [""]
        for letter, one in zip(letters, sorted(works, key=lambda work: work.title.casefold()), strict=True):
            found[one.key] = f"{year}{letter}"
    return found
