"""One tree of errors. Each has a place, says what is wrong in the writer's words, and offers the way out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitegen.schema import Location

_LISTED = 20  # names in a hint


class SitegenError(Exception):
    """`at` is where the mistake is, `hint` is the way out; `str(error)` is `path:line: message` and the hint."""

    def __init__(self, message: str, *, at: Location | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.hint = hint

    def __str__(self) -> str:
        head = f"{self.at}: {self.message}" if self.at else self.message
        return f"{head}\n  hint: {self.hint}" if self.hint else head


class ContentError(SitegenError):
    """The site's Markdown or TOML says something that cannot be understood."""


class FigureError(SitegenError):
    """A figure asks for something its run or its kind does not have."""


class RunError(SitegenError):
    """A baked run is missing, damaged or not what its digest says."""


class RecipeError(SitegenError):
    """A recipe cannot be read, or does not record what it promised."""


class BakeError(SitegenError):
    """A bake went wrong while it ran."""


class VerificationError(SitegenError):
    """A run is not what its code produces, or two engines disagree on it."""


class DataError(SitegenError):
    """A data file is missing or is not the file whose sha256 is known."""


class ThemeError(SitegenError):
    """A template, figure kind, style sheet or script of the theme is wrong."""


class ScaffoldError(SitegenError):
    """A new site, chapter, act or run cannot be begun there, or not by that name."""


class CheckError(SitegenError):
    """A page breaks a promise to its readers: a dead link, a figure without words, a budget."""


def record(error: SitegenError) -> dict[str, str | int | None]:
    """An error for a program: its class, its place, what is wrong and the way out."""
    path, line = (error.at.path, error.at.line) if error.at else (None, None)
    return {"kind": type(error).__name__, "path": path, "line": line, "message": error.message, "hint": error.hint}


def named(kind: str) -> type[SitegenError]:
    """The class of that name; BakeError where there is none."""
    found = globals().get(kind)
    return found if isinstance(found, type) and issubclass(found, SitegenError) else BakeError


class Findings(SitegenError):
    """Several errors at once, in the order of their places."""

    def __init__(self, errors: Iterable[SitegenError]) -> None:
        self.errors = tuple(sorted(errors, key=_place))
        super().__init__("\n".join(str(error) for error in self.errors))

    def __str__(self) -> str:
        return self.message


def _place(error: SitegenError) -> tuple[str, int]:
    return (error.at.path, error.at.line or 0) if error.at else ("", 0)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint with the known name most like `name`, or a list of them, or None where there is none."""
    import difflib

    names = sorted(known, key=_numbers_in_order)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED + 1 else ""
    return f"known: {', '.join(names[:_LISTED] if more else names)}{more}" if names else None


def _numbers_in_order(name: str) -> tuple[list[str | int], str]:
    """9 before 10: texts and the numbers between them, and the name itself for 1 and 01."""
    import re

    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", name))], name
