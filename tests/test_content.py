"""The folder content/ to a Site; what is wrong with one is told by the cases in `tests/cases/errors`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from error_cases import CASES, change, split
from minimal_site import MINIMAL, copied, png

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


@pytest.mark.parametrize(
    ("place", "target", "said"),
    [
        ("01-straight-lines/03-more.md", "03-more.md", "03-more.md cannot be read"),
        ("01-straight-lines/03-more.md", "gone.md", "03-more.md cannot be read"),
        ("pages/more.md", "../pages", "more.md cannot be read"),
        ("02-again", "../content", "a text in a folder of a folder is not read"),
        ("01-straight-lines/again", ".", "a text in a folder of a folder is not read"),
        ("../models/lines/more.py", "more.py", "more.py cannot be read"),
        ("../models/lines/again", "..", ""),
        ("../templates/again", ".", ""),
        ("../build/runs/again", "again", ""),
        ("../build/runs/line-fit/run.json", "run.json", "run 'line-fit' cannot be read"),
        ("01-straight-lines/picture.png", "picture.png", "the image 'picture.png' is not there"),
    ],
)
def test_links_that_go_round_or_nowhere_are_no_traceback(place: str, target: str, said: str, tmp_path: Path):
    site = copied(tmp_path)
    path = site / "content" / place
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    if path.suffix == ".png":
        with (site / FOLDER / "02-notes.md").open("a") as notes:
            notes.write("\n![A picture](picture.png)\n")

    told = ""
    try:
        build(site)
    except Findings as found:
        told = str(found)

    assert (said in told) if said else (told == "")


def test_an_image_of_any_name_is_published_under_one_that_every_server_knows(tmp_path: Path):
    site = copied(tmp_path)
    (site / FOLDER / "My Picture & yours.PNG").write_bytes(png(2, 2))
    (site / FOLDER / "größe.svg").write_text("<svg/>")
    with (site / FOLDER / "02-notes.md").open("a", encoding="utf-8") as notes:
        notes.write("\n![One](<My Picture & yours.PNG>) ![Two](My%20Picture%20&%20yours.PNG) ![Three](größe.svg)\n")

    build(site)

    published = sorted(path.name for path in (site / "build" / "site" / "media").iterdir())
    page = (site / "build" / "site" / "straight-lines" / "index.html").read_text("utf-8")
    assert [re.sub(r"\.[0-9a-f]{12}\.", ".", name) for name in published] == ["gr-e.svg", "my-picture-yours.png"]
    assert [page.count(f'src="../media/{name}"') for name in published] == [1, 2]


def test_no_text_of_an_author_ends_as_an_element_of_the_page(tmp_path: Path):
    site = copied(tmp_path)
    evil = "</script></title><script>alert(1)</script><img src=x onerror=alert(1)>"
    for path in (site / "content").rglob("*.*"):
        text = path.read_text("utf-8")
        text = re.sub(r'^(title|kicker|description|attribution|footer|alt|caption) = ".*"$', rf'\1 = "{evil}"', text,
                      flags=re.MULTILINE)  # fmt: skip
        path.write_text(re.sub(r"^(## |::: exercise ).*$", rf"\1{evil}", text, flags=re.MULTILINE), "utf-8")

    build(site)

    files = [path for path in (site / "build" / "site").rglob("*.*") if path.suffix in (".html", ".xml")]
    pages = {path: path.read_text("utf-8") for path in files}
    assert any("alert(1)" in text for text in pages.values())
    assert [path.name for path, text in pages.items() if "<script>alert" in text or "<img src=x" in text] == []


def test_a_page_of_five_megabytes_is_read_whole(tmp_path: Path):
    site = copied(tmp_path)
    paragraph = "Words and more of them, without an end. " * 220 + "And *more* for $5.\n\n"
    text = '+++\ntitle = "Long"\n+++\n\n' + "".join(f"## Part {k}\n\n{paragraph}" for k in range(580))
    (site / "content" / "pages" / "long.md").write_text(text)
    assert len(text) > 5_000_000

    build(site)

    page = (site / "build" / "site" / "long" / "index.html").read_text("utf-8")
    assert page.count("without an end. And <em>more</em> for $5.</p>") == 580
    assert 'id="long-part-579"' in page


def test_names_with_spaces_are_told_with_one_that_is_right(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "02-my chapter").mkdir()
    for path in (f"{FOLDER}/03 my act.md", "content/02-my chapter/chapter.toml", "content/pages/my page.md"):
        (site / path).write_text('+++\ntitle = "T"\n+++\n')

    with pytest.raises(Findings) as found:
        build(site)

    assert [(str(error.at), error.hint) for error in found.value.errors] == [
        (f"{FOLDER}/03 my act.md", "rename it like 01-first-steps.md"),
        ("content/02-my chapter", "rename it like 01-first-steps"),
        ("content/pages/my page.md", "use lower-case words joined by hyphens"),
    ]


def test_the_room_of_a_figure_stands_on_the_chapter_and_on_its_own_page(tmp_path: Path):
    site = copied(tmp_path)
    (site / FOLDER / "rooms.toml").write_text("trace-again = [280, 443, 320, 425]\n")

    out = build(site).out

    for page in ("straight-lines", "figures/trace-again"):
        text = (out / page / "index.html").read_text("utf-8")
        assert re.findall(r'<figure[^>]* id="([^"]+)"[^>]* data-room="([^"]+)"', text) == [
            ("trace-again", "280 443 320 425")
        ]
