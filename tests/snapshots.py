"""Expected text beside the tests: written when missing on a desk, an error when missing in CI, never overwritten."""

from __future__ import annotations

import os
from pathlib import Path


def compare(path: Path, found: str) -> None:
    """A changed text is saved beside as `-changed`; move it over the old one if the change is meant."""
    changed = path.with_name(f"{path.name}-changed")
    if not path.exists():
        assert os.environ.get("CI") != "true", f"{path.name} is missing: run the tests on a desk and commit it"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, "utf-8")
    expected = path.read_text("utf-8")
    if found == expected:
        changed.unlink(missing_ok=True)
        return
    changed.write_text(found, "utf-8")
    assert found == expected, f"see {changed}"
