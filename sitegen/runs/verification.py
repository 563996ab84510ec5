"""build/runs/verification.json, what was verified of each run, to a Verification and back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sitegen.errors import RunError
from sitegen.runs.files import replace_file, runs_folder, unreadable
from sitegen.runs.text import laid_out
from sitegen.schema import Location, Verification

_SHOWN = "build/runs/verification.json"
_HINT = "write it anew: sitegen verify --record"


def load_verification(site_dir: Path) -> Verification:
    """What was verified; nothing where there is no such file."""
    try:
        content = (runs_folder(site_dir) / "verification.json").read_bytes()
    except FileNotFoundError:
        return Verification()
    except OSError as error:
        raise unreadable(error, "what was verified", _SHOWN) from None
    try:
        return msgspec.json.decode(content, type=Verification)
    except msgspec.MsgspecError as error:
        raise RunError(f"cannot be read: {error}", at=Location(_SHOWN), hint=_HINT) from None


def write_verification(site_dir: Path, verification: Verification) -> None:
    """Write the file, unless it says so already."""
    text = laid_out(msgspec.to_builtins(verification)).encode()
    path = runs_folder(site_dir) / "verification.json"
    if not path.is_file() or path.read_bytes() != text:
        replace_file(path, text)
