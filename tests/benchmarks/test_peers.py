"""What the other generators get is the same text, and what sitegen gets is a whole site."""

from __future__ import annotations

from pathlib import Path

import pytest
import thousand
from peers import OTHERS, acts_of

from sitegen.build import build


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
