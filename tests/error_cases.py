"""Text fixtures of mistakes: what is changed in the minimal site, and what its build then says.

A file of `tests/cases/errors` has parts `--- file PATH` (a whole file), `--- latin PATH` (the same, not in UTF-8),
`--- replace PATH` (old text, `--- with`, new text) and `--- remove PATH`; the message stands behind `=== says`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

CASES = Path(__file__).resolve().parent / "cases"


def change(site: Path, case: str) -> None:
    """Apply the parts of a case to a copy of the minimal site."""
    for found in re.finditer(
        r"^--- (file|latin|replace|remove) (\S+)\n(.*?)(?=^--- (?:file|latin|replace|remove) |\Z)", case, re.M | re.S
    ):
        what, path, text = found[1], site / found[2], found[3]
        if what == "remove":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif what == "replace":
            old, new = re.split(r"^--- with\n", text, maxsplit=1, flags=re.M)
            before = path.read_text("utf-8")
            whole_lines = f"\n{old}" in f"\n{before}"
            old, new = (old, new) if whole_lines else (old.removesuffix("\n"), new.removesuffix("\n"))
            assert before.count(old) >= 1, f"{found[2]} does not hold {old!r}"
            path.write_text(before.replace(old, new, 1), "utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("latin-1" if what == "latin" else "utf-8"))


def split(text: str) -> tuple[str, str]:
    """The changes and the expected message of a case."""
    changes, _, message = text.partition("=== says\n")
    return changes, message
