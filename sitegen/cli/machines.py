"""What a command did, for a program: one JSON document for editors and CI, and annotations for GitHub's pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sitegen.errors import SitegenError


def document(command: str, errors: Iterable[SitegenError], told: Mapping[str, Any], *, ok: bool) -> str:
    """`command`, whether all is `ok`, the `errors` in order of place, and what the command has to tell beside."""
    from sitegen.errors import record

    whole = {"command": command, "ok": ok, "errors": [record(error) for error in errors], **told}
    return json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False)


def annotation(error: SitegenError, site: Path | None, level: str = "error") -> str:
    """A line that GitHub Actions shows beside the line of a file; paths count from the repository."""
    properties = {"title": type(error).__name__}
    if error.at:
        properties = {"file": _in_repository(error.at.path, site), "line": str(error.at.line or 1), **properties}
    listed = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    text = f"{error.message}\nhint: {error.hint}" if error.hint else error.message
    return f"::{level} {listed}::{_escaped(text)}"


def _in_repository(path: str, site: Path | None) -> str:
    top = Path(os.environ.get("GITHUB_WORKSPACE", ".")).resolve()
    whole = (site or Path.cwd()).resolve() / path
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else path


def _escaped(text: str, more: str = "") -> str:
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
