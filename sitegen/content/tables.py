"""A TOML file that holds one table a key: each as TOML with its own place, so that a mistake is told on its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Toml

KEY = re.compile(r"[a-z0-9-]+")
_HEAD = re.compile(r"\[([^\[\]]+)\]\s*(?:#.*)?")


def tables(text: str, path: str, what: str, errors: list[SitegenError]) -> dict[str, Toml] | None:
    """Key -> table, in the order of the file; None, and an error, if it is no TOML. `what` is "reference"."""
    whole = Toml(text, path)
    try:
        found = whole.read()
    except ContentError as error:
        errors.append(error)
        return None
    parts = {key: part for key, part in _parts(text, path, found) if KEY.fullmatch(key)}
    for key in found.keys() - parts.keys():
        hint = "write [key] in lower case on a line of its own, and what belongs to it below"
        errors.append(ContentError(f"{key!r} is no {what}", at=whole.at(key), hint=hint))
    return parts


def _parts(text: str, path: str, found: Mapping[str, Any]) -> list[tuple[str, Toml]]:
    """Each table with its rows of the file; a line of a longer string may look like a head, but names no table."""
    lines = text.split("\n")
    heads = [(row, head[1]) for row, line in enumerate(lines) if (head := _HEAD.fullmatch(line))]
    heads = [(row, key) for row, key in heads if isinstance(found.get(key), dict)]
    ends = [*(row for row, _ in heads), len(lines)][1:]
    return [
        (key, Toml("\n".join(lines[row + 1 : end]), path, row + 2, found[key]))
        for (row, key), end in zip(heads, ends, strict=True)
    ]
