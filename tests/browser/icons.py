"""The pictures of templates/icons/ that cannot be drawings: drawn from icon.svg by Chromium.

`python tests/browser/icons.py [SITE]` writes them beside the `templates/icons/icon.svg` of a site (this one).
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.browsing import launched


class Icon(NamedTuple):
    """A square picture of `size` pixels; the mark takes `share` of its width, on the paper or on nothing."""

    size: int
    share: float
    paper: str | None


PAPER = "#fcfbf8"
# The systems round a touch icon's corners, and may cut a maskable one to the circle of 80 % of its width.
ICONS: Mapping[str, Icon] = {
    "favicon.ico": Icon(32, 1, None),
    "apple-touch-icon.png": Icon(180, 0.68, PAPER),
    "icon-192.png": Icon(192, 0.76, PAPER),
    "icon-512.png": Icon(512, 0.76, PAPER),
    "icon-maskable-512.png": Icon(512, 0.5, PAPER),
}


def draw(page: Any, svg: str, icon: Icon) -> bytes:
    """A PNG."""
    mark = round(icon.size * icon.share)
    page.set_viewport_size({"width": icon.size, "height": icon.size})
    page.set_content(
        f"""<style>html {{ background: {icon.paper or "none"} }}
        body {{ margin: 0; height: 100vh; display: grid; place-items: center }}
        svg {{ width: {mark}px; height: {mark}px; shape-rendering: geometricPrecision }}</style>{svg}"""
    )
    return page.screenshot(omit_background=icon.paper is None, type="png")


def as_ico(png: bytes, size: int) -> bytes:
    """An icon file that holds one PNG: its directory of one entry, then the picture."""
    entry = struct.pack("<BBBBHHII", size, size, 0, 0, 1, 32, len(png), 6 + 16)
    return struct.pack("<HHH", 0, 1, 1) + entry + png


def main(folder: Path) -> None:
    svg = (folder / "icon.svg").read_text("utf-8")
    with launched() as browser:
        page = browser.new_page(color_scheme="light")
        for name, icon in ICONS.items():
            png = draw(page, svg, icon)
            (folder / name).write_bytes(as_ico(png, icon.size) if name.endswith(".ico") else png)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "templates" / "icons")
