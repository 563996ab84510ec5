"""Which row of a TOML text a key stands on: a search by eye, since parsers keep no places."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEAD = re.compile(r"\s*\[")


def row_of(lines: Sequence[str], name: str) -> int | None:
    """The first row that has `name` as a key, as a table or, failing that, in any way."""
    key = re.compile(rf"\s*(?:\[+\s*(?:[\w-]+\.)*)?[\"']?{re.escape(name)}[\"']?\s*[=.\]]")
    for row, line in enumerate(lines):
        if name in line and key.match(line):
            return row
    return next((row for row, line in enumerate(lines) if name in line), None)


def row_within(lines: Sequence[str], table: str, name: str) -> int | None:
    """The row of a key of a table, which is a part of the text, `[table]`, or of one line, `table = { name = … }`."""
    quoted = rf"[\"']?{re.escape(name)}[\"']?"
    dotted = re.compile(rf"\s*(?:\[+\s*)?{re.escape(table)}\s*\.\s*{quoted}\s*[=\].]")
    head = re.compile(rf"\s*\[+\s*{re.escape(table)}\s*\]")
    key = re.compile(rf"\s*{quoted}\s*[=.]")
    inside = False
    for row, line in enumerate(lines):
        if dotted.match(line) or (inside and key.match(line)):
            return row
        if _HEAD.match(line):
            inside = bool(head.match(line))
    return row_of(lines, table)


def key_of(line: str) -> tuple[str, str] | None:
    """A line's key and what is written behind it, without a comment: ("title", "1.10")."""
    found = re.fullmatch(r"\s*([\w-]+)\s*=\s*(.*?)\s*(?:#[^\"']*)?", line)
    return (found[1], found[2]) if found else None
