"""Recipes read from the source."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toy_site import PACE, RUN, WALK, recipes_of, toy_site, write_module

from sitegen.discovery import discover, in_order, model_packages
from sitegen.errors import Findings
from sitegen.schema import Location, Output, RecipeInfo


def findings(site: Path) -> list[str]:
    with pytest.raises(Findings) as caught:
        discover(site, model_packages(site))
    return [f"{error.at}: {error.message}" for error in caught.value.errors]


def test_a_recipe_is_read_as_it_is_declared_without_importing_it(tmp_path: Path):
    source = """
        import torch_that_is_not_there
        from sitegen.recipes import Bake, drawn, exact, recipe as declared, tolerant

        @declared("far-walk", act=6, seed=-1, parameters={"steps": 600, "wide": [1, 2]}, long=True,
                  reference="models.other:Walk", loss=exact("step"), spread=tolerant("step", tolerance=1e-3))
        def walk(bake: Bake) -> None: ...

        @walk.draw("final-map", alt="It rises.", subplots=(1, 2))
        def draw_it(run, axes): ...
    """
    site = toy_site(tmp_path, far=source)

    assert discover(site, {"toy": "first-steps"}) == (
        RecipeInfo(
            name="far-walk",
            act=6,
            seed=-1,
            parameters={"steps": 600, "wide": [1, 2]},
            outputs={"loss": Output(("step",)), "spread": Output(("step",), "tolerant", 1e-3)},
            needs=(),
            reference="models.other:Walk",
            long=True,
            chapter="first-steps",
            module="models.toy.far",
            function="walk",
            pictures={"final-map": "It rises."},
            at=Location("models/toy/far.py", 5),
        ),
    )


def test_recipes_of_the_module_are_found_by_any_spelling_and_others_are_not(tmp_path: Path):
    source = """
        import sitegen.recipes
        from sitegen import recipes as r
        from elsewhere import recipe

        @sitegen.recipes.recipe("one", act=1, seed=0, x=r.exact())
        def one(bake): ...

        @r.recipe("two", act=1, seed=0)
        def two(bake): ...

        @recipe("not-ours", anything=object())
        def three(bake): ...
    """
    assert list(recipes_of(toy_site(tmp_path, m=source))) == ["one", "two"]


def test_all_mistakes_come_at_once_with_their_places(tmp_path: Path):
    source = """
        from sitegen.recipes import Bake, exact, recipe
        STEPS = 4

        @recipe("Walk", act=1, seed=0)
        def a(bake): ...

        @recipe("b", act="one", seed=0, parameters={"steps": STEPS})
        def b(bake): ...

        @recipe("c", seed=0, stepz=3, dtype="float16", loss=exact("step", "step"))
        def c(bake): ...

        @recipe("d", act=1, seed=0)
        def d(bake): ...

        @d.draw("map")
        def d_map(run, axes): ...

        @recipe("e", act=1, seed=0, **{})
        def e(bake): ...
    """
    assert findings(toy_site(tmp_path, m=source)) == [
        "models/toy/m.py:5: a recipe has one positional argument: its name in lower case with hyphens",
        "models/toy/m.py:8: act= is a int, not 'one'",
        "models/toy/m.py:8: {'steps': STEPS} is not a literal",
        "models/toy/m.py:11: stepz= is neither an argument of recipe nor an output marker",
        "models/toy/m.py:11: dtype= is 'float16'",
        "models/toy/m.py:11: the axes of 'loss' are different names",
        "models/toy/m.py:11: a recipe needs act=",
        "models/toy/m.py:17: picture 'map' has no alt text",
        "models/toy/m.py:20: a recipe cannot take its arguments by **",
    ]


def test_mistakes_between_recipes_are_told(tmp_path: Path):
    source = """
        from sitegen.recipes import recipe

        @recipe("a", act=1, seed=0, needs=("b",))
        def a(bake): ...

        @recipe("b", act=1, seed=0, needs=("a", "strol"))
        def b(bake): ...

        @recipe("stroll", act=1, seed=0)
        def c(bake): ...

        @recipe("stroll", act=2, seed=0)
        def d(bake): ...
    """
    site = toy_site(tmp_path, m=source)

    assert findings(site) == [
        "models/toy/m.py:4: needs go in a circle: a -> b -> a",
        "models/toy/m.py:7: needs 'strol', which no recipe bakes",
        "models/toy/m.py:13: two recipes are called 'stroll'",
    ]
    with pytest.raises(Findings) as caught:
        discover(site, model_packages(site))
    assert [error.hint for error in caught.value.errors][1:] == [
        "did you mean 'stroll'?",
        "the other is at models/toy/m.py:10",
    ]


def test_a_package_without_chapter_and_a_broken_module_are_told(tmp_path: Path):
    site = toy_site(tmp_path, walk=WALK, pace=PACE, broken="from sitegen.recipes import recipe\ndef (\n")
    (site / "content/01-first-steps/chapter.toml").write_text('models = "other"\n', encoding="utf-8")

    assert findings(site) == [
        "models/toy/broken.py:2: not valid Python: invalid syntax",
        "models/toy/walk.py:7: no chapter has the package 'toy'",
    ]


def test_the_chapter_of_a_package_is_the_slug_of_its_folder(tmp_path: Path):
    assert model_packages(toy_site(tmp_path)) == {"toy": "first-steps"}


def test_a_byte_order_mark_in_a_chapter_makes_no_difference(tmp_path: Path):
    path = toy_site(tmp_path) / "content/01-first-steps/chapter.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    assert model_packages(tmp_path) == {"toy": "first-steps"}


def test_needs_come_before_what_needs_them(tmp_path: Path):
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)
    found = recipes_of(site)

    assert [info.name for info in in_order((found["after"], found["walk"]))] == ["walk", "after"]


def test_a_site_without_models_has_no_recipes(tmp_path: Path):
    assert discover(tmp_path, {}) == ()


def test_a_module_that_only_speaks_of_recipes_declares_none(tmp_path: Path):
    site = toy_site(tmp_path, talk='"""See sitegen.recipes."""\n')
    write_module(site, "more", "x = 'sitegen.recipes'\n")

    assert discover(site, {}) == ()


def test_a_number_that_is_not_finite_is_told_where_it_stands(tmp_path: Path):
    source = """
        from sitegen.recipes import Bake, exact, recipe

        @recipe("one", act=1, seed=0, x=exact(),
                parameters={"lr": 0.1,
                            "far": [-1e400]})
        def one(bake: Bake) -> None: ...
    """

    assert findings(toy_site(tmp_path, one=source)) == ["models/toy/one.py:6: this number is not finite"]


def test_a_module_that_is_a_pipe_is_told_and_not_waited_for(tmp_path: Path):
    site = toy_site(tmp_path, walk=WALK, pace=PACE)
    os.mkfifo(site / "models/toy/pipe.py")

    assert findings(site) == [
        "models/toy/pipe.py: pipe.py cannot be read: it is a pipe, a socket or a device",
    ]
