"""run.json as text: its canonical form, its digest, a layout that reads well in a diff, and where a value stands."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

# How many levels of these members get lines of their own; the members of any other get one line each.
_DEEPER = {"probe": 2, "provenance": 2, "weights": 2}
_DIGEST_LINE = re.compile(r'\n "digest":"[0-9a-f]{64}",?(?=\n)')
_INDENT = re.compile(r"\n *")


def canonical(value: Any) -> str:
    """JSON without spaces, keys sorted, no NaN: one text for one value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(run: dict[str, Any]) -> str:
    """The sha256 of a run's canonical JSON without the member `digest`."""
    return sha256(canonical({name: value for name, value in run.items() if name != "digest"}).encode())


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def laid_out(run: dict[str, Any]) -> str:
    """A run as the text of its file: the canonical JSON, with line breaks and indents put in and nothing else."""
    return _lines(run, 1, "") + "\n"


def _lines(value: Any, depth: int, indent: str, name: str = "") -> str:
    breakable = isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict))
    if not breakable or not value or depth < 0:
        return canonical(value)
    inner = indent + " "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _lines(item, depth - 1, inner) for item in value) + f"\n{indent}]"
    members = (
        f"{inner}{canonical(key)}:{_lines(value[key], _DEEPER.get(key, 1) - 1 if not indent else depth - 1, inner)}"
        for key in sorted(value)
    )
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"


def digest_of_text(text: str) -> str | None:
    """The digest of a file laid out as above, without parsing it; None where it states none.

    Only what the writer puts in is taken out: line feeds, the spaces behind them, and one line of the digest.
    """
    rest, stated = _DIGEST_LINE.subn("", text, count=1)
    return sha256(_INDENT.sub("", rest).encode()) if stated else None


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line of the value at `path` (keys and indices), or of the last of its ancestors that is there."""
    decoder = json.JSONDecoder()
    space = re.compile(r"[ \t\r\n]*")

    def skip(position: int) -> int:
        match = space.match(text, position)
        return match.end() if match else position

    here = skip(0)
    for part in path:
        position = skip(here + 1)
        index = 0
        while text[position] not in "]}":
            start = position
            key: str | int = index
            if text[here] == "{":
                key, position = decoder.raw_decode(text, position)
                position = skip(skip(position) + 1)  # over the colon
            if key == part:
                here = start if text[here] == "{" and part == path[-1] else position
                break
            _, position = decoder.raw_decode(text, position)
            position = skip(position)
            if text[position] == ",":
                position = skip(position + 1)
            index += 1
        else:
            break
    return text.count("\n", 0, here) + 1
