"""A chapter on paper: its PDF as Chromium prints it, tagged and with an outline.

`python tests/browser/pdf.py [SITE] [TO]` prints the chapters of a built site (build/site) into a folder (build/pdf).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.browsing import launched, served


def chapters(site: Path) -> Iterator[str]:
    """The slugs of the chapters of a built site."""
    for page in sorted(site.glob("*/index.html")):
        if '<article class="chapter"' in page.read_text("utf-8"):
            yield page.parent.name


def print_page(page: Any, to: Path) -> None:
    """An open page to a PDF, with every picture loaded."""
    page.evaluate(
        """async () => {
          await document.fonts.ready;
          for (const picture of document.images) picture.loading = "eager";
          await Promise.all([...document.images].map((picture) => picture.decode()));
        }"""
    )
    page.pdf(path=to, prefer_css_page_size=True, print_background=True, tagged=True, outline=True)


def main(site: Path, to: Path) -> None:
    to.mkdir(parents=True, exist_ok=True)
    with served(site) as address, launched() as browser:
        page = browser.new_page(color_scheme="light")
        for chapter in chapters(site):
            page.goto(f"{address}{chapter}/index.html")
            print_page(page, to / f"{chapter}.pdf")
            print(to / f"{chapter}.pdf")


if __name__ == "__main__":
    arguments = [Path(one) for one in sys.argv[1:]]
    main(arguments[0] if arguments else Path("build/site"), arguments[1] if len(arguments) > 1 else Path("build/pdf"))
