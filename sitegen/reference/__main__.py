"""`python -m sitegen.reference` writes REFERENCE.md of the repository anew."""

from __future__ import annotations

from pathlib import Path

from sitegen.reference import reference

if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent.parent
    (root / "REFERENCE.md").write_text(reference(root), "utf-8")
