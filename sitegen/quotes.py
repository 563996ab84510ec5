"""Code quoted by name: `models.package.module:Name` to its lines as they stand in the file, coloured."""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from sitegen import frontmatter
from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.markdown.directives import CODE
from sitegen.markdown.highlight import CodeQuote, highlight
from sitegen.remembered import remembered
from sitegen.schema import CodeRef


def read(site_dir: Path, refs: Iterable[CodeRef], errors: list[SitegenError]) -> dict[str, CodeQuote]:
    """Target -> quote; a target that is not there is told at the place that names it."""
    found: dict[str, CodeQuote] = {}
    for ref in refs:
        if ref.target in found or not CODE.fullmatch(ref.target):  # what names no code was told where it was read
            continue
        try:
            found[ref.target] = _quote(site_dir, ref)
        except ContentError as error:
            errors.append(error)
    return found


def _quote(site_dir: Path, ref: CodeRef) -> CodeQuote:
    module, _, name = ref.target.partition(":")
    path = _file(site_dir, module, ref)
    data = (site_dir / path).read_bytes()
    try:
        return _quoted(data, path, module, name)
    except ContentError as error:  # it knows not who asks
        if error.at is None:
            error.at = ref.at
        raise
    except UnicodeDecodeError:
        frontmatter.decoded(data, path)
        raise _no_python(f"{path}:1", ref) from None
    except SyntaxError as error:
        if error.lineno is None and b"\0" not in data:  # a coding line that is wrong, or is missing
            frontmatter.decoded(data, path)
        raise _no_python(f"{path}:{error.lineno or _line_of_nul(data)}", ref) from None
    except (ValueError, RecursionError, MemoryError):  # a NUL, or too deep a nest
        raise _no_python(f"{path}:{_line_of_nul(data)}", ref) from None


@remembered
def _quoted(data: bytes, path: str, module: str, name: str) -> CodeQuote:
    text, tree = _parsed(data)
    first, last = _lines(tree, name, module)
    code = textwrap.dedent("\n".join(text.split("\n")[first - 1 : last])) + "\n"
    return CodeQuote(path, first, highlight(code, "python"), last)


@lru_cache(maxsize=64)  # a module is quoted more than once
def _parsed(data: bytes) -> tuple[str, ast.Module]:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)  # heeds a byte order mark, or a coding line
    text = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    return text, ast.parse(text)


def _line_of_nul(data: bytes) -> int:
    """The line of the first NUL, of which Python tells no place; 1 where there is none."""
    return data.count(b"\n", 0, max(data.find(b"\0"), 0)) + 1


def _no_python(where: str, ref: CodeRef) -> ContentError:
    return ContentError(f"{where} is no valid Python, so it cannot be quoted", at=ref.at, hint="mend it there")


def _file(site_dir: Path, module: str, ref: CodeRef) -> str:
    parts = module.split(".")
    for path in ("/".join(parts) + ".py", "/".join((*parts, "__init__.py"))):
        if parts[0] == "models" and (site_dir / path).is_file():
            return path
    files = (path.relative_to(site_dir).with_suffix("") for path in (site_dir / "models").rglob("*.py"))
    hint = nearest(module, (".".join(path.parts).removesuffix(".__init__") for path in files))
    raise ContentError(f"there is no module {module!r} to quote from", at=ref.at, hint=hint)


def _lines(tree: ast.Module, name: str, module: str) -> tuple[int, int]:
    """First and last line of a function, class, method or assignment, decorators included."""
    scope: ast.AST = tree
    for part in name.split("."):
        known = dict(_names(scope))
        if part not in known:
            raise ContentError(f"{module} has no {name!r}", hint=nearest(part, known))
        scope = known[part]
    decorators = getattr(scope, "decorator_list", [])
    assert isinstance(scope, ast.stmt), "only statements have names here"
    return min([scope.lineno, *(one.lineno for one in decorators)]), scope.end_lineno or scope.lineno


def _names(scope: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    for node in getattr(scope, "body", []):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node
