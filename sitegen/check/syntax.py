"""The text of a script or style sheet to where it stops being one; the parsers are imported when a text is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sitegen.errors import ThemeError
from sitegen.remembered import remembered
from sitegen.schema import Location

if TYPE_CHECKING:
    from tree_sitter import Node

_HINT = "a browser leaves out a script or rule that it cannot read, and says so only in its console"
_END = "end"  # a rule behind all others: where something is left open, it is within that


def syntax_errors(name: str, text: str) -> list[ThemeError]:
    """The first mistake of a file below `templates/`, by its suffix; those that follow from it are not told."""
    found = _first_in_script(text) if name.endswith(".js") else _first_in_sheet(text)
    return [ThemeError(message, at=Location(f"templates/{name}", line), hint=_HINT) for line, message in found]


@remembered
def _first_in_script(text: str) -> list[tuple[int, str]]:
    """(line, message) of what is no JavaScript."""
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    lines = text.split("\n")
    for node in _broken(Parser(Language(tree_sitter_javascript.language())).parse(text.encode()).root_node):
        line = node.start_point[0]
        if node.is_missing:
            return [(line + 1, f"the script lacks {node.type!r} here")]
        if opened := [one for one in node.children if one.type in ("{", "(", "[", "${")]:
            line = opened[-1].start_point[0]  # what is left open makes one error of all around it
        return [(line + 1, f"the script cannot be read from here on: {_shortened(lines[line])}")]
    return []


def _broken(node: Node) -> Iterator[Node]:
    """What is wrong or missing, but in templates: what a tag makes of theirs is its own affair."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error and node.type != "template_string":
        for child in node.children:
            yield from _broken(child)


@remembered
def _first_in_sheet(text: str) -> list[tuple[int, str]]:
    """(line, message) of what is no CSS, whatever its properties are called."""
    import tinycss2

    tokens = tinycss2.parse_component_value_list(f"{text}\n@{_END};")
    wrong = list(_wrong(tinycss2.parse_stylesheet(tokens[:-2], skip_comments=True, skip_whitespace=True)))
    return sorted([*_open(tokens[-1]), *wrong], key=lambda one: one[0])[:1]


def _open(last: Any) -> Iterator[tuple[int, str]]:
    """The comment or block that a sheet ends in: there a `;` was put behind it, which is then its last token."""
    if last.type == "comment":
        yield last.source_line, "a comment is not closed"
    elif last != ";":
        yield last.source_line, "what opens here is not closed"


def _wrong(nodes: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """What a parser of CSS tells, in rules and all that they hold."""
    import tinycss2

    for node in nodes:
        if node.type == "error":
            yield node.source_line, f"the style sheet cannot be read here: {_said(node)}"
        for part in ("prelude", "value", "arguments"):
            if isinstance(inner := getattr(node, part, None), list):
                yield from _wrong(inner)
        if content := getattr(node, "content", None):
            yield from _wrong(tinycss2.parse_blocks_contents(content) if node.type.endswith("rule") else content)


def _said(node: Any) -> str:
    if node.kind == "invalid":
        return "it is no declaration, name: value, and no rule with a block"
    said = {"bad-string": "a string is not closed on its line", "eof-in-string": "a string is not closed"}
    return said.get(node.kind) or _shortened(str(node.message))


def _shortened(text: str) -> str:
    said = re.sub(r"\s+", " ", text.strip())
    return said if len(said) <= 60 else f"{said[:60]}…"
