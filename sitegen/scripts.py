"""A script as written to the script as published: the same program without its comments."""

from __future__ import annotations

import re

# Everything in which a slash or a brace may be something else than it seems. A regular expression is one only behind
# an operator or an opening bracket; behind a value, a slash divides.
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[`{}]"""
    r"""|(?:(?<=[(,=:\[!&|?;{}>+])|(?<=\breturn))[ ]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/""",
    re.DOTALL,
)
_TEMPLATE = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*(?:`|\$\{|\Z)", re.DOTALL)


def without_comments(script: str) -> str:
    """JavaScript whose comments are gone, and the lines that held nothing else with them."""
    kept: list[str] = []
    start = position = 0
    braces: list[int] = []  # open braces within each ${…} of a template that is not closed yet
    while token := _TOKEN.search(script, position):
        position = token.end()
        text = token[0]
        if text.startswith(("//", "/*")):
            begin, position, instead = _cut(script, token.start(), position)
            kept += script[start:begin], instead
            start = position
        elif text == "{" and braces:
            braces[-1] += 1
        elif text == "}" and braces and braces[-1]:
            braces[-1] -= 1
        elif text == "`" or (text == "}" and braces):
            if text == "}":
                braces.pop()
            piece = _TEMPLATE.match(script, position)
            assert piece, "the pattern matches any text"
            position = piece.end()
            if piece[0].endswith("${"):
                braces.append(0)
    return "".join([*kept, script[start:]])


def _cut(script: str, begin: int, end: int) -> tuple[int, int, str]:
    """What to leave out for the comment at begin … end, and what stands there instead."""
    line = script.rfind("\n", 0, begin) + 1
    after = len(script) if (found := script.find("\n", end)) < 0 else found
    rest = script[end:after].strip()
    if not script[line:begin].strip():
        return (line, min(after + 1, len(script)), "") if not rest else (begin, end, "")
    if not rest:
        return len(script[:begin].rstrip(" ")), end, ""
    # a comment may keep two words apart, and one with a line break ends a statement
    return begin, end, "\n" if "\n" in script[begin:end] else "" if script[begin - 1] in " (" else " "
