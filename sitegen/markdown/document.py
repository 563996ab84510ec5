"""One Markdown text to a stream of tokens in which all of our own syntax is already HTML or markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.markdown import directives, inlines, remarks, syntax
from sitegen.markdown.forms import CONTAINERS
from sitegen.markdown.highlight import LANGUAGES, highlight
from sitegen.markdown.markers import Marker
from sitegen.markdown.mathml import mathml
from sitegen.schema import CodeRef, FigureRef, Location

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LIFTED = ("bridge", "exercise")  # parts of an act that stand behind its steps
_LAYOUT = re.compile(r"[^\S\u00a0\u2007\u202f]+")  # white space, but for what keeps words together
_DEEPEST = 60  # blocks within one another; the parser leaves out without a word what lies deeper


class Source(Struct, frozen=True):
    """Markdown with its place. `scope` begins the ids made here; headings stand `shift` levels deeper on the page."""

    text: str
    path: str
    line: int
    scope: str
    shift: int
    raw_html: bool = False

    def at(self, row: int | None) -> Location:
        return Location(self.path, None if row is None else self.line + row)


@dataclass(slots=True)
class Document:
    """The tokens of a source, and what was found while they were made."""

    source: Source
    tokens: list[Token]
    env: dict[str, Any]
    errors: list[SitegenError]
    figures: list[FigureRef] = field(default_factory=list)
    quotes: list[CodeRef] = field(default_factory=list)

    def html(self, tokens: Sequence[Token]) -> str:
        md = _parser(self.source.raw_html)
        rendered: str = md.renderer.render(tokens, md.options, self.env)
        return rendered.strip()

    def inline(self, text: str, at: Location) -> str:
        return inline(text, at, self.errors, raw_html=self.source.raw_html)


def parse(source: Source) -> Document:
    env: dict[str, Any] = {"problems": [], "docId": source.scope}
    tokens = _parser(source.raw_html).parse(source.text, env)
    document = Document(source, tokens, env, [])
    for row, error in [*env["problems"], *remarks.problems(env)]:
        error.at = source.at(row)
        document.errors.append(error)
    _Blocks(document).run()
    return document


def inline(text: str, at: Location, errors: list[SitegenError], *, raw_html: bool = False) -> str:
    """One paragraph of Markdown without the paragraph: a caption, a footer, a title."""
    source = Source(_LAYOUT.sub(" ", text).strip(" "), at.path, at.line or 1, "", 0, raw_html)
    md = _parser(raw_html)
    env: dict[str, Any] = {"problems": []}
    tokens = md.parseInline(source.text, env)[:1]  # behind the line stand its footnotes, which it cannot have
    document = Document(source, tokens, env, errors)
    for token in document.tokens:
        inlines.finish(token, 0, document)
    return document.html(document.tokens)


@cache
def _parser(raw_html: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.attrs import attrs_plugin

    md = MarkdownIt("commonmark", {"html": raw_html, "maxNesting": _DEEPEST}).enable("table")
    md.use(attrs_plugin, spans=True, allowed=("class", "id", "key", "lang", "width", "height"))
    remarks.install(md, comments=not raw_html)
    syntax.install(md)
    md.add_render_rule("footnote_block_open", lambda *_: '<section class="footnotes" aria-label="Notes">\n<ol>\n')
    md.add_render_rule("footnote_block_close", lambda *_: "</ol>\n</section>\n")
    md.add_render_rule("footnote_anchor", _footnote_anchor)
    md.add_render_rule("table_open", lambda *_: f"{scrolls('Table')}\n<table>\n")
    md.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    return md


def scrolls(label: str, name: str = "scrolls") -> str:
    """A box that can be wider than the text: it scrolls within itself, also by keyboard."""
    return f'<div class="{name}" tabindex="0" role="group" aria-label="{escape(label)}">'


def _footnote_anchor(_: Any, tokens: Sequence[Token], index: int, __: Any, env: dict[str, Any]) -> str:
    meta = tokens[index].meta
    suffix = f":{meta['subId']}" if meta["subId"] else ""
    target = f"fnref-{env['docId']}-{meta['id'] + 1}{suffix}"
    return f' <a href="#{target}" class="footnote-backref" aria-label="Back to the text">↩</a>'


class _Blocks:
    """Turns our block tokens into finished HTML, in place."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.containers: list[tuple[str, str]] = []  # (name, closing HTML) of those that are open
        self.row = 0
        self.lines = document.source.text.split("\n")
        self.too_deep = False

    def run(self) -> None:
        for token in self.document.tokens:
            if token.map:
                self.row = token.map[0]
            if token.nesting == 1 and token.level >= _DEEPEST - 1:
                self._refuse_depth(token)
            if token.type == "inline":
                inlines.finish(token, self.row, self.document)
            elif token.type in ("th_open", "td_open"):
                _align(token)
            elif token.type == "table_open":
                self._refuse_bars(token)
            elif token.type == "math_block":
                self._math(token)
            elif token.type in ("fence", "code_block"):
                if token.type == "fence" and self._open_ended(token):
                    self._error("this fence is not closed", f"add a line {token.markup} behind it")
                    token.type, token.content = "html_block", ""
                else:
                    self._fence(token)
            elif token.type == "container_open":
                self._open(token)
            elif token.type == "container_close":
                token.content = self.containers.pop()[1]
                token.type = "html_block"

    def _error(self, message: str, hint: str | None = None) -> None:
        self.document.errors.append(ContentError(message, at=self.document.source.at(self.row), hint=hint))

    def _refuse_depth(self, token: Token) -> None:
        if token.type.startswith(("list_item", "blockquote", "container")) and not self.too_deep:
            self._error("this is nested too deeply: what stands deeper would be lost", "begin a list of its own")
            self.too_deep = True

    def _refuse_bars(self, token: Token) -> None:
        """A bar ends a cell of a table, also within a formula, of which two halves would be left."""
        for self.row in range(*token.map) if token.map else ():
            if formula := syntax.barred(self.lines[self.row]):
                hint = r"write \vert for a bar, \mid between two things, \Vert for a double one"
                self._error(f"a bar in {formula} ends the cell of a table", hint)

    def _open_ended(self, token: Token) -> bool:
        """Whether a fence has no end, and so holds all that follows."""
        assert token.map, "a fence has a place"
        last = self.lines[token.map[1] - 1].strip(" \t>")
        closed = last.startswith(token.markup) and not last.strip(token.markup[0])
        return token.map[1] - token.map[0] < 2 or not closed

    def _math(self, token: Token) -> None:
        """A formula behind its marker, which waits for its number."""
        at = self.document.source.at(self.row)
        if token.info and not directives.NAME.fullmatch(token.info):
            self._error(f"{token.info!r} is no label of a formula", "a label is lower-case words joined by hyphens")
        try:
            formula = mathml(token.content, at, display=True)
        except ContentError as error:
            self.document.errors.append(error)
            return
        token.type, token.content = "html_block", f"{Marker('equation', (token.info,), at)}{formula}\n"

    def _fence(self, token: Token) -> None:
        at = self.document.source.at(self.row)
        try:
            found = directives.directive(token.info, token.content, at)
        except ContentError as error:
            self.document.errors.append(error)
            found = None
        else:
            if not found:
                return self._code(token)
        token.type, token.content = "html_block", ""
        if not found:
            return None
        if found.name == "references":
            directives.references(found, self.document.errors)
            token.content = str(Marker("references", (), at)) + "\n"
        elif found.name == "code":
            ref = directives.quote(found, self.document.errors)
            self.document.quotes.append(ref)
            token.content = str(Marker("quote", (ref.target,), at)) + "\n"
        elif token.level == len(self.containers) and all(name == "details" for name, _ in self.containers):
            token.meta["directive"] = found  # the act or section it stands in decides
        else:
            self._error(
                f"a {found.name} cannot stand inside another block", "move it out of the list, quote or container"
            )
        return None

    def _code(self, token: Token) -> None:
        language = token.info.strip() or "text"
        if language not in LANGUAGES:
            return self._error(f"code in {language!r} cannot be coloured", nearest(language, LANGUAGES))
        token.type, token.content = "html_block", f"{scrolls('Code')}{highlight(token.content, language)}</div>\n"
        return None

    def _open(self, token: Token) -> None:
        name, _, title = token.info.partition(" ")
        token.type = "html_block"
        token.meta["container"] = name
        if name not in CONTAINERS:
            self._error(f"there is no container {name!r}", nearest(name, CONTAINERS))
        parents = [parent for parent, _ in self.containers]
        if name == "answer" and "exercise" not in parents:
            self._error("an answer stands inside an exercise", "put it between ::: exercise and its :::")
        if name in LIFTED and (parents or token.level):
            self._error(f"{'an' if name[0] == 'e' else 'a'} {name} cannot stand inside another block")
        if name in ("exercise", "details") and not title.strip():
            self._error(f"this {name} needs a title", f"write ::: {name} Title")
        heading = self.document.inline(title.strip() or "Answer", self.document.source.at(self.row))
        level = 2 + self.document.source.shift
        opening, closing = {
            "exercise": (f'<div class="exercise">\n<h{level}>{heading}</h{level}>\n', "</div>\n"),
            "aside": ('<div class="aside" role="note">\n', "</div>\n"),
            "bridge": ('<div class="bridge">\n', "</div>\n"),
        }.get(name, (f'<details class="{name}"><summary>{heading}</summary>\n', "</details>\n"))
        token.content = opening
        self.containers.append((name, closing))


def _align(token: Token) -> None:
    """The alignment of a table's cell as a class, since pages refuse style attributes."""
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrs["class"] = f"align-{style.removeprefix('text-align:')}"
