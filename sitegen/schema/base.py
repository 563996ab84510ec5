"""What the other values are made of."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Number = int | float
Json = None | bool | int | float | str | list[Any] | dict[str, Any]
Precision = Literal["exact", "drawn", "tolerant", "never"]


class Location(Struct, frozen=True):
    """A place in a file: `path` is relative to the site folder, with forward slashes; lines count from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"
