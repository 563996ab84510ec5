"""The page for lost addresses, as a host serves it: at the address that was asked for, however deep."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from minimal_site import copied

from sitegen.build import build
from tests.browser.browsing import served


@pytest.mark.parametrize("prefix", ["/any/prefix/", "/"])
@pytest.mark.parametrize("lost", ["a", "a/b/c", "a/b/c/", "straight-lines/d/e/f.html?g=h"])
def test_a_lost_address_is_told_with_the_look_and_the_ways_of_the_site(
    browser: Any, tmp_path: Path, prefix: str, lost: str
):
    out = build(copied(tmp_path), out=tmp_path / "out", url=f"https://example.org{prefix}").out
    complaints: list[str] = []
    with served(out, prefix) as home:
        page = browser.new_page()
        page.on("response", lambda one: complaints.append(one.url) if one.status >= 400 else None)
        page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)

        answer = page.goto(home + lost)

        assert answer.status == 404
        assert page.inner_text("h1") == "Page not found"
        assert urlsplit(page.url).path == urlsplit(home + lost).path
        assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"STIX Two Text"')
        page.wait_for_selector(".theme-switch", state="visible")
        assert [one for one in complaints if home + lost != one and "404 (Not Found)" not in one] == []
        page.click("main a")
        assert urlsplit(page.url).path == f"{prefix}index.html"
        assert page.inner_text("h1") == "A minimal site"
        page.close()
