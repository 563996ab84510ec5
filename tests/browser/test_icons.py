"""The pictures among the icons are what icon.svg looks like."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.browser.icons import ICONS, draw

FOLDER = Path(__file__).parents[2] / "templates" / "icons"


def pixels(data: bytes) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"), dtype=float)


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_is_the_drawing_as_it_is_now(name: str, browser: Any):
    page = browser.new_page(color_scheme="light")

    drawn = pixels(draw(page, (FOLDER / "icon.svg").read_text("utf-8"), ICONS[name]))

    page.close()
    kept = pixels((FOLDER / name).read_bytes())
    assert kept.shape == drawn.shape
    assert np.abs(kept - drawn).mean() < 1, "draw them anew: make icons"
