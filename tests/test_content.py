"""The folder content/ to a Site; what is wrong with one is told by the cases in `tests/cases/errors`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from error_cases import CASES, change, split
from minimal_site import MINIMAL, copied

from sitegen import content
from sitegen.build import build
from sitegen.errors import Findings
from sitegen.schema import Act, Claim, Location, Section

FOLDER = "content/01-straight-lines"


@pytest.mark.parametrize("path", sorted((CASES / "errors").glob("*.txt")), ids=lambda path: path.stem)
def test_a_mistake_is_told_with_its_place_and_a_way_out(path: Path, tmp_path: Path):
    changes, expected = split(path.read_text("utf-8"))
    site = copied(tmp_path)
    change(site, changes)

    with pytest.raises(Findings) as found:
        build(site)

    assert str(found.value) + "\n" == expected
    assert not (site / "build" / "site").exists()


def test_parts_come_in_the_order_of_their_numbers():
    chapter = content.read(MINIMAL).chapters[0]

    assert chapter.opening is not None
    assert [(type(part), part.slug) for part in chapter.parts] == [(Act, "the-slope"), (Section, "notes")]
    assert (chapter.number, chapter.slug, chapter.models) == (1, "straight-lines", "lines")


def test_acts_count_on_from_the_number_before(tmp_path: Path):
    site = copied(tmp_path)
    for name, extra in (
        ("03-three", "number = 5\n"),
        ("04-four", ""),
        ("05-note", 'kind = "section"\n'),
        ("06-six", ""),
    ):
        (site / FOLDER / f"{name}.md").write_text(f'+++\ntitle = "T"\n{extra}+++\n## Step\n')

    acts = content.read(site).chapters[0].acts

    assert [(act.number, act.id, act.slug) for act in acts] == [
        (1, "a1", "the-slope"),
        (5, "a5", "three"),
        (6, "a6", "four"),
        (7, "a7", "six"),
    ]


def test_claims_keep_their_line():
    act = content.read(MINIMAL).chapters[0].acts[0]

    assert act.claims == (
        Claim(
            "line-fit.metrics.error", "<", 0.1, "line-fit.metrics.error < 0.1", Location(f"{FOLDER}/01-the-slope.md", 4)
        ),
        Claim(
            "line-fit.series.loss[step=4]",
            "<=",
            0.02,
            "line-fit.series.loss[step=4] <= 0.02",
            Location(f"{FOLDER}/01-the-slope.md", 4),
        ),
    )


def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path):
    site = copied(tmp_path)
    for path in (site / "content").rglob("*.*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))

    assert content.read(site) == content.read(MINIMAL)


def test_a_site_without_pages_has_a_first_page_and_one_for_lost_addresses(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "pages" / "about.md").unlink()
    (site / "content" / "site.toml").write_text('title = "T"\ndescription = "D"\n')

    pages = content.read(site).pages

    assert [(page.slug, page.title, page.template) for page in pages] == [
        ("", "T", "index.html.j2"),
        ("404", "Page not found", "404.html.j2"),
    ]


def test_a_first_page_can_be_written(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "pages" / "index.md").write_text('+++\ntitle = "Welcome"\n+++\nHello.\n')

    first = next(page for page in content.read(site).pages if page.slug == "")

    assert (first.title, first.template, re.sub("\x00[^\x00]*\x00", "", first.html)) == (
        "Welcome",
        "index.html.j2",
        "<p>Hello.</p>",
    )
