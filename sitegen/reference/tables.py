"""Rows of words to a table of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """As code, also where it holds backticks itself."""
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _runs(text: str) -> list[str]:
    runs, here = [], ""
    for character in f"{text} ":
        if character == "`":
            here += character
        elif here:
            runs.append(here)
            here = ""
    return runs
