"""Our own Markdown rules for markdown-it: roles, containers and dollar maths.

Each token knows its row: block tokens by `map`, inline tokens by `meta["row"]`, counted within their paragraph.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitegen.errors import ContentError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_ROLE = re.compile(r"\{([A-Za-z][\w-]*)\}(`+)(.+?)\2", re.DOTALL)
_ROLE_HEAD = re.compile(r"\{\s*(run|cite|ref)\b[^}`\n]*\}?")
_FENCE = re.compile(r"(:{3,})\s*(.*)$")
_CODE_FENCE = re.compile(r"(`{3,}|~{3,})")
# A dollar before these is no price: a command, or a letter that is raised, lowered, compared or put in braces.
_OPENS_MATH = re.compile(r"\\[A-Za-z]|[A-Za-z0-9({|]{1,3}\s?[_^=\\]")
_LABELLED = re.compile(r"(.*)\$\$\s*\{#([^{}]*)\}$", re.DOTALL)  # … $$ {#label}
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def install(md: MarkdownIt) -> None:
    md.inline.ruler.before("escape", "math_inline", _math_inline)
    md.inline.ruler.before("backticks", "role", _role)
    md.block.ruler.before("fence", "math_block", _math_block, _INTERRUPTS)
    md.block.ruler.before("fence", "container", _container, _INTERRUPTS)


def row(state: StateInline) -> int:
    """The row within its paragraph, counted on from where it was asked last."""
    src, position, found = state.env.get("row", ("", 0, 0))
    if src is not state.src or position > state.pos:
        position = found = 0
    found += state.src.count("\n", position, state.pos)
    state.env["row"] = state.src, state.pos, found
    return int(found)


def _problem(state: StateInline | StateBlock, line: int | None, error: ContentError) -> None:
    """Keep an error found while parsing; `line` is a row of the text, or None for the paragraph at hand."""
    state.env["problems"].append((line, error))


def _role(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    found = _ROLE.match(state.src, state.pos, state.posMax)
    if not found:
        return _broken_role(state, silent)
    if not silent:
        token = state.push("role", "", 0)
        token.content = " ".join(found[3].split())
        token.meta = {"role": found[1], "row": row(state)}
    state.pos = found.end()
    return True


def _broken_role(state: StateInline, silent: bool) -> bool:
    """What begins like a role of ours, `{run`, `{cite` or `{ref`, but is none."""
    found = _ROLE_HEAD.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("role_broken", "", 0)
        token.content, token.meta = found[0], {"role": found[1], "row": row(state)}
    state.pos = found.end()
    return True


def _math_inline(state: StateInline, silent: bool) -> bool:
    """`$x$`, as `formula_end` tells it from a price."""
    src, start = state.src, state.pos
    if src[start] != "$":
        return False
    if src.startswith("$$", start):
        token = None if silent else state.push("math_misplaced", "", 0)
        if token:
            token.meta = {"row": row(state)}
        close = src.find("$$", start + 2, state.posMax)
        state.pos = start + 2 if close < 0 else close + 2
        return True
    if end := formula_end(src, start, state.posMax):
        if not silent:
            token = state.push("math_inline", "math", 0)
            token.content, token.meta = src[start + 1 : end], {"row": row(state)}
        state.pos = end + 1
        return True
    if not silent and not _price(src, start) and _OPENS_MATH.match(src, start + 1):
        token = state.push("math_unclosed", "", 0)
        token.meta = {"row": row(state)}
        state.pos = start + 1
        return True
    return False


def formula_end(src: str, start: int, stop: int) -> int | None:
    """Where the formula that a dollar opens is closed: no space inside the dollars, no digit touching them outside, so
    "$5 and $6" is none. None for a dollar that opens no formula."""
    end = _closing_dollar(src, start + 1, stop)
    if end is None or end == start + 1 or _price(src, start):
        return None
    return None if src[start + 1].isspace() or src[end - 1].isspace() else end


def _price(src: str, start: int) -> bool:
    """A dollar right behind a digit, "5$", or between letters and digits, "US$5"."""
    before, behind = src[start - 1 : start], src[start + 1 : start + 2]
    return before.isdigit() or (before.isalpha() and behind.isdigit())


def _closing_dollar(src: str, start: int, stop: int) -> int | None:
    """Where the formula that began before `start` ends, or None; code and a digit behind the dollar end the search."""
    position = start
    while position < stop and src[position] != "`":
        if src[position] == "\\":
            position += 2
            continue
        if src[position] == "$":
            return None if position + 1 < stop and src[position + 1].isdigit() else position
        position += 1
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`$$` opens a display formula at the head of a line, `$$` or `$$ {#label}` closes it at the end of one; no empty
    line between."""
    first = _line(state, start)
    if state.is_code_block(start) or not first.startswith("$$"):
        return False
    if silent:
        return True
    rows, line = [first[2:].rstrip()], start
    while not (rows[-1].endswith("$$") or _LABELLED.match(rows[-1])):
        line += 1
        if line >= end or state.isEmpty(line):
            error = ContentError("this $$ is not closed", hint="add $$ at the end of the formula")
            _problem(state, start, error)
            state.line = line
            return True
        rows.append(_line(state, line).rstrip())
    labelled = _LABELLED.match(rows[-1])
    rows[-1] = labelled[1] if labelled else rows[-1][:-2]
    token = state.push("math_block", "math", 0)
    token.block, token.info = True, labelled[2] if labelled else ""
    token.content, token.map = "\n".join(rows), [start, line + 1]
    state.line = line + 1
    return True


def barred(row: str) -> str | None:
    """A formula in a row of a table that holds a bar, which ends the cell; None where there is none."""
    position = 0
    while (position := row.find("$", position)) >= 0:
        end = None if row[:position].endswith("\\") else formula_end(row, position, len(row))
        if end and "|" in row[position:end]:
            return row[position : end + 1]
        position = (end or position) + 1
    return None


def _container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`::: name title` to the next bare fence of exactly as many colons, so that others nest within."""
    opening = _FENCE.match(_line(state, start))
    if state.is_code_block(start) or not opening:
        return False
    if silent:
        return True
    colons, info = opening[1], opening[2].strip()
    if not info:
        hint = "a container is opened by ::: and a name, and closed by as many colons"
        _problem(state, start, ContentError("this fence of colons closes nothing", hint=hint))
        state.line = start + 1
        return True
    close = _closing_fence(state, start, end, colons)
    if close is None:
        error = ContentError(f"::: {info.split()[0]} is not closed", hint=f"add a line {colons} behind it")
        _problem(state, start, error)
    token = state.push("container_open", "div", 1)
    token.block, token.info, token.markup = True, info, colons
    token.map = [start, end if close is None else close]
    parent, line_max = state.parentType, state.lineMax
    state.parentType, state.lineMax = "container", end if close is None else close
    state.md.block.tokenize(state, start + 1, state.lineMax)
    state.push("container_close", "div", -1).block = True
    state.parentType, state.lineMax = parent, line_max
    state.line = end if close is None else close + 1
    return True


def _closing_fence(state: StateBlock, start: int, end: int, colons: str) -> int | None:
    depth, code = 0, ""
    for line in range(start + 1, end):
        text = _line(state, line)
        if fence := _CODE_FENCE.match(text):
            if not code:
                code = fence[1]
            elif text.strip().startswith(code) and not text.strip().strip(code[0]):
                code = ""
            continue
        found = None if code else _FENCE.match(text)
        if not found or found[1] != colons:
            continue
        if found[2].strip():
            depth += 1
        elif depth:
            depth -= 1
        else:
            return line
    return None
