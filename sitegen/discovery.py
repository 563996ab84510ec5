"""The source of `models/` to the recipes declared in it, by `ast` alone: nothing of it is imported."""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sitegen.closure import parse
from sitegen.errors import ContentError, Findings, RecipeError, SitegenError, nearest
from sitegen.frontmatter import decoded
from sitegen.schema import Location, Output, RecipeInfo

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MODELS = re.compile(r"""^[ \t]*models[ \t]*=[ \t]*(["'])([\w.]+)\1""", re.MULTILINE)
_LITERAL = "arguments of a recipe are literals, so that they can be read without running the module"
_MARKERS = ("exact", "drawn", "tolerant", "never")
_DTYPES = ("float64", "float32")
_DRAWS = ("draw", "draw_timings")
_ARGUMENTS: dict[str, type] = {
    "act": int,
    "seed": int,
    "parameters": dict,
    "needs": tuple,
    "reference": str,
    "headline": str,
    "dtype": str,
    "long": bool,
}


def model_packages(site_dir: Path) -> dict[str, str]:
    """Package under `models/` -> slug of the chapter whose chapter.toml names it. Broken TOML is content's to tell."""
    packages = {}
    for path in sorted(site_dir.glob("content/*/chapter.toml")):
        try:
            text = decoded(path.read_bytes(), path.name)
        except ContentError:
            continue
        try:
            package = tomllib.loads(text).get("models")
        except (ValueError, RecursionError):  # its recipes are in order, whatever is wrong in another line
            found = _MODELS.search(text)
            package = found[2] if found else None
        if isinstance(package, str):
            packages[package] = re.sub(r"^\d+-", "", path.parent.name)
    return packages


def discover(site_dir: Path, packages: Mapping[str, str]) -> tuple[RecipeInfo, ...]:
    """All recipes of the site by chapter, act and name. `packages`: package under `models/` -> chapter slug, in the
    order of the chapters."""
    errors: list[SitegenError] = []
    found: list[RecipeInfo] = []
    for path in sorted((site_dir / "models").rglob("*.py")):
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise OSError(0, "it is a pipe, a socket or a device")
            if b"sitegen.recipes" not in path.read_bytes():
                continue
        except OSError as error:  # a folder of that name, a link that leads nowhere
            at = Location(path.relative_to(site_dir).as_posix())
            errors.append(RecipeError(f"{path.name} cannot be read: {error.strerror}", at=at, hint="remove it"))
            continue
        try:
            module = _Module(path, site_dir, packages)
        except RecipeError as error:
            errors.append(error)
            continue
        found += module.recipes()
        errors += module.errors
    errors += _disagreements(found, complete=not errors)
    if errors:
        raise Findings(errors)
    order = {slug: place for place, slug in enumerate(packages.values())}
    return tuple(sorted(found, key=lambda info: (order[info.chapter], info.act, info.name)))


def in_order(infos: tuple[RecipeInfo, ...]) -> tuple[RecipeInfo, ...]:
    """The recipes with every need before what needs it; otherwise as they came."""
    by_name = {info.name: info for info in infos}
    ordered: dict[str, RecipeInfo] = {}

    def visit(info: RecipeInfo) -> None:
        if info.name not in ordered:
            for need in info.needs:
                if need in by_name:
                    visit(by_name[need])
            ordered[info.name] = info

    for info in infos:
        visit(info)
    return tuple(ordered.values())


class _Module:
    """One file with recipes: what it declares and what is wrong with it."""

    def __init__(self, path: Path, site_dir: Path, packages: Mapping[str, str]) -> None:
        self.errors: list[SitegenError] = []
        self._tree = parse(path, site_dir)
        self._shown = path.relative_to(site_dir).as_posix()
        parts = path.relative_to(site_dir).with_suffix("").parts
        self._name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self._chapter = packages.get(parts[1]) if len(parts) > 1 else None
        self._package = parts[1] if len(parts) > 1 else ""
        self._imported = _imported_names(self._tree)

    def recipes(self) -> list[RecipeInfo]:
        functions = [node for node in self._tree.body if isinstance(node, ast.FunctionDef)]
        found = {}
        for function in functions:
            for call in self._calls_of(function, "recipe"):
                info = self._recipe(function, call)
                if info:
                    found[function.name] = info
        for function in functions:
            self._pictures(function, found)
        return list(found.values())

    def _calls_of(self, function: ast.FunctionDef, name: str) -> Iterator[ast.Call]:
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and self._resolve(decorator.func) == name:
                yield decorator

    def _resolve(self, node: ast.expr) -> str | None:
        """What a name means in `sitegen.recipes`, through `import … as …`; None if it comes from elsewhere."""
        spelled = ast.unparse(node)
        for local, meaning in self._imported.items():
            if spelled == local and meaning:
                return meaning
            if not meaning and spelled.startswith(f"{local}."):
                return spelled.removeprefix(f"{local}.")
        return None

    def _recipe(self, function: ast.FunctionDef, call: ast.Call) -> RecipeInfo | None:
        before = len(self.errors)
        name = self._literal(call.args[0]) if call.args else None
        if len(call.args) != 1 or not isinstance(name, str) or not _NAME.fullmatch(name):
            hint = 'such as @recipe("first-fit", act=1, seed=1)'
            self._wrong("a recipe has one positional argument: its name in lower case with hyphens", call, hint)
        given: dict[str, Any] = {"parameters": {}, "needs": (), "reference": None, "headline": None, "long": False}
        outputs: dict[str, Output] = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                self._wrong("a recipe cannot take its arguments by **", keyword, _LITERAL)
            elif keyword.arg in _ARGUMENTS:
                given[keyword.arg] = self._argument(keyword.arg, keyword.value)
            elif output := self._output(keyword.arg, keyword.value):
                outputs[keyword.arg] = output
        for missing in ("act", "seed"):
            if missing not in given:
                self._wrong(f"a recipe needs {missing}=", call, f"write it as a literal: {missing}=1")
        if self._chapter is None:
            hint = f'write models = "{self._package}" in the chapter\'s chapter.toml'
            self._wrong(f"no chapter has the package {self._package!r}", call, hint)
        if len(self.errors) > before or not isinstance(name, str) or self._chapter is None:
            return None
        at = Location(self._shown, call.lineno)
        return RecipeInfo(
            name, outputs=outputs, chapter=self._chapter, module=self._name, function=function.name, pictures={}, at=at,
            **given,
        )  # fmt: skip

    def _argument(self, name: str, node: ast.expr) -> Any:
        wanted, value = _ARGUMENTS[name], self._literal(node)
        if wanted is tuple and isinstance(value, (list, tuple)) and all(isinstance(need, str) for need in value):
            return tuple(value)
        if value is not None and (wanted is tuple or type(value) is not wanted):
            self._wrong(f"{name}= is a {wanted.__name__}, not {ast.unparse(node)}", node, _LITERAL)
        if name == "dtype" and value is not None and value not in _DTYPES:
            self._wrong(f"dtype= is {value!r}", node, f"it is one of {', '.join(_DTYPES)}")
        return value

    def _output(self, name: str, node: ast.expr) -> Output | None:
        marker = self._resolve(node.func) if isinstance(node, ast.Call) else None
        if marker not in _MARKERS or not isinstance(node, ast.Call):
            hint = nearest(name, _ARGUMENTS) if not isinstance(node, ast.Call) else None
            self._wrong(f"{name}= is neither an argument of recipe nor an output marker", node,
                        hint or f'write {name}=exact("step"); markers: {", ".join(_MARKERS)}')  # fmt: skip
            return None
        axes = tuple(self._literal(axis) for axis in node.args)
        options = {keyword.arg: self._literal(keyword.value) for keyword in node.keywords}
        if not all(isinstance(axis, str) and axis.isidentifier() for axis in axes) or len(set(axes)) < len(axes):
            self._wrong(f"the axes of {name!r} are different names", node, 'such as exact("checkpoint", "head")')
        tolerance = options.pop("tolerance", None) if marker == "tolerant" else None
        if options or (marker == "tolerant" and not isinstance(tolerance, (int, float))):
            self._wrong(f"{marker} takes axes{' and tolerance=' if marker == 'tolerant' else ''} only", node, _LITERAL)
        return Output(axes, marker, tolerance)  # type: ignore[arg-type]

    def _pictures(self, function: ast.FunctionDef, found: dict[str, RecipeInfo]) -> None:
        for call in function.decorator_list:
            drawn = call.func if isinstance(call, ast.Call) else None
            if not (isinstance(call, ast.Call) and isinstance(drawn, ast.Attribute) and drawn.attr in _DRAWS):
                continue
            info = found.get(ast.unparse(drawn.value))
            if info is None:
                continue
            name = self._literal(call.args[0]) if call.args else None
            alt = next((self._literal(keyword.value) for keyword in call.keywords if keyword.arg == "alt"), None)
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                self._wrong(
                    "a picture's name is lower case with hyphens", call, f'{info.function}.draw("map", alt="…")'
                )
            elif name in info.pictures:
                self._wrong(f"recipe {info.name!r} draws {name!r} twice", call, "give one of them another name")
            elif not isinstance(alt, str) or not alt.strip():
                self._wrong(f"picture {name!r} has no alt text", call, 'say in alt="…" what it shows')
            else:
                info.pictures[name] = alt  # type: ignore[index]
                if drawn.attr == "draw_timings":
                    found[ast.unparse(drawn.value)] = replace(info, timed_pictures=(*info.timed_pictures, name))

    def _literal(self, node: ast.expr) -> Any:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, float) and not math.isfinite(part.value):
                self._wrong(
                    "this number is not finite", part, "the largest is about 1.8e308; a string can name a limit"
                )
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            self._wrong(f"{ast.unparse(node)} is not a literal", node, _LITERAL)
            return None

    def _wrong(self, message: str, node: ast.expr | ast.keyword, hint: str | None) -> None:
        self.errors.append(RecipeError(message, at=Location(self._shown, node.lineno), hint=hint))


def _imported_names(tree: ast.Module) -> dict[str, str]:
    """Local spelling -> name in sitegen.recipes; "" means the module itself."""
    names: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "sitegen.recipes":
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "sitegen":
            names |= {alias.asname or alias.name: "" for alias in node.names if alias.name == "recipes"}
        elif isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: "" for alias in node.names if alias.name == "sitegen.recipes"}
    return names


def _disagreements(infos: list[RecipeInfo], *, complete: bool) -> Iterator[RecipeError]:
    """What is wrong between recipes: one name twice, a need that nobody bakes, a circle of needs.

    Where some recipes could not be read, `infos` is not `complete`, and an unknown need may be one of those.
    """
    by_name: dict[str, RecipeInfo] = {}
    for info in infos:
        if info.name in by_name:
            first = by_name[info.name].at
            yield RecipeError(f"two recipes are called {info.name!r}", at=info.at, hint=f"the other is at {first}")
        by_name.setdefault(info.name, info)
    for info in infos:
        for need in info.needs:
            if complete and need not in by_name:
                yield RecipeError(f"needs {need!r}, which no recipe bakes", at=info.at, hint=nearest(need, by_name))
        circle = _circle(info, by_name)
        if circle and info.name == min(circle):
            yield RecipeError(f"needs go in a circle: {' -> '.join([*circle, circle[0]])}", at=info.at,
                              hint="take one of these needs out")  # fmt: skip


def _circle(start: RecipeInfo, by_name: Mapping[str, RecipeInfo]) -> list[str]:
    """The names along a way from `start` back to itself, or nothing."""
    ways = [[start.name]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        info = by_name.get(way[-1])
        for need in info.needs if info else ():
            if need == start.name:
                return way
            if need not in seen:
                seen.add(need)
                ways.append([*way, need])
    return []
