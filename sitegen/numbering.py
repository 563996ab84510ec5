"""Numbers of figures and formulas, act by act, and what a reference to them, to a step, an act or a section says.

Figure 6.3 is the third of act 6; what stands in a section counts by a letter, A.1, what stands in the opening by 0.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from msgspec import Struct, field

from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.markdown import walk
from sitegen.markdown.markers import Marker, markers, replace
from sitegen.markdown.walk import Change, Place
from sitegen.schema import Act, Chapter, FigureRef, Location, Site

_FORMULA = re.compile("(\x00equation\x1f[^\x00]*\x00)(<math.*?</math>)", re.DOTALL)


class Target(Struct, frozen=True):
    """What a reference leads to. `chapter` is its title, told where the reference stands elsewhere."""

    page: str
    anchor: str
    text: str  # "Figure 6.3"
    chapter: str


class Numbers(Struct, frozen=True):
    """`figures`: id -> "6.3"; `letters`: (chapter, section) -> "A"; `formulas`: place of its marker -> "3.1";
    `targets`: "chapter#id" -> Target, where a figure is found by its id alone too."""

    figures: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[tuple[str, str], str] = field(default_factory=dict)
    formulas: Mapping[Location, str] = field(default_factory=dict)
    targets: Mapping[str, Target] = field(default_factory=dict)

    def whole(self, written: str, chapter: str) -> str:
        """A reference as `targets` has it, wherever it stands."""
        here = f"{chapter}#{written}"
        return here if here in self.targets else written

    def without_formulas(self) -> Numbers:
        """What other pages may ask for."""
        return Numbers(self.figures, self.letters, {}, self.targets)

    def link(self, whole: str, root: str, page: str) -> str:
        """The link that a reference becomes on a page."""
        target = self.targets[whole]
        here = target.page == page
        text = escape(target.text, quote=False)
        if not here and target.chapter:
            text += f" of <em>{escape(target.chapter, quote=False)}</em>"
        return f'<a class="ref" href="{"" if here else root + target.page}#{target.anchor}">{text}</a>'


def numbers(site: Site) -> Numbers:
    return together(map(of_chapter, site.chapters))


def of_chapter(chapter: Chapter) -> Numbers:
    """Those of one chapter; no other chapter has a say in them."""
    found = _Counted({}, {}, {}, {})
    found.chapter(chapter)
    return Numbers(found.figures, found.letters, found.formulas, found.targets)


def together(chapters: Iterable[Numbers]) -> Numbers:
    """Those of all chapters; of two figures with one id the first counts, and that is told elsewhere."""
    found = _Counted({}, {}, {}, {})
    for one in chapters:
        for name, number in one.figures.items():
            found.figures.setdefault(name, number)
        for whole, target in one.targets.items():
            found.targets.setdefault(whole, target)
        found.letters.update(one.letters)
        found.formulas.update(one.formulas)
    return Numbers(found.figures, found.letters, found.formulas, found.targets)


def numbered(site: Site, known: Numbers) -> Site:
    """The site with a number at each formula, and whole references."""
    return walk.changed(site, with_numbers(known))


def with_numbers(known: Numbers) -> Change:
    """What gives a text its numbers and whole references."""

    def change(html: str, place: Place) -> str:
        if "\x00equation" in html:
            html = _FORMULA.sub(lambda found: _formula(next(markers(found[1])), found[2], known), html)
        if "\x00ref" in html:
            html = replace(html, lambda one: str(_whole(one, place, known)) if one.kind == "ref" else str(one))
        return html

    return change


def errors(marked: Iterable[tuple[Marker, str]], known: Numbers) -> Iterator[SitegenError]:
    """References that lead nowhere, and labels that stand twice, of markers and the chapter ("" on pages) of each."""
    labels: dict[str, Location] = {}
    for marker, chapter in marked:
        if marker.kind == "ref":
            (written,) = marker.arguments
            if known.whole(written, chapter) not in known.targets:
                hint = nearest(written, {one.removeprefix(f"{chapter}#") for one in known.targets})
                yield ContentError(f"there is no {written!r} to refer to", at=marker.at, hint=hint)
        elif marker.kind == "equation" and marker.arguments[0]:
            label = f"{chapter}#{marker.arguments[0]}"
            if label in labels:
                hint = f"the other is {labels[label]}"
                yield ContentError(f"two formulas have the label {marker.arguments[0]!r}", at=marker.at, hint=hint)
            labels.setdefault(label, marker.at)


def _formula(marker: Marker, math: str, known: Numbers) -> str:
    """A display formula in a box that scrolls by itself, with its number, if it stands in a chapter."""
    number, label = known.formulas.get(marker.at), marker.arguments[0]
    if not number:
        return f'<div class="equation" tabindex="0" role="group" aria-label="Equation">{math}</div>'
    identity = label or f"eq-{number.replace('.', '-')}"
    return (
        f'<div class="equation" id="{identity}" tabindex="0" role="group" aria-label="Equation {number}">{math}'
        f'<span class="number" aria-hidden="true">({number})</span></div>'
    )


def _whole(marker: Marker, place: Place, known: Numbers) -> Marker:
    return Marker("ref", (known.whole(marker.arguments[0], place.chapter),), marker.at)


@dataclass(slots=True)
class _Counted:
    figures: dict[str, str]
    letters: dict[tuple[str, str], str]
    formulas: dict[Location, str]
    targets: dict[str, Target]

    def chapter(self, chapter: Chapter) -> None:
        letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        for part in walk.parts_of(chapter):
            if isinstance(part, Act):
                self._act(part, chapter)
                continue
            label = "0"
            if part.kind == "section":
                counts = bool(part.figures) or "\x00equation" in part.html
                label = next(letters, "Z") if counts else ""
                if label:
                    self.letters[chapter.slug, part.slug] = label
                self._target(chapter, part.slug, part.slug, part.title)
            self._count(chapter, label, [(ref, ref.id) for ref in part.figures], part.html)

    def _act(self, act: Act, chapter: Chapter) -> None:
        self._target(chapter, act.id, act.id, f"act {act.number}")
        for step in act.steps:
            self._target(chapter, step.id, step.id, f"act {act.number}, step {step.number}")
        figures = [(step.figure, step.id) for step in act.steps if step.figure]
        texts = [act.lead, *(step.html for step in act.steps), act.after]
        self._count(chapter, str(act.number), figures, "".join(texts))

    def _count(self, chapter: Chapter, label: str, figures: list[tuple[FigureRef, str]], html: str) -> None:
        for number, (ref, anchor) in enumerate(figures, 1):
            self.figures[ref.id] = f"{label}.{number}"
            for name in (ref.id, f"{chapter.slug}#{ref.id}"):
                self._target(chapter, name, anchor, f"Figure {label}.{number}")
        for number, marker in enumerate(markers(html, ("equation",)), 1):
            self.formulas[marker.at] = f"{label}.{number}"
            if name := marker.arguments[0]:
                self._target(chapter, name, name, f"Equation {label}.{number}")

    def _target(self, chapter: Chapter, name: str, anchor: str, text: str) -> None:
        """Figures bring their whole names; all else is known within its chapter."""
        whole = name if name in self.figures or "#" in name else f"{chapter.slug}#{name}"
        self.targets.setdefault(whole, Target(walk.path_of_chapter(chapter), anchor, text, chapter.title))
