"""What a build tells of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitegen.errors import SitegenError


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What was written. Stale runs are `warnings`."""

    out: Path
    pages: int
    figures: int
    files: int
    bytes: int
    warnings: tuple[SitegenError, ...]

    def __str__(self) -> str:
        counts = f"{counted(self.pages, 'page')}, {counted(self.figures, 'figure')}, {counted(self.files, 'file')}"
        told = [f"warning: {warning}" for warning in self.warnings]
        return "\n".join([*told, f"{counts}, {self.bytes / 1024:,.0f} KB in {self.out}"])


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
