"""A TOML file that holds one table a key: each as TOML with its own place, so that a mistake is told on its line."""

from __future__ import annotations

import re

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Toml

KEY = re.compile(r"[a-z0-9-]+")
_HEAD = re.compile(r"\[+([^\[\]]+)\]+\s*(?:#.*)?")


def tables(text: str, path: str, what: str, errors: list[SitegenError]) -> dict[str, Toml] | None:
    """Key -> table, in the order of the file; None, and an error, if it is no TOML. `what` is "reference"."""
    whole = Toml(text, path)
    try:
        keys = whole.read()
    except ContentError as error:
        errors.append(error)
        return None
    lines = text.split("\n")
    heads = [(row, found[1]) for row, line in enumerate(lines) if (found := _HEAD.fullmatch(line))]
    parts = {
        key: Toml("\n".join(lines[row + 1 : end]), path, row + 2)
        for (row, key), (end, _) in zip(heads, [*heads[1:], (len(lines), "")], strict=True)
        if KEY.fullmatch(key)
    }
    for key in keys.keys() - parts.keys():
        hint = "write [key] in lower case on a line of its own, and what belongs to it below"
        errors.append(ContentError(f"{key!r} is no {what}", at=whole.at(key), hint=hint))
    return parts
