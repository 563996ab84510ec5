"""The theme's scripts and styles: strict types where a compiler is at hand, colours that can be read in both themes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted([*(ROOT / "templates" / "js").rglob("*.js"), *(ROOT / "templates" / "figures").rglob("*.js")])
STYLES = sorted((ROOT / "templates").rglob("*.css"))


def compiler() -> list[str] | None:
    """`tsc` of the system, of node_modules, or named by $TSC."""
    named = os.environ.get("TSC") or shutil.which("tsc") or str(ROOT / "node_modules" / ".bin" / "tsc")
    return [named] if Path(named).is_file() else None


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
    tokens = (ROOT / "templates" / "css" / "tokens.css").read_text("utf-8")
    root, _, rest = tokens.partition("@media screen")
    block = root if theme == "light" else rest[: rest.index("}")]
    colour = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block))
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


def channels(colour: str) -> list[int]:
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    return [int(digits[k : k + 2], 16) for k in (0, 2, 4)]


def contrast(one: str, other: str) -> float:
    """WCAG 2's ratio of two colours."""

    def luminance(colour: str) -> float:
        red, green, blue = (
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
            for value in (channel / 255 for channel in channels(colour))
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
