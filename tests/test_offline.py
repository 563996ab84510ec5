"""What the worker of a site is told to keep."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from minimal_site import copied

from sitegen.build import assemble, offline
from sitegen.check import sizes

ASSETS = "assets/0123456789ab"
FILES = {
    ".nojekyll": b"",
    "404.html": b"lost",
    "index.html": b"first",
    "robots.txt": b"User-agent: *",
    "feed.xml": b"<feed/>",
    "sitemap.xml": b"<urlset/>",
    "site.webmanifest": b"{}",
    "favicon.ico": b"icon",
    f"{ASSETS}/site.css": b"p {}",
    f"{ASSETS}/fonts/OFL-one.txt": b"licence",
    f"{ASSETS}/icons/icon.svg": b"<svg/>",
    f"{ASSETS}/icons/icon-512.png": b"png",
    f"{ASSETS}/js/worker/offline.js": b"work();",
    "data/run.0123456789ab.json": b"{}",
    "data/run.0123456789ab.bin": b"large",
    "data/cover.0123456789ab-card.png": b"card",
}
KEPT = [
    "404.html", f"{ASSETS}/icons/icon.svg", f"{ASSETS}/site.css", "data/run.0123456789ab.bin",
    "data/run.0123456789ab.json", "favicon.ico", "index.html",
]  # fmt: skip
CARD, MODEL = "data/cover.0123456789ab-card.png", "data/run.0123456789ab.bin"


def told(files: dict[str, bytes], **options: set[str]) -> dict:
    (name, script), *others = offline.worker(files, ASSETS, **options).items()
    assert (name, others) == ("worker.js", [])
    site, imports = re.fullmatch(r"self\.SITE=(.*);\nimportScripts\((.*)\);\n", script.decode()).groups()
    assert json.loads(imports) == f"{ASSETS}/js/worker/offline.js"
    return json.loads(site)


def test_what_readers_ask_for_is_kept_and_what_hosts_and_others_ask_for_is_not():
    assert told(FILES, unread={CARD})["files"] == KEPT


def test_what_comes_on_demand_is_kept_later():
    site = told(FILES, later={MODEL}, unread={CARD})

    assert (site["files"], site["later"]) == ([path for path in KEPT if path != MODEL], [MODEL])


@pytest.mark.parametrize("path", ["index.html", "favicon.ico", f"{ASSETS}/js/worker/offline.js"])
def test_another_text_is_another_version(path: str):
    assert told({**FILES, path: b"other"})["version"] != told(FILES)["version"]


def test_a_name_that_holds_a_digest_stands_for_its_bytes():
    renamed = {path.replace("run.0", "run.1"): data for path, data in FILES.items()}

    assert told(renamed)["version"] != told(FILES)["version"]
    assert told({**FILES, "robots.txt": b"other"})["version"] == told(FILES)["version"]


def test_a_theme_without_the_script_has_no_worker():
    assert offline.worker({"index.html": b"first"}, ASSETS) == {}


def test_the_same_site_has_the_same_version_wherever_it_is_built(tmp_path: Path):
    one, two = (assemble(copied(tmp_path / name)) for name in ("one", "two"))

    assert one.files["worker.js"] == two.files["worker.js"]
    assert set(json.loads(one.files["worker.js"][10:].partition(b";\n")[0])["files"]) == one.kept


def test_what_is_not_kept_counts_for_no_budget_of_the_site():
    whole, kept = sizes({}, FILES), sizes({}, FILES, kept={"index.html"})

    (all_of_it,), (some_of_it,) = ([size.amount for size in found if size.kind == "site"] for found in (whole, kept))
    assert 0 < some_of_it < all_of_it / 10
