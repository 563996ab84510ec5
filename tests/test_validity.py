"""Every page is valid HTML by the checker of the W3C, Nu (one process of Java for all pages)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from minimal_site import copied

from sitegen.build import build

ROOT = Path(__file__).resolve().parent.parent
JAR = Path(os.environ.get("VNU") or ROOT / ".venv/node/node_modules/vnu-jar/build/dist/vnu.jar")


def checker() -> list[str]:
    """The command of the checker; a machine with Java that lacks the jar skips on a desk and fails in CI."""
    java = shutil.which("java")
    if not java:
        pytest.skip("no Java to run the checker of HTML with")
    if not JAR.is_file():
        message = "no vnu.jar: make setup fetches it, or VNU names it"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return [java, "-Xss2m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", str(JAR)]


def findings(*paths: Path) -> Iterator[str]:
    done = subprocess.run(
        [*checker(), "--format", "json", "--stdout", "--also-check-svg", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("{"), done.stderr
    for one in json.loads(done.stdout)["messages"]:
        if not _is_of_a_file_that_is_served_by_no_host(one):
            yield f"{one.get('url', '').rpartition('/site/')[2]}:{one.get('lastLine')}: {one['message']}"


def _is_of_a_file_that_is_served_by_no_host(one: dict[str, Any]) -> bool:
    """Of a file on the disk nothing is of the same origin, so that its policy seems to forbid its own style sheet."""
    return one["type"] == "info" and one["message"].startswith("Resource violates Content Security Policy")


def test_every_page_of_this_site_is_valid(tmp_path: Path):
    out = build(ROOT, out=tmp_path / "site", url="https://example.org/lessons/").out

    assert list(findings(*sorted(out.rglob("*.html")), ROOT / "templates/icons/icon.svg")) == []


def test_what_is_not_valid_is_found(tmp_path: Path):
    out = build(copied(tmp_path), out=tmp_path / "site").out
    page = out / "about" / "index.html"
    page.write_text(page.read_text("utf-8").replace("<main", '<p style="x"><main', 1), "utf-8")

    assert any(found.startswith("about/index.html:") for found in findings(page))
