"""What a published page may do: load its own files, and run no code that stands in it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sitegen.build import build

ROOT = Path(__file__).resolve().parent.parent
POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'"
# attributes by which an element loads something, or sends something there
LOADING = {
    ("audio", "src"), ("embed", "src"), ("form", "action"), ("iframe", "src"), ("img", "src"), ("img", "srcset"),
    ("input", "src"), ("link", "href"), ("object", "data"), ("script", "src"), ("source", "src"), ("use", "href"),
    ("video", "poster"), ("video", "src"), ("image", "href"),
}  # fmt: skip
NOT_LOADED = {"canonical", "alternate"}  # links that name a place


class Page(HTMLParser):
    """`faults`: what a page holds and must not; `early`: what it loads before it names a policy."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.policies: list[str | None] = []
        self.early: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        at = f"line {self.getpos()[0]}"
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(given.get("content"))
        if tag == "style" or (tag == "script" and not given.get("src")) or tag == "base":
            self.faults.append(f"{at}: <{tag}>")
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.faults.append(f"{at}: {name}={value!r}")
            if (value or "").strip().lower().startswith(("javascript:", "vbscript:", "data:")):
                self.faults.append(f"{at}: {name}={value!r}")
            if (tag, name) in LOADING and given.get("rel") not in NOT_LOADED:
                if urlsplit(value or "").netloc:
                    self.faults.append(f"{at}: loads {value!r}")
                if not self.policies:
                    self.early.append(value or "")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    out = build(ROOT, out=tmp_path_factory.mktemp("safe") / "site", url="https://example.org/lessons/").out
    found = {path.relative_to(out).as_posix(): Page(path.read_text("utf-8")) for path in sorted(out.rglob("*.html"))}
    assert len(found) > 10
    return found


def test_no_page_holds_code_or_style_or_loads_from_elsewhere(pages: dict[str, Page]):
    assert {path: page.faults for path, page in pages.items() if page.faults} == {}


def test_every_page_says_first_that_it_loads_from_its_own_host_alone(pages: dict[str, Page]):
    assert {path: page.policies for path, page in pages.items() if page.policies != [POLICY]} == {}
    assert {path: page.early for path, page in pages.items() if page.early} == {}


def test_the_reader_of_pages_finds_what_is_wrong():
    html = """<img src="https://a.org/x.png" onload="go()"><p style="color: red"><a href="javascript:go()">x</a>
    <script>go()</script><style>p {}</style><link rel="stylesheet" href="//a.org/x.css">"""

    page = Page(html)

    assert [fault.split(": ", 1)[1] for fault in page.faults] == [
        "loads 'https://a.org/x.png'", "onload='go()'", "style='color: red'", "href='javascript:go()'",
        "<script>", "<style>", "loads '//a.org/x.css'",
    ]  # fmt: skip
    assert page.early == ["https://a.org/x.png", "//a.org/x.css"]
