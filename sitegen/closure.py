"""A module's source, and all of `models/` it imports, to digests that change only when the program does.

The syntax tree is walked by our own rules, so comments, docstrings, positions, line ends, the spelling of strings
and numbers, and the Python that reads it (3.11 to 3.14) make no difference.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sitegen.errors import RecipeError
from sitegen.remembered import remembered

if TYPE_CHECKING:
    from sitegen.schema import Location

# Fields that say nothing of what a program does, or that only some versions of Python fill.
_SILENT_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores", "str"})
_IMPORTING = frozenset({ast.Import, ast.ImportFrom, ast.Call})


@dataclass(frozen=True, slots=True)
class Closure:
    """`digests`: module -> sha256 of its syntax tree; `outside`: top-level packages imported from elsewhere."""

    digests: dict[str, str]
    outside: frozenset[str]


class Sources:
    """The modules under `site_dir/models`, each read once."""

    def __init__(self, site_dir: Path) -> None:
        self._site = site_dir
        self._paths: dict[str, Path | None] = {}
        self._read: dict[str, tuple[str, tuple[str, ...]]] = {}

    def closure(self, module: str) -> Closure:
        """`module` and all it imports from `models/`, transitively."""
        digests: dict[str, str] = {}
        outside: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            for part in _with_packages(name):
                path = self.path(part)
                if path is None or part in digests:
                    continue
                digests[part], imported = self._module(part, path)
                waiting += (other for other in imported if other.split(".")[0] == "models")
                outside |= {other.split(".")[0] for other in imported} - {"models"}
        return Closure(dict(sorted(digests.items())), frozenset(outside))

    def definitions(self, module: str) -> dict[str, str]:
        """Name -> digest of each top-level definition of one module; nothing where there is no such module."""
        path = self.path(module)
        return definitions(parse(path, self._site)) if path else {}

    def path(self, module: str) -> Path | None:
        """The file of a module, or None where `models/` has no such module."""
        if module not in self._paths:
            base = self._site.joinpath(*module.split("."))
            places = (base / "__init__.py", base.with_suffix(".py"))
            self._paths[module] = next((path for path in places if path.is_file()), None)
        return self._paths[module]

    def _module(self, module: str, path: Path) -> tuple[str, tuple[str, ...]]:
        if module not in self._read:
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            shown = path.relative_to(self._site).as_posix()
            self._read[module] = _facts(path.read_bytes(), shown, package)
        return self._read[module]


@remembered
def _facts(content: bytes, shown: str, package: str) -> tuple[str, tuple[str, ...]]:
    """(sha256 of a module's syntax tree, what it imports)."""
    digest, importing = _told(_parsed(content, shown))
    return digest, tuple(_imports(importing, package))


def parse(path: Path, site_dir: Path) -> ast.Module:
    """The syntax tree of a file; a syntax error is the writer's, and has a place."""
    return _parsed(path.read_bytes(), path.relative_to(site_dir).as_posix())


@lru_cache(maxsize=512)  # one call reads a module for its recipes, and again for its digest
def _parsed(content: bytes, shown: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape is for the one who runs the module
            return ast.parse(_decoded(content), filename=shown)
    except SyntaxError as error:
        line = error.lineno or content.count(b"\n", 0, max(content.find(b"\0"), 0)) + 1  # it tells no place of a NUL
        hint = "python -m py_compile says more of it"
        raise RecipeError(f"not valid Python: {error.msg}", at=_at(shown, line), hint=f"{hint}: {shown}") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message, hint = f"not valid Python: it is not {error.encoding}", "save it as UTF-8, or add a coding line"
        raise RecipeError(message, at=_at(shown, line), hint=hint) from None
    except ValueError as error:
        raise RecipeError(f"not valid Python: {error}", at=_at(shown)) from None
    except (MemoryError, RecursionError):
        lines = content.split(b"\n")
        row = max(range(len(lines)), key=lambda k: len(lines[k]))  # Python tells no place: it is a long line, mostly
        message, hint = "not valid Python: something is nested too deeply", "write it in several steps"
        raise RecipeError(message, at=_at(shown, row + 1), hint=hint) from None


def _at(shown: str, line: int | None = None) -> Location:
    from sitegen.schema import Location  # which other versions of Python, without our packages, need not find

    return Location(shown, line)


def _decoded(content: bytes) -> str:
    """A module's text: heeds a byte order mark, or a coding line."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError:
        content.decode("utf-8-sig")  # raises with the place, if that is what is wrong
        raise
    return content.decode(encoding)


def digest(tree: ast.AST) -> str:
    """The sha256 of what a syntax tree does."""
    return _told(tree)[0]


def definitions(tree: ast.Module) -> dict[str, str]:
    """Name -> first 12 digits of the digest of what defines it, in source order; see `_defined` for the names."""
    parts: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        if not _is_bare_string(statement):
            for name in _defined(statement):
                parts.setdefault(name, []).append(statement)
    return {name: _told(statements)[0][:12] for name, statements in parts.items()}


def _defined(statement: ast.stmt) -> tuple[str, ...]:
    """The names that a top-level statement defines; imports have one name together, and so has all the rest."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return ("(imports)",)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (statement.name,)
    targets: list[ast.AST]
    if isinstance(statement, ast.Assign):
        targets = list(statement.targets)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        targets = [statement.target]
    else:
        targets = [getattr(statement, "name", statement)]  # `type X = …`, from Python 3.12 on
    names: dict[str, None] = {}
    while targets:
        target, *targets = targets
        if isinstance(target, (ast.Tuple, ast.List)):
            targets = [*target.elts, *targets]
        elif isinstance(target, ast.Starred):
            targets = [target.value, *targets]
        else:
            names[target.id if isinstance(target, ast.Name) else "(statements)"] = None
    return tuple(names) or ("(statements)",)


def _told(tree: ast.AST | list[ast.stmt]) -> tuple[str, list[ast.AST]]:
    """(sha256 of a syntax tree as text, its nodes that may import). No version of Python decides the text.

    Without recursion, since trees may be deep; in one walk, since every build takes it over all of `models/`.
    """
    text: list[str] = []
    importing: list[ast.AST] = []
    waiting: list[object] = [tree]  # nodes and lists still to be told, and between them text that is ready
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is str:
            text.append(node)  # type: ignore[arg-type]
        elif isinstance(node, ast.Constant):
            value = node.value
            text.append(f"{type(value).__name__}:{hex(value) if type(value) is int else repr(value)}")
        elif kind is list:
            text.append("[")
            waiting.append("]")
            for child in reversed(node):  # type: ignore[call-overload]
                if not _is_bare_string(child):
                    waiting += (",", child if isinstance(child, ast.AST) else repr(child))
        elif isinstance(node, ast.JoinedStr):
            text.append("JoinedStr")
            waiting.append(list(_joined(node)))
        else:
            assert isinstance(node, ast.AST), "a syntax tree holds nodes, lists and plain values"
            if kind in _IMPORTING:
                importing.append(node)
            text.append(f"{kind.__name__}(")
            waiting.append(")")
            for name in _fields(type(node)):  # type: ignore[arg-type]  # a class has a hash
                value = getattr(node, name, None)
                if isinstance(value, (ast.AST, list)):
                    if value != []:
                        waiting += (",", value, f"{name}=")
                elif value is not None:
                    waiting.append(f"{name}={value!r},")
    return hashlib.sha256("".join(text).encode("utf-8", "surrogatepass")).hexdigest(), importing


@cache
def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that are told, last one first: they are taken from a stack."""
    return tuple(sorted(set(kind._fields) - _SILENT_FIELDS, reverse=True))


def _is_bare_string(node: object) -> bool:
    """A docstring, of a module, class, function or attribute: a statement that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _joined(node: ast.JoinedStr) -> Iterator[ast.expr]:
    """The parts of an f-string, with neighbouring texts as one: Python 3.12 splits them elsewhere than 3.11."""
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        if text:
            yield ast.Constant(text)
        text = ""
        yield part
    if text:
        yield ast.Constant(text)


def _with_packages(module: str) -> list[str]:
    """`models.a.b` -> models, models.a, models.a.b: importing a module runs its packages too."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """Every module that some nodes may import. `from a import b` may mean the module a.b."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _is_import_call(node.func) and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("."):
                yield name.value


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parents, *((node.module,) if node.module else ())])


def _is_import_call(function: ast.expr) -> bool:
    """`__import__("x")` or `importlib.import_module("x")`."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"import_module", "__import__"}
