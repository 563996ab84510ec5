"""Terms and symbols of a site's texts to the entries of its glossary, and from each entry back to where it is used.

A term is marked by its author, `[softmax]{.term}`. A symbol is found in the formulas: everywhere it gets the colour of
its role; the first formula of a part that is this symbol and nothing else becomes a link, and below a display formula
stand those of its symbols that no formula of the part has explained before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from msgspec import Struct

from sitegen.errors import CheckError, ContentError, SitegenError, nearest
from sitegen.markdown import walk
from sitegen.markdown.markers import Marker, markers
from sitegen.markdown.walk import Change, Place
from sitegen.schema import Location, Site, Symbol, Term

PAGE = "glossary/index.html"
_INDEXED = r"<msub>(?:(?!</?msub>).)*</msub>|<msubsup>(?:(?!</?msub).)*</msubsup>"
# What formulas may stand in: a link within a link is none, and a title is no place for one.
_PARTS = re.compile(
    "(?P<inside><a\\b|<summary|<h\\d|\x00(?:cited|term)\x1f[^\x00]*\x00)|(?P<outside></(?:a|summary|h\\d)>)"
    '|(?P<display><div class="equation".*?</div>)|(?P<inline><math>.*?</math>)',
    re.DOTALL,
)


@dataclass(frozen=True)
class Glossary:
    """The terms by what they are called, and the symbols by where they stand for them."""

    terms: Mapping[str, Term]

    @cached_property
    def named(self) -> dict[str, Term]:
        return {name.casefold(): term for term in self.terms.values() for name in term.names}

    def find(self, key: str, text: str) -> Term | None:
        """The term of `[text]{.term key=…}`; without a key the text is one of its names."""
        return self.terms.get(key) if key else self.named.get(text.casefold())

    def symbols(self, place: Place) -> dict[str, Term]:
        """MathML -> what it stands for there; what is said of one act goes before what is said of all."""
        found: dict[str, Term] = {}
        for term in self.terms.values():
            found.update({one.mathml: term for one in term.symbols})
        for scope in (place.chapter, f"{place.chapter}#{place.part}"):
            for term in self.terms.values():
                found.update({one.mathml: term for one in term.local.get(scope, ())})
        return found

    def opening(self, key: str, text: str, root: str, page: str, title: str = "") -> str:
        """What opens the link of a term on a page; a letter alone has no name but a title."""
        term = self.find(key, text)
        assert term, "errors() told of terms that no one knows"
        role = f" {term.role}" if term.role else ""
        named = f' title="{escape(title)}"' if title else ""
        return f'<a class="term{role}" href="{"" if page == PAGE else root + PAGE}#{term.key}"{named}>'


def errors(marked: Iterable[Marker], terms: Mapping[str, Term], parts: Collection[str]) -> Iterator[SitegenError]:
    """Terms that the glossary does not have, and parts of the site that local symbols name and that are not there;
    `parts` are "chapter" and "chapter#part"."""
    glossary = Glossary(terms)
    for marker in marked:
        if marker.kind != "term":
            continue
        key, text, *_ = marker.arguments
        if glossary.find(key, text):
            continue
        if not terms:
            hint: str | None = f"begin content/glossary.toml with [{key or 'key'}]"
        else:
            hint = nearest(key, glossary.terms) if key else nearest(text, glossary.named)
        yield ContentError(f"the glossary has no {key or text!r}", at=marker.at, hint=hint)
    for term in terms.values():
        for where in term.local.keys() - set(parts):
            yield ContentError(f"the site has no part {where!r}", at=term.at, hint=nearest(where, parts))


def unused(terms: Mapping[str, Term], used: Collection[str]) -> list[SitegenError]:
    """Terms that no chapter or page leads to; `used` are the keys of the others."""
    hint = "mark it where it is first used: [word]{.term}"
    return [
        CheckError(f"no page leads to the term {key!r}", at=term.at, hint=hint)
        for key, term in terms.items()
        if key not in used
    ]


def places(texts: Iterable[tuple[str, Place]], terms: Mapping[str, Term]) -> dict[str, tuple[Place, ...]]:
    """Key -> where it is linked, each place once, in reading order; the glossary itself does not count. The symbols of
    the texts are linked."""
    glossary = Glossary(terms)
    found: dict[str, dict[Place, None]] = {}
    for html, place in texts:
        for marker in _terms(html):
            term = glossary.find(*marker.arguments[:2])
            if term and place.page != PAGE:
                found.setdefault(term.key, {})[place] = None
    return {key: tuple(one) for key, one in found.items()}


def linked(site: Site) -> Site:
    """The site with its symbols coloured and linked. Formulas have their numbers already."""
    if not site.glossary:
        return site
    return walk.changed(site, with_terms(site.glossary))


def with_terms(terms: Mapping[str, Term]) -> Change:
    """What links and colours the symbols of texts, one after the other in reading order."""
    return _Linker(Glossary(terms)).change


def _terms(html: str) -> Iterator[Marker]:
    return markers(html, ("term",))


@dataclass(slots=True)
class _Linker:
    glossary: Glossary
    part: tuple[str, str] | None = None
    scope: _Scope = field(init=False)

    def change(self, html: str, place: Place) -> str:
        if "<math" not in html and "\x00term" not in html:
            return html
        if self.part != (place.chapter, place.part):
            self.part = place.chapter, place.part
            self.scope = _Scope(self.glossary, self.glossary.symbols(place))
        depth = 0

        def put(found: re.Match[str]) -> str:
            nonlocal depth
            if found["inside"]:
                depth += 1
                for marker in _terms(found[0]):
                    self.scope.met(marker)
            elif found["outside"]:
                depth = max(0, depth - 1)
            elif found["display"]:
                return self.scope.display(found[0])
            else:
                return self.scope.inline(found[0], linking=not depth and place.page != PAGE)
            return found[0]

        return _PARTS.sub(put, html)


@dataclass(slots=True)
class _Scope:
    """A part of a chapter: what its symbols stand for, and which terms were linked or listed in it so far."""

    glossary: Glossary
    symbols: Mapping[str, Term]
    linked: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Longest first, so that W with an index is not taken for its index; other letters with an index are skipped,
        since it may change what they mean."""
        forms = [re.escape(one) for one in sorted(self.symbols, key=len, reverse=True)]
        self.pattern = re.compile("|".join([*forms, _INDEXED]))

    def met(self, marker: Marker) -> None:
        if term := self.glossary.find(*marker.arguments[:2]):
            self.linked.add(term.key)

    def inline(self, math: str, *, linking: bool) -> str:
        found: dict[str, Term] = {}
        html = self._coloured(math, found)
        inner = math.removeprefix("<math>").removesuffix("</math>")
        term = self.symbols.get(re.sub(r"^<mrow><mspace/>(<mi>[^<]*</mi>)</mrow>$", r"\1", inner))
        if not linking or not term or term.key in self.linked:
            return html
        self.linked.add(term.key)
        return f"{_opening(term, term.name)}{html}</a>"

    def display(self, equation: str) -> str:
        """The formula and, below it, what its symbols stand for."""
        found: dict[str, Term] = {}
        html = self._coloured(equation, found)
        # what is written as its name needs no words beside it
        new = {form: term for form, term in found.items() if term.key not in self.listed and _text(form) != term.name}
        first = {term.key: form for form, term in reversed(new.items())}
        self.listed |= first.keys()
        if not first:
            return html
        shown = (
            f"{_opening(self.glossary.terms[key])}<math>{_with_role(form, self.glossary.terms[key])}</math> "
            f"{self.glossary.terms[key].name}</a>"
            for key, form in reversed(first.items())
        )
        return f'{html}\n<p class="symbols">{" ".join(shown)}</p>'

    def _coloured(self, math: str, found: dict[str, Term]) -> str:
        """The formula with roles; `found` gets its symbols, each in the form in which it is shown, and their terms."""

        def put(match: re.Match[str]) -> str:
            form = self._form(match[0])
            term = self.symbols.get(form)
            if not term:
                return match[0]
            found.setdefault(form, term)
            return _with_role(match[0], term)

        return self.pattern.sub(put, math) if self.symbols else math

    def _form(self, math: str) -> str:
        """A letter with an index and an exponent is that letter with its index."""
        if not math.startswith("<msubsup>"):
            return math
        inner = math.removeprefix("<msubsup>")
        indexed = (one for one in self.symbols if one.startswith("<msub>"))
        known = (one for one in indexed if inner.startswith(one.removeprefix("<msub>").removesuffix("</msub>")))
        return next(known, math)


def _text(form: str) -> str:
    return re.sub("<[^>]*>", "", form)


def _with_role(form: str, term: Term) -> str:
    return re.sub(r"^<(\w+)", rf'<\1 class="{term.role}"', form) if term.role else form


def _opening(term: Term, *title: str) -> str:
    return str(Marker("term", (term.key, "", *title), Location("")))


class Entry(Struct, frozen=True):
    """A term as the page of the glossary shows it. `uses`: chapter's title, "" for pages -> places."""

    term: Term
    uses: Mapping[str, tuple[Place, ...]]
    others: tuple[tuple[Symbol, str], ...]  # symbols that stand for it in one place, and the place's name


def entries(
    terms: Mapping[str, Term], used: Mapping[str, Sequence[Place]], titles: Mapping[str, str], names: Mapping[str, str]
) -> list[Entry]:
    """All terms, by name. `used`: key -> its places; `titles`: slug of a chapter -> its title, "" -> ""; `names`: the
    same, and "chapter#part" -> what that is called."""
    found = []
    for term in sorted(terms.values(), key=lambda one: (one.name.casefold(), one.key)):
        uses: dict[str, list[Place]] = {}
        for place in used.get(term.key, ()):
            uses.setdefault(titles[place.chapter], []).append(place)
        others = tuple((one, names.get(where, where)) for where, all_ in term.local.items() for one in all_)
        found.append(Entry(term, {title: tuple(all_) for title, all_ in uses.items()}, others))
    return found
