"""What models import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sitegen.errors import RecipeError
from sitegen.recipes import drawn, exact, never, recipe, tolerant
from sitegen.schema import Output


def test_a_recipe_is_a_value_that_can_be_called():
    @recipe("walk", act=1, seed=3, parameters={"steps": 4}, needs=["other"], height=exact("step"))
    def walk(bake):
        bake.append("walked")

    calls = []
    walk(calls)

    assert calls == ["walked"]
    assert (walk.name, walk.act, walk.seed, walk.needs) == ("walk", 1, 3, ("other",))
    assert walk.outputs == {"height": Output(("step",), "exact")}
    with pytest.raises(TypeError):
        walk.parameters["steps"] = 5


def test_markers_say_how_exactly_a_series_is_kept():
    assert [exact("a"), drawn("a", "b"), tolerant("a", tolerance=1e-6), never()] == [
        Output(("a",), "exact"),
        Output(("a", "b"), "drawn"),
        Output(("a",), "tolerant", 1e-6),
        Output((), "never"),
    ]


def test_a_picture_belongs_to_its_recipe_and_has_one_name():
    @recipe("walk", act=1, seed=3)
    def walk(bake):
        return None

    @walk.draw("map", alt="It rises.", size=(3, 2))
    def draw_map(run, axes):
        return None

    assert walk.pictures["map"].function is draw_map
    assert (walk.pictures["map"].alt, walk.pictures["map"].size) == ("It rises.", (3, 2))
    with pytest.raises(RecipeError, match="draws 'map' twice"):
        walk.draw("map", alt="Again.")


def test_importing_it_loads_nothing_heavy():
    heavy = ["torch", "numpy", "matplotlib", "PIL", "jinja2", "click"]
    program = f"import sys, sitegen.recipes; print([name for name in {heavy} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
