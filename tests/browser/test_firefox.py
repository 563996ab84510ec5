"""Another engine draws the pages too: a smoke test where Firefox is installed (`firefox-esr`, or named by FIREFOX)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.browser.browsing import served

FIREFOX = shutil.which(os.environ.get("FIREFOX") or "firefox-esr")
SIZE = (1280, 800)


@pytest.mark.skipif(not FIREFOX, reason="no Firefox: install firefox-esr, or set FIREFOX to its path")
@pytest.mark.parametrize("path", ["index.html", "attention-and-transformers/index.html", "figures/replay/index.html"])
def test_firefox_draws_a_page_with_its_type_and_its_colours(site: Path, tmp_path: Path, path: str):
    picture = tmp_path / "page.png"
    window = f"--window-size={SIZE[0]},{SIZE[1]}"
    (tmp_path / "home").mkdir()
    with served(site) as address:
        done = subprocess.run(
            [str(FIREFOX), "--headless", "--screenshot", str(picture), window, address + path],
            env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "MOZ_HEADLESS": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert picture.is_file(), done.stderr[-2000:]

    pixels = np.asarray(Image.open(picture).convert("RGB"), dtype=int)
    assert pixels.shape[1] >= SIZE[0] - 20
    paper = (pixels == (252, 251, 248)).all(axis=2)
    ink = pixels.sum(axis=2) < 200
    assert paper.mean() > 0.5, "the sheet is there"
    assert 0.002 < ink.mean() < 0.3, "and what is written on it"
