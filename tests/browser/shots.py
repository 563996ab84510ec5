"""Screenshots for looking at: every page at three widths, light, dark and without scripts, each step, and on paper.

`python tests/browser/shots.py [SITE] [TO]` takes a built site (build/site) and writes PNG files (shots/).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
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


def shoot(browser: Any, address: str, name: str, path: str, to: Path) -> None:
    for width, height in SIZES.items():
        for look, options in LOOKS.items():
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            page = context.new_page()
            page.goto(address + path)
            if look != "no-js":
                scroll_through(page)
            else:
                load_pictures(page, height)
            page.screenshot(path=to / f"{name}-{width}-{look}.png", full_page=True)
            if look != "no-js":
                shoot_steps(page, to, f"{name}-{width}-{look}")
            context.close()


def load_pictures(page: Any, height: int) -> None:
    """Without scripts only a wheel brings a page's lazy pictures into view."""
    for _ in range(40):
        page.mouse.wheel(0, height * 0.8)
        page.wait_for_timeout(30)


def shoot_steps(page: Any, to: Path, name: str) -> None:
    """One window a step, as a reader sees it who came by the buttons."""
    for identity in page.eval_on_selector_all(".step[id]", "steps => steps.map((step) => step.id)"):
        page.evaluate(
            """async (id) => {
              const entry = document.querySelector("script[type=module]").src;
              const { scrollToPlace } = await import(new URL("steps.js", entry));
              scrollToPlace(document.getElementById(id));
            }""",
            identity,
        )
        settle(page)
        page.wait_for_timeout(450)  # the longest motion
        page.screenshot(path=to / f"{name}-{identity}.png")


def print_out(browser: Any, address: str, name: str, path: str, to: Path) -> None:
    page = browser.new_page()
    page.goto(address + path)
    document = to / f"{name}.pdf"
    print_page(page, document)
    page.close()
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-png", str(document), str(to / f"{name}-paper")], check=True)


def main(site: Path, to: Path) -> None:
    from playwright.sync_api import sync_playwright

    executable = chromium()
    if not executable:
        sys.exit("no Chromium: install it, or set CHROMIUM to its path")
    to.mkdir(parents=True, exist_ok=True)
    for old in to.glob("*.p*"):
        old.unlink()
    with served(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        for file in sorted(site.rglob("*.html")):
            path = file.relative_to(site).as_posix()
            name = path.removesuffix(".html").removesuffix("/index").replace("/", "-")
            shoot(browser, address, name, path, to)
            print_out(browser, address, name, path, to)
        browser.close()


if __name__ == "__main__":
    arguments = [Path(one) for one in sys.argv[1:]]
    main(arguments[0] if arguments else Path("build/site"), arguments[1] if len(arguments) > 1 else Path("shots"))
