"""The pictures of README.md: one step of the built site, in light and in dark.

`python tests/browser/picture.py [SITE] [TO]` takes a built site (build/site) and writes into .github/.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.browsing import launched, served, settle

STEP = "attention-and-transformers/?t=600#a6-s3"  # the end of a training: the map has become a diagonal
SIZE = {"width": 1280, "height": 768}
SCHEMES = ("light", "dark")


def taken(page: Any) -> bytes:
    """A PNG of what is in view, in 256 colours."""
    from PIL import Image

    page.wait_for_selector("#replay[data-live=yes]")
    settle(page)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    png = io.BytesIO()
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(png, "PNG", optimize=True)
    return png.getvalue()


def main(site: Path, to: Path) -> None:
    with served(site) as address, launched() as browser:
        for scheme in SCHEMES:
            context = browser.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
            page = context.new_page()
            page.goto(address + STEP)
            page.evaluate(
                "document.activeElement.blur()"
            )  # the step that was linked to has the focus, with a ring around it
            path = to / f"page-{scheme}.png"
            path.write_bytes(taken(page))
            print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    main(*(given + [Path("build/site"), Path(".github")][len(given) :]))
