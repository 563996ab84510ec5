"""Covers of the chapters: they say what the chapter says, and draw what a run measured."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from models.attention.sharing import INK, KEY, PAPER, QUERY, SITE, SOFT, shade
from sitegen.runs import load

pytestmark = pytest.mark.bake

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "build/runs"


def told(path: str) -> dict[str, str]:
    return tomllib.loads((ROOT / "content" / path).read_text("utf-8"))


def luminance(colour) -> float:
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("chapter", ["11-attention-and-transformers", "12-encoders-decoders"])
def test_a_cover_has_the_words_of_its_chapter_and_the_size_that_others_show(chapter: str):
    settings = told(f"{chapter}/chapter.toml")
    name, picture = settings["cover"].split("/")

    run = load(RUNS / name)

    assert " ".join(run.parameters["title"]) == settings["title"]
    assert told("site.toml")["title"] == SITE
    assert (run.images[picture].width, run.images[picture].height) == (1200, 630)


@pytest.mark.parametrize(
    ("name", "trained"), [("attention-cover", "reverse-digits"), ("wirings-cover", "reverse-strings")]
)
def test_a_cover_draws_the_mean_over_the_heads_of_a_decode(name: str, trained: str):
    heads = load(RUNS / trained).series["decode_attention"]
    drawn = load(RUNS / name).series["cross_attention"]

    mean = np.reshape(heads.values, heads.shape).mean(axis=0)
    np.testing.assert_allclose(np.reshape(drawn.values, drawn.shape), mean, atol=1e-6)
    assert drawn.coordinates == {axis: heads.coordinates[axis] for axis in ("query", "key")}


@pytest.mark.parametrize("colour", [INK, KEY, QUERY, SOFT])
def test_the_words_of_a_cover_can_be_read(colour: str):
    assert (luminance(colour) + 0.05) / (luminance(PAPER) + 0.05) >= 7


def test_a_heavier_weight_is_brighter():
    shades = [luminance(shade(weight)) for weight in (0, 0.25, 0.5, 1)]

    assert shades[0] == pytest.approx(luminance(PAPER))
    assert shades == sorted(shades)
