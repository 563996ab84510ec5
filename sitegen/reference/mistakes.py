"""The classes of errors to words, each with what its errors say and which way out they offer, read from the source."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

from sitegen import errors
from sitegen.reference.tables import code

_METHODS = {"error": "ContentError", "_error": "ContentError", "_wrong": "RecipeError"}  # their hint is the last one
# functions here give a message and a hint to whoever raises them
_PAIRS = {
    "check/__init__.py": "CheckError",
    "frontmatter/advice.py": "ContentError",
    "render/templates.py": "ThemeError",
}
_PACKAGE = Path(__file__).resolve().parent.parent
_HEAD = """\
An error has a place, says what is wrong and offers a way out. All that can be found are told at once, in the order of
their places; a failed build changes nothing:

```text
content/01-lines/01-descent.md:12: run 'fit-line' has no picture 'fal'
  hint: did you mean 'fall'?
1 thing to mend
```

With `--format json` they are one document for a program:

```json
{
 "command": "build",
 "errors": [
  {
   "hint": "did you mean 'fall'?",
   "kind": "FigureError",
   "line": 12,
   "message": "run 'fit-line' has no picture 'fal'",
   "path": "content/01-lines/01-descent.md"
  }
 ],
 "ok": false
}
```

`path` counts from the site's folder; `path`, `line` and `hint` are null where they are not known. Where
`GITHUB_ACTIONS` is `true`, each error, and each warning of a build, is an annotation as well:
`::error file=content/01-lines/01-descent.md,line=12,title=FigureError::run 'fit-line' has no picture 'fal'%0Ahint: …`

Below is each class, with what its errors say — and the way out. ‹Words› stand for what differs from case to case."""


def text() -> str:
    found = sorted(set(_all()))
    return "\n\n".join([_HEAD, *(_of_class(cls, found) for cls in classes())])


def classes() -> list[type[errors.SitegenError]]:
    """Those that are about one thing each."""
    known = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.SitegenError)]
    return [one for one in known if one not in (errors.SitegenError, errors.Findings)]


def _of_class(cls: type, found: list[tuple[str, str, str]]) -> str:
    mine = [(message, hint) for name, message, hint in found if name == cls.__name__]
    told = [f"- {code(message)}" + (f" — {code(hint)}" if hint else "") for message, hint in mine]
    return "\n\n".join(filter(None, (f"### {cls.__name__}", inspect.cleandoc(cls.__doc__ or ""), "\n".join(told))))


def _all() -> Iterator[tuple[str, str, str]]:
    """(class, message, hint) of every error that the source makes with words of its own."""
    names = {cls.__name__ for cls in classes()}
    for path in sorted(_PACKAGE.rglob("*.py")):
        if not {"theme", "site", "reference"} & set(path.relative_to(_PACKAGE).parts[:-1]):
            tree = ast.parse(path.read_text("utf-8"))
            pairs = _PAIRS.get(path.relative_to(_PACKAGE).as_posix(), "")
            for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
                yield from _of_function(function, names, pairs)


def _of_function(function: ast.FunctionDef, names: set[str], pairs: str) -> Iterator[tuple[str, str, str]]:
    written: dict[str, str] = {}
    for node in sorted(ast.walk(function), key=lambda one: (getattr(one, "lineno", 0), getattr(one, "col_offset", 0))):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            written[node.targets[0].id] = _words(node.value, written)
        elif pairs and isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            message, *rest = [_words(one, written) for one in node.value.elts]
            if message:
                yield pairs, message, "".join(rest)
        elif isinstance(node, ast.Call) and (kind := _kind(node.func, names)):
            texts = [_words(argument, written) for argument in node.args]
            hints = [_words(one.value, written) for one in node.keywords if one.arg == "hint"]
            if isinstance(node.func, ast.Attribute) and not hints:
                hints = texts[1:][-1:]
            message = next(filter(None, texts), "")
            if message:
                yield kind, message, next((hint for hint in hints if hint != message), "")


def _kind(called: ast.expr, names: set[str]) -> str:
    if isinstance(called, ast.Name):
        return called.id if called.id in names else "ContentError" if called.id == "_error" else ""
    return _METHODS.get(called.attr, "") if isinstance(called, ast.Attribute) else ""


def _words(node: ast.expr, written: dict[str, str]) -> str:
    """A text as it is written, with ‹words› where it is put together; "" for what is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_piece, node.values))
    if isinstance(node, ast.Name):
        return written.get(node.id, "")
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return ", or ".join(filter(None, (_words(one, written) for one in node.values)))
    if isinstance(node, ast.IfExp):
        return " / ".join(filter(None, (_words(one, written) for one in (node.body, node.orelse))))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("nearest", "closest"):
        return "did you mean ‹what is most like it›?"
    return ""


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.FormattedValue), "a text and a value are all there is"
    value = node.value
    while isinstance(value, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(value, ast.Attribute):
            return f"‹{value.attr.strip('_')}›"
        value = value.value if isinstance(value, ast.Subscript) else value.func
    return f"‹{value.id.strip('_')}›" if isinstance(value, ast.Name) else "‹…›"
