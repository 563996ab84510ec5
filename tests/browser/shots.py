"""Screenshots for looking at: every page at three widths, light, dark and without scripts, each step, and on paper.

`python tests/browser/shots.py [SITE] [TO] [--only WORD]` takes a built site (build/site) and writes pictures into
TO/one (shots/one), and contact sheets of them, to be looked at first, into TO. Of a chapter, which is long, each step
and each section is a picture. `--only` takes the pages whose path has the word in it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.browsing import FLAGS, chromium, scroll_through, served, settle
from tests.browser.pdf import print_page

SIZES = {390: 844, 768: 1024, 1280: 800}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "no-js": {"color_scheme": "light", "java_script_enabled": False},
}
PAPER = "paper"
TALL = 5000  # pixels; what is taller is cut into pieces
COLUMNS = {390: 5, 768: 4, 1280: 3}  # on a contact sheet
WIDE, HIGH = 1600, 1300  # of a contact sheet, about


def shoot(site: Path, to: Path, look: str, width: int, paths: list[str]) -> None:
    """All pages in one look at one width, one after the other in one window."""
    from playwright.sync_api import sync_playwright

    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        size = {"width": width, "height": SIZES.get(width, 800)}
        options = LOOKS.get(look, {})
        page = browser.new_context(viewport=size, reduced_motion="reduce", **options).new_page()
        for path in paths:
            page.goto(address + path)
            name = path.removesuffix(".html").removesuffix("/index").replace("/", "-")
            if look == PAPER:
                print_out(page, to, name)
            else:
                shoot_page(page, to, f"{look}-{width}-{name}", size, scripts=look != "no-js")
        browser.close()


def shoot_page(page: Any, to: Path, name: str, size: dict[str, int], scripts: bool) -> None:
    if not scripts:  # only a wheel brings lazy pictures into view
        for _ in range(page.evaluate("document.documentElement.scrollHeight") // 2400):
            page.mouse.wheel(0, 2400)
            page.wait_for_timeout(30)
        page.evaluate("scrollTo(0, 0)")
        shoot_whole(page, to, name, size["width"])
        return
    scroll_through(page)
    steps = page.eval_on_selector_all(".step[id]", "steps => steps.map((step) => step.id)")
    if not steps:
        shoot_whole(page, to, name, size["width"])
        return
    page.screenshot(path=to / f"{name}-0.jpg", type="jpeg", quality=80)
    for identity in steps:
        page.evaluate(
            """async (id) => {
              const entry = document.querySelector("script[type=module]").src;
              const { scrollToPlace } = await import(new URL("steps.js", entry));
              scrollToPlace(document.getElementById(id));
            }""",
            identity,
        )
        settle(page)
        page.screenshot(path=to / f"{name}-{identity}.jpg", type="jpeg", quality=80)
    boxes = """all => all.map((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [one.id || one.closest(".act").id + "-z", { x: 0, y: top + scrollY, width: innerWidth, height }];
    })"""
    for identity, box in page.eval_on_selector_all(".act-after, .section", boxes):
        shoot_box(page, to, f"{name}-{identity}", box)


def shoot_whole(page: Any, to: Path, name: str, width: int) -> None:
    height = page.evaluate("document.documentElement.scrollHeight")
    shoot_box(page, to, name, {"x": 0, "y": 0, "width": width, "height": height})


def shoot_box(page: Any, to: Path, name: str, box: dict[str, float]) -> None:
    """A part of the page; in pieces if it is tall."""
    for number, top in enumerate(range(0, max(1, int(box["height"])), TALL)):
        clip = {**box, "y": box["y"] + top, "height": min(TALL, box["height"] - top)}
        piece = f"-{number}" if box["height"] > TALL else ""
        page.screenshot(path=to / f"{name}{piece}.jpg", type="jpeg", quality=80, full_page=True, clip=clip)


def print_out(page: Any, to: Path, name: str) -> None:
    """The pages on paper, as pictures where poppler is there to draw them."""
    document = to / f"{PAPER}-{name}.pdf"
    print_page(page, document)
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-jpeg", str(document), str(to / f"{PAPER}-0-{name}")], check=True)


def sheets(pictures: list[Path], to: Path) -> Iterator[Path]:
    """Contact sheets, one or more for each look and width."""
    from PIL import Image, ImageDraw

    for kind, group in groupby(sorted(pictures), lambda path: re.match(r"(.+?-\d+)-", path.name)[1]):
        columns = COLUMNS.get(int(kind.rpartition("-")[2]), 6)
        wide = WIDE // columns - 6
        thumbs = []
        for path in group:
            with Image.open(path) as picture:
                scale = min(1.0, wide / picture.width, HIGH / picture.height)
                size = round(picture.width * scale) or 1, round(picture.height * scale) or 1
                thumbs.append((path.stem.removeprefix(f"{kind}-"), picture.resize(size)))
        thumbs.sort(key=lambda one: one[1].height > HIGH / 2)  # tall ones stand among tall ones
        rows = [thumbs[start : start + columns] for start in range(0, len(thumbs), columns)]
        heights = [max(thumb.height for _, thumb in row) + 18 for row in rows]
        number = 0
        while rows:
            count = 1
            while count < len(rows) and sum(heights[: count + 1]) <= HIGH:
                count += 1
            sheet = Image.new("RGB", (WIDE, sum(heights[:count])), "#777")
            for index, row in enumerate(rows[:count]):
                top = sum(heights[:index])
                for column, (name, thumb) in enumerate(row):
                    ImageDraw.Draw(sheet).text((column * (wide + 6), top + 2), name, fill="#fff")
                    sheet.paste(thumb, (column * (wide + 6), top + 16))
            rows, heights = rows[count:], heights[count:]
            sheet.save(to / f"{kind}-{number:02d}.png")
            yield to / f"{kind}-{number:02d}.png"
            number += 1


def main(site: Path, to: Path, only: str) -> None:
    if not chromium():
        sys.exit("no Chromium: install it, or set CHROMIUM to its path")
    shutil.rmtree(to, ignore_errors=True)
    (to / "one").mkdir(parents=True)
    paths = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    paths = [path for path in paths if only in path]
    looks = [(look, width) for look in LOOKS for width in SIZES] + [(PAPER, 0)]
    with ProcessPoolExecutor(os.cpu_count() or 1) as workers:
        for work in [workers.submit(shoot, site, to / "one", look, width, paths) for look, width in looks]:
            work.result()
    for sheet in sheets(list((to / "one").glob("*.jpg")), to):
        print(sheet)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", nargs="?", type=Path, default=Path("build/site"))
    parser.add_argument("to", nargs="?", type=Path, default=Path("shots"))
    parser.add_argument("--only", default="", metavar="WORD", help="only pages whose path has this word in it")
    given = parser.parse_args()
    main(given.site, given.to, given.only)
