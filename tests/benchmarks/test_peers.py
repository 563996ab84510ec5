"""What the other generators get is the same text, and what sitegen gets is a whole site."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import thousand
from peers import OTHERS, acts_of

from sitegen.build import build

# Builds on as many cores as the first argument says, into the second, and tells how often the process was doubled.
ON_CORES = """
import os, sys
from pathlib import Path
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
fork, children = os.fork, []
def counted():
    children.append(fork())
    return children[-1]
os.fork = counted
from sitegen.build import build
build(Path("."), out=Path(sys.argv[2]))
print(len(children))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return thousand.write(tmp_path_factory.mktemp("site"), 22)


def test_a_written_site_has_as_many_acts_as_asked_for_and_a_figure_in_each(site: Path):
    report = build(site)

    assert (report.figures, report.warnings) == (22, ())
    assert [chapter for chapter, _, _ in acts_of(site)] == ["chapter-1"] * 20 + ["chapter-2"] * 2
    assert sum(path.stat().st_size for path in report.out.rglob("*.html")) < 22 * 20 * 1024


def test_the_same_number_gives_the_same_site(site: Path, tmp_path: Path):
    again = thousand.write(tmp_path, 22)

    files = [path.relative_to(again) for path in sorted(again.rglob("*")) if path.is_file()]
    assert [(again / path).read_bytes() for path in files] == [(site / path).read_bytes() for path in files]


@pytest.mark.parametrize("tool", OTHERS, ids=lambda tool: tool.name)
def test_another_generator_gets_each_act_as_plain_text(tool, site: Path, tmp_path: Path):
    tool.write(site, tmp_path)

    texts = [path.read_text("utf-8") for path in sorted(tmp_path.rglob("*act-*.md"))]
    assert len(texts) == 22
    assert (tmp_path / tool.edited).is_file()
    assert not any("{figure}" in text or "{run}" in text or "+++" in text for text in texts)


@pytest.mark.skipif(not sys.platform.startswith("linux") or (os.cpu_count() or 1) < 2, reason="needs two cores")
def test_two_processes_give_the_bytes_of_one(tmp_path: Path):
    site, made = thousand.write(tmp_path / "site", 100), []
    for cores in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", ON_CORES, cores, str(tmp_path / cores)],
            cwd=site,
            env={**os.environ, "PYTHONPATH": str(thousand.ROOT), "XDG_CACHE_HOME": str(tmp_path / f"cache-{cores}")},
            capture_output=True,
            text=True,
            check=True,
        )
        files = sorted(path for path in (tmp_path / cores).rglob("*") if path.is_file())
        made.append((done.stdout, {path.relative_to(tmp_path / cores): path.read_bytes() for path in files}))

    assert (made[0][0], made[1][0]) == ("0\n", "2\n"), "once for the texts, once for the pages"
    assert made[0][1] == made[1][1]
