"""What a recipe may declare and call, and what a run holds: signatures, docstrings and comments of the classes."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from sitegen import recipes as declared
from sitegen import testing as plugin
from sitegen.reference.tables import code, table
from sitegen.runs.differences import ELSEWHERE
from sitegen.schema import FORMAT_VERSION, runs
from sitegen.schema.recipes import Output

_CLASSES: tuple[type, ...] = (
    runs.Run, Output, runs.Series, runs.Metric, runs.Image, runs.Weights, runs.Tensor, runs.Probe, runs.Array,
    runs.Provenance, runs.Timings,
)  # fmt: skip


def recipes() -> str:
    outputs = (declared.exact, declared.drawn, declared.tolerant, declared.never)
    calls = [member for member in vars(declared.Bake).items() if not member[0].startswith("_")]
    rows = [(code(f"bake.{name}{_signature(one)}"), _doc(one)) for name, one in calls]
    draws = [(code(f"@that_recipe.{one.__name__}{_signature(one)}"), _doc(one)) for one in
             (declared.Recipe.draw, declared.Recipe.draw_timings)]  # fmt: skip
    return "\n\n".join(
        [
            f"{code(f'@recipe{_signature(declared.recipe)}')}\n\n{_doc(declared.recipe)}",
            table(("output", "keeps"), [(code(one.__name__ + _signature(one)), _doc(one)) for one in outputs]),
            table(("call", "does"), rows),
            table(("picture", "does"), draws),
        ]
    )


def format_of_runs() -> str:
    exact, drawn = ELSEWHERE["exact"], ELSEWHERE["drawn"]
    head = (
        f"`build/runs/<run>/run.json`, format {FORMAT_VERSION}, with `weights.bin` and pictures beside it, and "
        "`timings.json` for what a machine measured. `build/runs/run.schema.json` is its JSON Schema.\n\n"
        f"On machines where bytes are not promised, exact numbers may differ by {exact:.0e} and drawn ones by "
        f"{drawn:.0e} of the largest of their series, tolerant ones by what they say."
    )
    return "\n\n".join([head, *map(_fields, _CLASSES)])


def testing() -> str:
    """The words of the plugin, and what it brings."""
    return inspect.cleandoc(plugin.__doc__ or "").split("\n\n", 1)[1]


def _fields(cls: type) -> str:
    rows = table(("field", "type", "says"), list(_rows(cls)))
    return "\n\n".join(filter(None, (f"### {cls.__name__}", _own_doc(cls), rows)))


def _own_doc(cls: type) -> str:
    doc = inspect.cleandoc(cls.__doc__ or "")
    return "" if doc.startswith(f"{cls.__name__}(") else doc  # what dataclasses write where there is none


def _rows(cls: type) -> Iterator[tuple[str, str, str]]:
    """Each field with its type and the comment behind it."""
    source = inspect.getsource(cls)
    lines = source.splitlines()
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef), "the source of a class"
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            comment = re.search(r"  # (.*)", lines[node.lineno - 1])
            yield code(node.target.id), code(ast.unparse(node.annotation)), comment[1] if comment else ""


def _signature(one: Any) -> str:
    if isinstance(one, property):
        return ""
    (tree,) = ast.parse(inspect.cleandoc(f"\n{inspect.getsource(one)}")).body
    assert isinstance(tree, ast.FunctionDef), "the source of a function"
    tree.args.args = [each for each in tree.args.args if each.arg != "self"]
    return f"({ast.unparse(tree.args)})".replace("ArrayLike", "array")


def _doc(one: Callable[..., Any] | property) -> str:
    return " ".join(inspect.cleandoc(one.__doc__ or "").split("\n\n", 1)[0].split())
