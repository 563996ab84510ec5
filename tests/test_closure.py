"""Digests that change when the program does, and only then."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest
from toy_site import toy_site, write_module

from sitegen.closure import Sources, _parsed, definitions, digest
from sitegen.errors import RecipeError

ROOT = Path(__file__).resolve().parent.parent


def digest_of(source: str) -> str:
    return digest(ast.parse(source))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1  # why\n\n\ny = 2", "x = 1\ny = 2"),
        ("def f():\n    '''Says.'''\n    return 1", "def f():\n        return (1)"),
        ("'''A module.'''\nx = 1", "x = 1"),
        ("class A:\n    x: int = 1\n    '''Of x.'''", "class A:\n    '''Of A.'''\n    x: int = 1"),
        ("x = 'a' 'b'", 'x = "ab"'),
        ("x = 1_000", "x = 0x3E8"),
        ("x = 1e3", "x = 1000.0"),
        ("x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        ("x = u'a'", "x = 'a'"),
        ("f(a,\n  b,\n)", "f(a, b)"),
        ("x = f'a{b}' 'c' f'{d}'", "x = f'a{b}c{d}'"),
    ],
)
def test_what_does_not_change_the_program_does_not_change_its_digest(one: str, other: str):
    assert digest_of(one) == digest_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = '1'", "x = b'1'"),
        ("x = 0.0", "x = -0.0"),
        ("f(a, b)", "f(b, a)"),
        ("x = None", "x = ..."),
        ("def f(a, b): ...", "def f(a, *, b): ..."),
        ("def f(a, /, b): ...", "def f(a, b): ..."),
        ("{**a, 'b': 1}", "{'b': 1, **a}"),
        ("x = [a, [b]]", "x = [[a], b]"),
        ("x: int = 1", "x: float = 1"),
        ("if a:\n    b\nelse:\n    c", "if a:\n    b\nc"),
        ("return_ = 'a' + b", "return_ = 'a', b"),
        ("x = f'{a}'", "x = f'{a!r}'"),
        ("x = f'{a:.2f}'", "x = f'{a:.3f}'"),
        ("a = b.c", "a = b.d"),
        ("import a as b", "import a"),
        ("a < b", "a <= b"),
    ],
)
def test_what_changes_the_program_changes_its_digest(one: str, other: str):
    assert digest_of(one) != digest_of(other)


def test_a_deep_tree_is_digested():
    assert digest_of(" + ".join(["x"] * 600)) != digest_of(" + ".join(["x"] * 599))


MODULE = """
'''A module.'''
from a import b
LENGTH = 6
low, (high, *rest) = 1, (2, 3)
RATE: float = 0.1
def f(x):
    return LENGTH * x
class A:
    size = 4
if LENGTH > 5:
    import c
A.size = 5
import d
RATE += 1
"""


def defined(source: str) -> dict[str, str]:
    return definitions(ast.parse(source))


def test_every_statement_has_a_name_in_source_order():
    found = defined(MODULE)

    assert list(found) == ["(imports)", "LENGTH", "low", "high", "rest", "RATE", "f", "A", "(statements)"]
    assert all(len(digits) == 12 and set(digits) <= set("0123456789abcdef") for digits in found.values())
    assert defined("'A docstring.'") == {}


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("LENGTH = 6", "LENGTH = 7", {"LENGTH"}),
        ("LENGTH * x", "LENGTH + x", {"f"}),
        ("size = 4", "size = 3", {"A"}),
        ("RATE += 1", "RATE += 2", {"RATE"}),
        ("(2, 3)", "(2, 4)", {"low", "high", "rest"}),
        ("import d", "import e", {"(imports)"}),
        ("A.size = 5", "A.size = 6", {"(statements)"}),
        ("LENGTH > 5", "LENGTH > 4", {"(statements)"}),
        ("LENGTH = 6", "LENGTH = 0x6  # digits", set()),
        ("\n", "\r\n", set()),
        ("'A module.'", "'It.'", set()),
    ],
)
def test_what_is_edited_changes_the_digest_of_its_own_name_alone(old: str, new: str, names: set[str]):
    before, after = defined(MODULE), defined(MODULE.replace(old, new))

    assert {name for name in before if before[name] != after[name]} == names


PUZZLES = r"""
import a.b as c
from typing import Generic
class A(Generic[T], metaclass=M):
    x: int = 0x10
    def f(self, a, /, b=1, *c, d: str = "e", **g) -> "A":
        return f"a{b!r:>{c}} {d=} {{x}}" f'{e:}' "tail" f"{'nested'}{1:02}"
async def g():
    async with a as b, c:
        return [x async for x in y if x if z]
match p:
    case {"a": [1, *rest], **more} | A(x=None) if rest: pass
    case -1.5 | "s" | None | True: pass
lambda *a, b=1: (yield)
x[1:2, ::3, *y] = y = z
try: pass
except* (A, B) as e: raise e from None
x = 1e400, 5j, b"\x00", "\ud800", 10**5, ..., not a, a if b else c, {*a}, (b := 2)
global_ = "%s" % 1
"""


def python(version: str) -> str | None:
    """An interpreter of that version that starts: from the path, or from pyenv, whose shims need not."""
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, pyenv)):
        if candidate and not subprocess.run([candidate, "-V"], capture_output=True, check=False).returncode:
            return candidate
    return None


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_versions_of_python_agree(version: str, tmp_path: Path):
    found = python(version)
    if found is None:
        pytest.skip(f"no python{version} here")
    site = toy_site(tmp_path, puzzle=PUZZLES)
    for path in sorted((ROOT / "models").rglob("*.py")):
        write_module(site, "_".join(path.relative_to(ROOT).with_suffix("").parts), path.read_text(encoding="utf-8"))
    names = [f"models.toy.{path.stem}" for path in sorted((site / "models/toy").glob("*.py"))]
    program = (
        "import sys, pathlib; from sitegen.closure import Sources; s = Sources(pathlib.Path(sys.argv[1]));"
        "print([s.closure(name).digests[name] for name in sys.argv[2:]])"
    )

    done = subprocess.run(
        [found, "-c", program, str(site), *names], cwd=ROOT, capture_output=True, text=True, check=False
    )

    sources = Sources(site)
    assert done.stdout.strip() == str([sources.closure(name).digests[name] for name in names]), done.stderr


def test_a_closure_holds_what_is_imported_and_the_packages_on_the_way(tmp_path: Path):
    site = toy_site(
        tmp_path,
        __init__="",
        a="""
            import torch.nn as nn
            from models.toy import b
            from . import c
            from .deep.d import thing

            def later():
                import models.toy.e
                from importlib import import_module
                import_module("models.toy.f")
        """,
        b="import models.toy.a",
        c="import json",
        e="",
        f="",
        unused="",
    )
    (site / "models/toy/deep").mkdir()
    (site / "models/toy/deep/__init__.py").write_text("from .. import g\n", encoding="utf-8")
    (site / "models/toy/deep/d.py").write_text("thing = 1\n", encoding="utf-8")
    write_module(site, "g", "")

    closure = Sources(site).closure("models.toy.a")

    names = ["", ".a", ".b", ".c", ".deep", ".deep.d", ".e", ".f", ".g"]
    assert list(closure.digests) == [f"models.toy{name}" for name in names]
    assert closure.outside == {"torch", "importlib", "json"}


def test_a_constant_changes_exactly_the_closures_that_hold_it(tmp_path: Path):
    site = toy_site(tmp_path, a="from models.toy import c", b="", c="RATE = 1")
    before = {name: Sources(site).closure(f"models.toy.{name}") for name in "ab"}

    write_module(site, "c", "# a better rate\nRATE = 2")

    after = {name: Sources(site).closure(f"models.toy.{name}") for name in "ab"}
    assert {name for name in "ab" if before[name] != after[name]} == {"a"}


def test_a_byte_order_mark_or_a_coding_line_says_how_a_module_is_read():
    plain = 'NAME = "Größe"\n'

    marked = b"\xef\xbb\xbf" + plain.encode()
    coded = b"# coding: latin-1\n" + plain.encode("latin-1")

    digests = {digest(_parsed(content, "a.py")) for content in (plain.encode(), marked, coded)}
    assert digests == {digest(ast.parse(plain))}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"X = 1\n# \xff\n", "a.py:2: not valid Python: it is not utf-8"),
        (b"X = 1\n\n\nY = '\xe9'\n", "a.py:4: not valid Python: it is not utf-8"),
        (b"# coding: nonsense\n", "a.py:1: not valid Python: unknown encoding: nonsense"),
        (b"X = 1\n\nY = \x00\n", "a.py:3: not valid Python"),
        (b"# X\nX = " + b"-" * 100_000 + b"1\n", "a.py:2: not valid Python: something is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(content: bytes, told: str):
    with pytest.raises(RecipeError) as caught:
        _parsed(content, "a.py")

    assert str(caught.value).startswith(told)


def test_a_syntax_error_has_a_place(tmp_path: Path):
    site = toy_site(tmp_path, a="x = 1\ny = (\n")

    with pytest.raises(RecipeError, match=r"^models/toy/a.py:2: not valid Python: '\(' was never closed"):
        Sources(site).closure("models.toy.a")
