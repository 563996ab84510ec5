"""TOML to checked values: front matter between `+++`, site.toml, chapter.toml, figure.toml, bodies of directives.

Every mistake keeps its line in the file, also where the TOML starts in the middle of it. Files: `toml` (text to
values), `places` (which line a key stands on), `advice` (what a parser says, in an author's words).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter.toml import REQUIRED, Key, Toml, is_of
from sitegen.schema import Location

__all__ = ["REQUIRED", "Key", "Toml", "control", "decoded", "is_of", "split", "strings"]

# What no page, feed or JSON can carry: control characters but for line feeds and tabs, and two that are none.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def decoded(data: bytes, path: str) -> str:
    """The text of a file with line ends of one kind; bytes that are not UTF-8 are raised with their line."""
    try:
        return _line_feeds(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        before = _line_feeds(error.object[: error.start].decode("latin-1"))
        at = Location(path, before.count("\n") + 1)
        raise ContentError("the file is not UTF-8", at=at, hint="save it as UTF-8") from None


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def control(text: str, path: str, errors: list[SitegenError]) -> str:
    """The text without control characters, each of whose lines is told: they are seen by nobody and break pages."""
    told: set[int] = set()
    for found in _CONTROL.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if line not in told:
            name = f"U+{ord(found[0]):04X}"
            message = f"this line holds a control character, {name}"
            errors.append(ContentError(message, at=Location(path, line), hint="delete it; it may be invisible"))
        told.add(line)
    return _CONTROL.sub("", text) if told else text


def split(text: str, path: str) -> tuple[Toml, str, int]:
    """Text of a Markdown file to its front matter, its body and the line on which the body begins."""
    lines = text.split("\n")
    if lines[0].rstrip() != "+++":
        hint = "begin the file with +++, then TOML, then +++"
        if lines[0].rstrip() == "---":
            hint = "front matter is TOML between +++ and +++, not YAML between ---"
        elif text.lstrip().startswith("+++"):
            hint = "nothing stands before the first +++, no empty line either"
        raise ContentError("the file has no front matter", at=Location(path, 1), hint=hint)
    for k, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "+++":
            return Toml("\n".join(lines[1:k]), path, 2), "\n".join(lines[k + 1 :]), k + 2
    raise ContentError("the front matter is not closed", at=Location(path, 1), hint="add a line +++ behind it")


def strings(value: str | Sequence[Any], name: str, toml: Toml, errors: list[SitegenError]) -> tuple[str, ...]:
    """A string or a list of strings as a tuple."""
    if isinstance(value, str):
        return (value,)
    if wrong := [one for one in value if not isinstance(one, str)]:
        errors.append(ContentError(f"{name!r} must hold strings, not {wrong[0]!r}", at=toml.at(name)))
    return tuple(one for one in value if isinstance(one, str))
