"""Roles, spans, formulas, images and links within a paragraph: our inline tokens to finished HTML or markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from sitegen.errors import ContentError, nearest
from sitegen.markdown.forms import ROLES, SPANS
from sitegen.markdown.markers import Marker
from sitegen.markdown.mathml import mathml
from sitegen.schema import Location

if TYPE_CHECKING:
    from markdown_it.token import Token

    from sitegen.markdown.document import Document

_EXAMPLE = {"cite": "key", "ref": "figure-id", "run": "name.metrics.loss:.3f"}
_CITE = re.compile(r"([\w-]+(?:\s*,\s*[\w-]+)*)(?::(text))?")
_REF = re.compile(r"(?:[a-z0-9-]+#)?[a-z0-9-]+")
_TO_REF = re.compile(r"(?:/([a-z0-9-]+)/(?:index\.html)?)?#([a-z0-9-]+)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def finish(token: Token, row: int, document: Document) -> None:
    """Turns our inline tokens into finished HTML, in place, and marks where each line of the file begins."""
    from markdown_it.token import Token as NewToken

    children: list[Token] = []
    spans: list[str] = []  # closing HTML of those that are open
    links = 0
    line = row

    def become(child: Token, html: str) -> None:
        child.type, child.content = "html_inline", html

    def mark() -> None:
        child = NewToken("html_inline", "", 0)
        child.content = str(Marker("line", (), document.source.at(line)))
        children.append(child)

    mark()
    ahead = token.children or []
    for place, child in enumerate(ahead):
        at = document.source.at(row + child.meta["row"] if "row" in child.meta else line)
        try:
            match child.type:
                case "role":
                    if (links or "</a>" in spans) and child.meta["role"] in ("cite", "ref"):
                        what = "citation" if child.meta["role"] == "cite" else "reference"
                        raise ContentError(f"a {what} is a link, it cannot stand inside another one", at=at)
                    become(child, _role(child.meta["role"], child.content, at))
                case "role_broken":
                    name = child.meta["role"]
                    hint = (
                        f"write {{{name}}}`{_EXAMPLE[name]}`, with no space before the backticks, or \\{{ for a brace"
                    )
                    raise ContentError(f"{child.content!r} begins a role that is none", at=at, hint=hint)
                case "math_inline":
                    line += child.content.count("\n")
                    become(child, mathml(child.content, at, display=False))
                case "comment":
                    line += child.content.count("\n")
                    become(child, "")
                case "footnote_ref" if not document.source.scope:
                    raise ContentError("a footnote cannot stand in such a line", at=at, hint="put it into the text")
                case "footnote_missing":
                    raise ContentError(f"there is no footnote {child.content!r}", at=at, hint=child.meta["hint"])
                case "math_unclosed":
                    raise ContentError(
                        "this $ opens a formula that is not closed", at=at, hint=r"close it, or write \$"
                    )
                case "math_misplaced":
                    hint = "put $$ at the beginning of a line of its own, or write $…$"
                    raise ContentError("a display formula cannot stand in a line of text", at=at, hint=hint)
                case "span_open":
                    within = links or "</a>" in spans
                    spans.append("</span>")
                    html = _span(child, _text_of_span(ahead, place), at)
                    if within and not html.startswith("<"):
                        raise ContentError("this span becomes a link, it cannot stand inside another one", at=at)
                    spans[-1] = "</span>" if html.startswith("<") else "</a>"
                    become(child, html)
                case "span_close":
                    become(child, spans.pop())
                case "image":
                    _image(child, at)
                case "link_close":
                    links -= 1
                case "link_open":
                    links += 1
                    href = str(child.attrs["href"])
                    child.attrs["href"] = _href(href, at)
                    if ahead[place + 1].type == "link_close":  # [](#id): what stands there names itself
                        become(child, _reference(href, at))
                        ahead[place + 1].hidden = True
                case "softbreak" | "hardbreak":
                    line += 1
        except ContentError as error:
            document.errors.append(error)
            become(child, "")
        if child.meta.get("insecure_attrs"):
            name = next(iter(child.meta["insecure_attrs"]))
            document.errors.append(ContentError(f"the attribute {name!r} is not allowed here", at=at))
        children.append(child)
        if child.type in ("softbreak", "hardbreak"):
            mark()
    token.children = children


def _role(name: str, content: str, at: Location) -> str:
    if name not in ROLES:
        raise ContentError(f"there is no role {name!r}", at=at, hint=nearest(name, ROLES))
    if name == "run":
        return str(Marker("value", (content,), at))
    if name == "ref":
        if not _REF.fullmatch(content):
            hint = "write {ref}`figure-id`, {ref}`a6-s3` for a step, or {ref}`other-chapter#a1`"
            raise ContentError(f"{content!r} is no reference", at=at, hint=hint)
        return str(Marker("ref", (content,), at))
    found = _CITE.fullmatch(content)
    if not found:
        hint = "write {cite}`key`, {cite}`one, another`, or {cite}`key:text` for Author (year)"
        raise ContentError(f"{content!r} is no citation", at=at, hint=hint)
    keys = [key.strip() for key in found[1].split(",")]
    return str(Marker("cite", (found[2] or "brackets", *keys), at))


def _span(token: Token, text: str, at: Location) -> str:
    """What opens a span: a cited one leads to its source, a term to the glossary, so they wait for their page."""
    names = str(token.attrs.get("class", "")).split()
    key = str(token.attrs.get("key", ""))
    if len(names) != 1 or names[0] not in SPANS:
        wrong = " ".join(names) or "nothing"
        hint = (
            "write [0.88]{.cited key=source} for a number of others, [0.5]{.given} for one that was chosen, "
            "[query]{.term} for a word of the glossary, [Drag it.]{.live} for words that need a living figure"
        )
        raise ContentError(f"a span is cited, given, a term or live, not {wrong!r}", at=at, hint=hint)
    if names == ["term"]:
        return str(Marker("term", (key, text), at))
    if names == ["cited"] and not key:
        raise ContentError("a cited number needs its source", at=at, hint="write [0.88]{.cited key=source}")
    if names == ["given"] and key:
        hint = "write [0.88]{.cited key=source}, or leave the key out"
        raise ContentError("a given number has no source", at=at, hint=hint)
    return str(Marker("cited", (key,), at)) if key and names == ["cited"] else f'<span class="{names[0]}">'


def _text_of_span(tokens: Sequence[Token], start: int) -> str:
    """The plain text of the span that opens at `start`."""
    text, depth = "", 0
    for token in tokens[start:]:
        depth += (token.type == "span_open") - (token.type == "span_close")
        if not depth:
            break
        text += " " if token.type == "softbreak" else token.content if token.type in ("text", "code_inline") else ""
    return text


def _reference(href: str, at: Location) -> str:
    """A link without text says where it leads: "[](#replay)", "[](/other-chapter/#a1)"."""
    found = _TO_REF.fullmatch(href)
    if not found:
        raise ContentError(f"the link {href!r} has no text", at=at, hint="write [text](address), or [](#id)")
    return str(Marker("ref", (f"{found[1]}#{found[2]}" if found[1] else found[2],), at))


def _image(token: Token, at: Location) -> None:
    source = unquote(str(token.attrs["src"]))
    if not token.content.strip():
        raise ContentError(
            f"the image {source!r} needs an alternative text", at=at, hint="write ![what it shows](file)"
        )
    if _SCHEME.match(source):
        raise ContentError(f"the image {source!r} lies elsewhere", at=at, hint="copy it beside the text")
    _refuse_backslashes("image", source, at)
    sized = "width" in token.attrs or "height" in token.attrs
    token.attrs["src"] = str(Marker("media", (quote(source), *(() if sized else ("size",))), at))


def _href(href: str, at: Location) -> str:
    """Links from the site's root ("/chapter/") become relative when the page's place is known."""
    written = unquote(href)
    if re.match(r"file:|[A-Za-z]:[\\/]", written, re.IGNORECASE):
        raise ContentError(f"the link '{written}' leads to a file of one machine", at=at, hint="link to a page")
    if not _SCHEME.match(href):
        _refuse_backslashes("link", written, at)
    if not href.startswith("/") or href.startswith("//"):
        return href
    path, hash_sign, fragment = href[1:].partition("#")
    if not path or path.endswith("/"):
        path += "index.html"
    return str(Marker("root", (href,), at)) + path + hash_sign + fragment


def _refuse_backslashes(what: str, written: str, at: Location) -> None:
    if "\\" in written:
        hint = f"write {written.replace(chr(92), '/')}"
        raise ContentError(f"the {what} '{written}' has backslashes", at=at, hint=hint)
