"""What stands beside the text: footnotes, each of which is written once and used, and comments, which nobody reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sitegen.errors import ContentError, nearest
from sitegen.markdown.syntax import row

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_NOTE = re.compile(r"\[\^([^\]\s]+)\]")


def install(md: MarkdownIt, *, comments: bool) -> None:
    """Behind the plugin for footnotes; where HTML passes, comments do so too."""
    from mdit_py_plugins.footnote import footnote_plugin

    md.use(footnote_plugin)
    md.block.ruler.at("footnote_def", _definition, {"alt": ["paragraph", "reference"]})
    md.inline.ruler.after("footnote_ref", "footnote_missing", _missing)
    if comments:
        md.block.ruler.before("fence", "comment", _comment_block, {"alt": ["paragraph", "reference", "blockquote"]})
        md.inline.ruler.before("escape", "comment", _comment)


def problems(env: Mapping[str, Any]) -> list[tuple[int, ContentError]]:
    """(row, error) of each footnote to which nothing leads: what it says would be lost."""
    used = env.get("footnotes", {}).get("refs", {})
    hint = "refer to it: [^{}]"
    return [
        (line, ContentError(f"nothing leads to the footnote {name!r}", hint=hint.format(name)))
        for name, line in env.get("notes", {}).items()
        if used.get(f":{name}", -1) < 0
    ]


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    from mdit_py_plugins.footnote.index import footnote_def

    found = _NOTE.match(state.src, state.bMarks[start] + state.tShift[start])
    if not footnote_def(state, start, end, silent):
        return False
    if found and not silent:
        notes: dict[str, int] = state.env.setdefault("notes", {})
        if found[1] in notes:
            error = ContentError(f"two footnotes are called {found[1]!r}", hint="give one another name")
            state.env["problems"].append((start, error))
        notes.setdefault(found[1], start)
    return True


def _missing(state: StateInline, silent: bool) -> bool:
    """`[^name]` without a footnote of that name."""
    found = _NOTE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("footnote_missing", "", 0)
        hint = nearest(found[1], state.env.get("notes", {})) or f"add a line [^{found[1]}]: …"
        token.content, token.meta = found[1], {"row": row(state), "hint": hint}
    state.pos = found.end()
    return True


def _comment_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`<!-- … -->` on lines of its own is left out."""
    first = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or not state.src.startswith("<!--", first):
        return False
    line = start
    while line < end and "-->" not in state.src[max(first + 4, state.bMarks[line]) : state.eMarks[line]]:
        line += 1
    if line == end:
        state.env["problems"].append((start, ContentError("this comment is not closed", hint="add --> behind it")))
    elif state.src[state.bMarks[line] : state.eMarks[line]].rpartition("-->")[2].strip():
        return False  # a part of a line of text
    if not silent or line == end:
        state.line = min(line + 1, end)
    return True


def _comment(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("<!--", state.pos):
        return False
    close = state.src.find("-->", state.pos + 4, state.posMax)
    if close < 0:
        return False
    if not silent:
        token = state.push("comment", "", 0)
        token.content, token.meta = state.src[state.pos : close], {"row": row(state)}
    state.pos = close + 3
    return True
