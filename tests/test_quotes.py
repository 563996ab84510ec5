"""Code quoted by name."""

from __future__ import annotations

import re
from pathlib import Path

from sitegen import quotes
from sitegen.errors import SitegenError
from sitegen.schema import CodeRef, Location

SOURCE = '''"""A module."""

LIMIT = 3


class Block:
    """Says what it is."""

    @property
    def size(self):
        """How large."""
        return LIMIT  # not more
'''


def quoted(folder: Path, target: str) -> tuple[int, str]:
    (folder / "models").mkdir(exist_ok=True)
    (folder / "models" / "block.py").write_text(SOURCE)
    errors: list[SitegenError] = []
    found = quotes.read(folder, [CodeRef(target, Location("a.md", 3))], errors)
    assert errors == []
    return found[target].line, re.sub("<[^>]+>", "", found[target].html)


def test_a_class_is_quoted_with_its_docstring(tmp_path: Path):
    line, code = quoted(tmp_path, "models.block:Block")

    assert line == 6
    assert code.startswith('class Block:\n    """Says what it is."""\n')


def test_a_method_is_quoted_with_its_decorator_and_without_its_indent(tmp_path: Path):
    line, code = quoted(tmp_path, "models.block:Block.size")

    assert line == 9
    assert code == '@property\ndef size(self):\n    """How large."""\n    return LIMIT  # not more\n'


def test_an_assignment_is_quoted(tmp_path: Path):
    assert quoted(tmp_path, "models.block:LIMIT") == (3, "LIMIT = 3\n")


def test_code_that_is_no_python_is_told_where_it_is_named(tmp_path: Path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "block.py").write_text("def f(:\n")
    errors: list[SitegenError] = []

    found = quotes.read(tmp_path, [CodeRef("models.block:f", Location("a.md", 3))], errors)

    assert found == {}
    assert [str(error) for error in errors] == [
        "a.md:3: models/block.py:1 is no valid Python, so it cannot be quoted\n  hint: mend it there"
    ]


def test_a_byte_order_mark_and_a_coding_line_are_heeded(tmp_path: Path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mark.py").write_bytes(b"\xef\xbb\xbfA = 'gr\xc3\xbcn'\n")
    (tmp_path / "models" / "latin.py").write_bytes(b"# coding: latin-1\nA = 'gr\xfcn'\n")
    errors: list[SitegenError] = []
    refs = [CodeRef(f"models.{name}:A", Location("a.md", 3)) for name in ("mark", "latin")]
    found = quotes.read(tmp_path, refs, errors)

    assert errors == []
    assert all("grün" in found[ref.target].html for ref in refs)


def test_code_that_cannot_be_read_as_text_is_told(tmp_path: Path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.py").write_bytes(b"A = 1\n\n# gr\xfcn\n")
    (tmp_path / "models" / "b.py").write_bytes(b"# coding: klingon\nA = 1\n")
    (tmp_path / "models" / "c.py").write_bytes(b"A = 1\n\n\x00\n")
    (tmp_path / "models" / "d.py").write_bytes(b"A = " + b"-" * 100_000 + b"1\n")
    errors: list[SitegenError] = []
    quotes.read(tmp_path, [CodeRef(f"models.{name}:A", Location("a.md", 3)) for name in "abcd"], errors)

    assert [str(error).split("\n")[0] for error in errors] == [
        "models/a.py:3: the file is not UTF-8",
        "a.md:3: models/b.py:1 is no valid Python, so it cannot be quoted",
        "a.md:3: models/c.py:3 is no valid Python, so it cannot be quoted",
        "a.md:3: models/d.py:1 is no valid Python, so it cannot be quoted",
    ]
