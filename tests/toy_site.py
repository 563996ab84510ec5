"""A throw-away site for tests: one chapter, and what modules a test gives it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from sitegen.discovery import discover, model_packages
from sitegen.schema import RecipeInfo

# A recipe in plain Python: no worker has to load torch for it.
WALK = '''
"""A walk."""
from models.toy.pace import PACE
from sitegen.recipes import Bake, drawn, exact, never, recipe


@recipe("walk", act=1, seed=3, parameters={"steps": 4}, height=exact("step"), seconds=never("step"))
def walk(bake: Bake) -> None:
    heights, height = [], float(bake.seed)
    for step in range(bake.parameters["steps"]):
        height += PACE
        heights.append(height)
        bake.progress(step + 1, bake.parameters["steps"], height=height)
    bake.series("height", heights, step=range(bake.parameters["steps"]))
    bake.series("seconds", [0.5] * len(heights), step=range(len(heights)))
    bake.metric("top", height, unit="m", better="higher")
'''
PACE = "PACE = 0.1\n"
# Bakes what needs the walk.
RUN = """
from sitegen.recipes import Bake, exact, recipe


@recipe("after", act=2, seed=0, needs=("walk",), double=exact("step"))
def after(bake: Bake) -> None:
    height = bake.need("walk").series["height"]
    bake.series("double", [2 * value for value in height.values], step=height.coordinates["step"])
"""


def toy_site(folder: Path, **modules: str) -> Path:
    """A site whose package models/toy has these modules; the walk where none is given."""
    for path, text in {
        "content/site.toml": 'title = "Toys"\n',
        "content/01-first-steps/chapter.toml": 'title = "First"\nmodels = "toy"\n',
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for name, text in (modules or {"walk": WALK, "pace": PACE}).items():
        write_module(folder, name, text)
    return folder


def write_module(site: Path, name: str, text: str) -> Path:
    path = site / "models" / "toy" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path


def recipes_of(site: Path) -> dict[str, RecipeInfo]:
    return {info.name: info for info in discover(site, model_packages(site))}


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file under a folder: its bytes and when it was written."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def command(*arguments: str) -> list[str]:
    """`sitegen …` as a process."""
    return [sys.executable, "-c", "from sitegen.cli import main; main()", *arguments]


def sitegen(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=60
    )
