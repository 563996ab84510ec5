"""A run as a text to keep beside the tests, and back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sitegen.runs.files import replace_file
from sitegen.runs.text import laid_out
from sitegen.schema import Run


def snapshot_text(run: Run) -> str:
    """Laid out as run.json is: a line for each series and metric, so that a review shows what changed."""
    return laid_out(msgspec.to_builtins(run))


def load(path: Path) -> Run | None:
    """The run of a snapshot; None if there is none. Raises AssertionError where it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AssertionError(f"{path} cannot be read: {error}\n  hint: remove it, and write it anew") from None


def write(path: Path, text: str) -> None:
    """In one step: a snapshot is there wholly or as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode())
