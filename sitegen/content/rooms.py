"""The text of a chapter's rooms.toml: how high each figure is once it lives, by its width, so its place is kept."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Toml


def read(text: str, path: str, errors: list[SitegenError]) -> dict[str, str]:
    """A figure's id -> "280 443 320 425": 443 pixels from a width of 280 on, 425 from one of 320 on."""
    toml = Toml(text, path)
    try:
        found = toml.read()
    except ContentError as error:
        errors.append(error)
        return {}
    for key, value in found.items():
        if not _is_room(value):
            hint = f"write {key} = [280, 443, 320, 425]: widths and heights by turns"
            errors.append(ContentError(f"{key!r} is no room of a figure", at=toml.at(key), hint=hint))
    return {key: " ".join(map(str, value)) for key, value in found.items() if _is_room(value)}


def _is_room(value: Any) -> bool:
    """Whole pixels, as many widths, which grow, as heights."""
    if not isinstance(value, list) or not value or len(value) % 2:
        return False
    whole = all(type(one) is int and one > 0 for one in value)
    return whole and all(one < other for one, other in pairwise(value[::2]))
