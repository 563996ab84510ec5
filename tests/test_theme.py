"""The theme's scripts and styles: strict types where a compiler is at hand, colours that can be read in both themes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest
from colour import channels, contrast, distance, lab

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted([*(ROOT / "templates" / "js").rglob("*.js"), *(ROOT / "templates" / "figures").rglob("*.js")])
STYLES = sorted((ROOT / "templates").rglob("*.css"))


def compiler() -> list[str] | None:
    """`tsc` as `make setup` installs it, of the system, of node_modules, or named by $TSC."""
    places = (
        os.environ.get("TSC"),
        shutil.which("tsc"),
        *(str(ROOT / at / "node_modules/.bin/tsc") for at in (".venv/node", "")),
    )
    return next(([place] for place in places if place and Path(place).is_file()), None)


def test_scripts_are_strictly_typed():
    tsc = compiler()
    if not tsc:
        pytest.skip("no TypeScript compiler: npm install --no-save typescript, or set TSC to its path")

    told = subprocess.run([*tsc, "--project", str(ROOT / "tests" / "tsconfig.json")], capture_output=True, text=True)

    assert told.stdout == ""
    assert told.returncode == 0


@pytest.mark.parametrize("path", [*SCRIPTS, *STYLES], ids=lambda path: path.relative_to(ROOT / "templates").as_posix())
def test_nothing_is_fetched_from_elsewhere(path: Path):
    text = re.sub(r"/\*.*?\*/|(?<!:)//.*", "", path.read_text("utf-8"), flags=re.DOTALL if path.suffix == ".css" else 0)

    assert re.findall(r"https?://(?!www\.w3\.org/)[^\s\"')]+", text) == []


def test_where_a_pointer_is_in_a_figure_is_asked_of_one_function():
    """A slide shows a figure larger than it was laid out; js/svg.js knows by how much."""
    asking = [path for path in SCRIPTS if re.search(r"\b(client|offset|page)[XY]\b", path.read_text("utf-8"))]

    assert [path.name for path in asking if path.name not in ("svg.js", "keys.js")] == []


def test_the_dark_theme_is_the_same_by_choice_and_by_the_system():
    tokens = (ROOT / "templates" / "css" / "tokens.css").read_text("utf-8")
    system = re.search(
        r"prefers-color-scheme: dark\) \{\s*:root:not\(\[data-theme=\"light\"\]\) \{(.*?)\}", tokens, re.DOTALL
    )
    chosen = re.search(r":root\[data-theme=\"dark\"\] \{(.*?)\}", tokens, re.DOTALL)

    assert system
    assert chosen
    assert system[1].split() == chosen[1].split()
    assert "--paper: #14171c;" in system[1]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_colours_reach_their_contrast(theme: str):
    colour = colours(theme)
    texts = [
        "ink",
        "soft",
        "faint",
        "query",
        "key",
        "value",
        "warning",
        *(name for name in colour if name.startswith("code-")),
    ]

    low = [(name, on) for name in texts for on in ("paper", "wash") if contrast(colour[name], colour[on]) < 4.5]
    assert low == []
    assert [name for name in ("line-strong", "ghost") if contrast(colour[name], colour["paper"]) < 3] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_value_printed_on_any_weight_can_be_read(theme: str):
    tokens = (ROOT / "templates" / "css" / "tokens.css").read_text("utf-8")
    root, _, rest = tokens.partition("@media screen")
    block = root if theme == "light" else rest[: rest.index("}")]
    colour = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block))
    flip = float(re.search(r"--weight-flip: ([\d.]+);", block)[1])  # type: ignore[index]

    def mixed(share: float) -> str:
        ends = zip(channels(colour["paper"]), channels(colour["weight"]), strict=True)
        return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in ends)

    worst = min(
        contrast(colour["on-weight" if share >= flip else "on-pale"], mixed(share))
        for share in (step / 1000 for step in range(1001))
    )
    assert worst >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_controls_focus_and_roles_stand_out_from_what_they_lie_on(theme: str):
    colour = colours(theme)

    assert contrast(colour["query"], colour["paper"]) >= 4.5, "links and the focus have the colour of queries"
    low = [
        (name, ground)
        for name in ("query", "key", "value", "warning", "line-strong")
        for ground in ("paper", "wash", f"{name}-wash")
        if ground in colour and contrast(colour[name], colour[ground]) < 3
    ]
    assert low == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("sight", "least"), [("protan", 15), ("deutan", 15), ("tritan", 9), (None, 30)])
def test_the_roles_are_told_apart_whatever_cones_one_has(theme: str, sight: str | None, least: float):
    roles = [lab(colours(theme)[name], sight) for name in ("query", "key", "value")]

    assert min(distance(one, other) for one, other in combinations(roles, 2)) >= least


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_distances_are_those_of_the_published_test_data(one, other, apart: float):
    # Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula", Color Research and Application 30(1), 2005
    assert round(distance(one, other), 4) == apart


def colours(theme: str) -> dict[str, str]:
    """The colours of a theme by the names of their tokens."""
    tokens = (ROOT / "templates" / "css" / "tokens.css").read_text("utf-8")
    root, _, rest = tokens.partition("@media screen")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", root if theme == "light" else rest[: rest.index("}")]))
