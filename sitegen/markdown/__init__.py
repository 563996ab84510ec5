"""Markdown to acts, sections and pages: HTML with markers, figures lifted out, every mistake with its line.

`act`, `section` and `inline` are what other modules call. Files: `syntax` (our rules for the parser), `document`
(tokens to HTML), `directives` (fences with a TOML body), `mathml`, `highlight`, `markers`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING

from msgspec import Struct

from sitegen.errors import ContentError, SitegenError
from sitegen.markdown import directives
from sitegen.markdown.document import LIFTED, Document, Source, inline, parse
from sitegen.markdown.markers import Marker
from sitegen.schema import CodeRef, FigureRef, Json, Location, Step

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["ActText", "SectionText", "Source", "act", "inline", "section", "words"]


class ActText(Struct, frozen=True):
    lead: str
    steps: tuple[Step, ...]
    after: str
    quotes: tuple[CodeRef, ...]
    errors: tuple[SitegenError, ...]


class SectionText(Struct, frozen=True):
    html: str
    figures: tuple[FigureRef, ...]
    quotes: tuple[CodeRef, ...]
    errors: tuple[SitegenError, ...]


@dataclass(slots=True)
class _Draft:
    """A step, or the lead (number 0), while it is read."""

    number: int
    title: str
    at: Location
    tokens: list[Token]
    figure: FigureRef | None
    state: dict[str, Json]
    state_at: Location | None = None
    state_places: dict[str, Location] = field(default_factory=dict)
    still: str | None = None


def act(source: Source, slug: str) -> ActText:
    """Split at level-2 headings: what stands before is the lead, exercises and the bridge go behind the steps."""
    document = parse(source)
    _check_headings(document, first=2)
    drafts = [_Draft(0, "", source.at(0), [], None, {})]
    after: list[Token] = []
    for block in _blocks(document.tokens):
        first = block[0]
        if first.type == "heading_open" and first.tag == "h2":
            title = document.html(block[1:2])
            drafts.append(_Draft(len(drafts), title, source.at(first.map[0]), [], None, {}))  # type: ignore[index]
        elif first.meta.get("container") in LIFTED or first.type == "footnote_block_open":
            after += block
        elif "directive" in first.meta:
            _direct(first.meta["directive"], drafts, slug, document)
        else:
            for token in block:
                if found := token.meta.get("directive"):
                    hint = "move it out of the collapsible part"
                    _error(document, f"a {found.name} of an act stands in a step itself", found.at, hint)
            drafts[-1].tokens += _deepen(block, source.shift)
    steps = tuple(_steps(drafts[1:], document))
    return ActText(
        document.html(drafts[0].tokens),
        steps,
        document.html(_deepen(after, source.shift)),
        tuple(document.quotes),
        tuple(document.errors),
    )


def section(source: Source) -> SectionText:
    """A part that is no act, or a page: figures stay where they are, as markers."""
    document = parse(source)
    _check_headings(document, first=2)
    tokens: list[Token] = []
    taken = {"title"}  # the ids of the section's own heading and, below, of its figures
    for block in _blocks(document.tokens):
        for token in block:
            if found := token.meta.get("directive"):
                _place(found, token, document)
        if block[0].type == "heading_open":
            block[0].attrs["id"] = f"{source.scope}-{_free(_slug(document.html(block[1:2])), taken)}"
        tokens += _deepen(block, source.shift)
    html = document.html(tokens)
    return SectionText(html, tuple(document.figures), tuple(document.quotes), tuple(document.errors))


def _place(found: directives.Directive, token: Token, document: Document) -> None:
    """A figure of a section stays where it is, as a marker."""
    if found.name == "state":
        _error(document, "a state belongs to a step of an act", found.at)
    else:
        default = f"{document.source.scope}-f{len(document.figures) + 1}"
        ref = directives.figure(found, default, document.inline, document.errors)
        document.figures.append(ref)
        token.content = str(Marker("figure", (ref.id,), found.at)) + "\n"


def words(html: str) -> str:
    """Inline HTML as plain text."""
    return " ".join(unescape(re.sub("<[^>]*>|\x00[^\x00]*\x00", "", html)).split())


def _slug(html: str) -> str:
    """The words of a heading, of any script, joined by hyphens: "C++" and "C#" are two."""
    text = unicodedata.normalize("NFKC", words(html)).casefold().replace("+", " plus ").replace("#", " sharp ")
    return re.sub(r"[\W_]+", "-", text).strip("-") or "part"


def _free(slug: str, taken: set[str]) -> str:
    """The slug, or the slug and a number where headings are equal."""
    found, number = slug, 1
    while found in taken or re.fullmatch(r"f\d+", found):
        number += 1
        found = f"{slug}-{number}"
    taken.add(found)
    return found


def _blocks(tokens: list[Token]) -> Iterator[list[Token]]:
    """Runs of tokens, each one block at the top level: a heading with its text, a list, a container."""
    block: list[Token] = []
    depth = 0
    for token in tokens:
        block.append(token)
        depth += token.nesting
        if depth == 0:
            yield block
            block = []
    assert not block, "every block is closed"


def _deepen(block: list[Token], shift: int) -> list[Token]:
    for token in block:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + shift)}"
    return block


def _check_headings(document: Document, first: int) -> None:
    level = first - 1
    for token in document.tokens:
        if token.type != "heading_open":
            continue
        here = int(token.tag[1])
        at = document.source.at(token.map[0] if token.map else None)
        if here < first:
            _error(document, "a level-1 heading belongs to the title", at, f"write {'#' * first}")
        elif here > level + 1:
            hint = f"write {'#' * (level + 1)}"
            _error(document, f"this heading of level {here} follows one of level {level}", at, hint)
        level = max(here, first)


def _direct(found: directives.Directive, drafts: list[_Draft], slug: str, document: Document) -> None:
    """A figure or a state inside an act belongs to the step it stands in."""
    draft = drafts[-1]
    if not draft.number:
        _error(document, f"a {found.name} stands inside a step", found.at, "put it below a level-2 heading")
    elif found.name == "figure":
        if draft.figure:
            _error(document, "a step brings one figure, this is its second", found.at, "begin another step with ##")
        draft.figure = directives.figure(found, f"{slug}-s{draft.number}", document.inline, document.errors)
        draft.state = {**draft.figure.state, **draft.state}
    else:
        draft.still, state = directives.state(found, document.errors)
        draft.state |= state
        draft.state_places |= {name: found.toml.at(name) for name in (*state, "still")}
        draft.state_at = found.at
        if not any(one.figure for one in drafts):
            _error(document, "there is no figure yet whose state could change", found.at, "add a {figure} before it")


def _steps(drafts: list[_Draft], document: Document) -> Iterator[Step]:
    """A step without a figure goes on from the state of the step before."""
    state: dict[str, Json] = {}
    for draft in drafts:
        if not words(draft.title):
            _error(document, "a step needs a title", draft.at, "write it behind ##")
        state = draft.state if draft.figure else {**state, **draft.state}
        yield Step(
            number=draft.number,
            id=f"{document.source.scope}-s{draft.number}",
            title=draft.title,
            html=document.html(draft.tokens),
            figure=draft.figure,
            state=state,
            at=draft.at,
            state_at=draft.state_at,
            still=draft.still,
            state_places=draft.state_places,
        )


def _error(document: Document, message: str, at: Location, hint: str | None = None) -> None:
    document.errors.append(ContentError(message, at=at, hint=hint))
