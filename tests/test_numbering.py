"""Numbers of figures and formulas, and what refers to them; mistakes are cases in `tests/cases/errors`."""

from __future__ import annotations

import re
from pathlib import Path

from minimal_site import copied

from sitegen import content, numbering
from sitegen.build import assemble

FOLDER = "content/01-straight-lines"
CHAPTER = "straight-lines/index.html"
FIGURE = '```{figure} trace\nid = "%s"\nrun = "line-fit"\nstill = "curve"\nalt = "Falls."\n```\n'


def written(site: Path, name: str, text: str, head: str = "") -> None:
    (site / FOLDER / name).write_text(f'+++\ntitle = "{name[3:-3].title()}"\n{head}+++\n{text}', "utf-8")


def links(html: str) -> list[tuple[str, str]]:
    return re.findall(r'<a class="ref" href="([^"]*)">(.*?)</a>', html)


def test_figures_and_formulas_count_act_by_act_and_sections_by_letters(tmp_path: Path):
    site = copied(tmp_path)
    written(site, "03-three.md", f"## One\n{FIGURE % 'x'}\n$$a$$\n\n## Two\n{FIGURE % 'y'}\n$$b$$\n")
    written(site, "04-words.md", "Only words.", 'kind = "section"\n')
    written(site, "05-more.md", f"{FIGURE % 'z'}\n$$c$$\n", 'kind = "section"\n')

    found = numbering.numbers(content.read(site))

    assert found.figures == {"the-slope-s1": "1.1", "trace-again": "A.1", "x": "2.1", "y": "2.2", "z": "B.1"}
    assert list(found.formulas.values()) == ["1.1", "2.1", "2.2", "B.1"]
    assert found.letters == {("straight-lines", "notes"): "A", ("straight-lines", "more"): "B"}


def test_what_stands_in_the_opening_counts_as_part_nought(tmp_path: Path):
    site = copied(tmp_path)
    written(site, "00-opening.md", FIGURE % "first", 'kind = "opening"\n')

    assert numbering.numbers(content.read(site)).figures["first"] == "0.1"


def test_a_reference_says_where_it_leads_to_also_without_words_of_its_own(tmp_path: Path):
    site = copied(tmp_path)
    written(
        site,
        "03-three.md",
        f"## One\n{FIGURE % 'x'}\nSee {{ref}}`x`, {{ref}}`trace-again`, [](#a1-s2), [](#a1), {{ref}}`notes`,\n"
        "{ref}`mean`.\n\n$$m = 0$$ {#mean}\n",
    )

    html = assemble(site).files[CHAPTER].decode()

    assert links(html) == [
        ("#a2-s1", "Figure 2.1"),
        ("#trace-again", "Figure A.1"),
        ("#a1-s2", "act 1, step 2"),
        ("#a1", "act 1"),
        ("#notes", "Notes"),
        ("#mean", "Equation 2.1"),
    ]
    assert '<div class="equation" id="mean" tabindex="0" role="group" aria-label="Equation 2.1">' in html
    assert '<span class="number" aria-hidden="true">(2.1)</span></div>' in html
    assert '<span class="number">Figure 2.1</span>' in html


def test_from_elsewhere_a_reference_names_the_chapter_and_a_label_needs_it(tmp_path: Path):
    site = copied(tmp_path)
    written(site, "03-three.md", f"## One\n{FIGURE % 'x'}\n$$m = 0$$ {{#mean}}\n")
    about = site / "content" / "pages" / "about.md"
    about.write_text(f"{about.read_text()}\nSee {{ref}}`x`, {{ref}}`straight-lines#mean`, [](/straight-lines/#a1).\n")

    html = assemble(site).files["about/index.html"].decode()

    assert links(html) == [
        (f"../{CHAPTER}#a2-s1", "Figure 2.1 of <em>Straight lines</em>"),
        (f"../{CHAPTER}#mean", "Equation 2.1 of <em>Straight lines</em>"),
        (f"../{CHAPTER}#a1", "act 1 of <em>Straight lines</em>"),
    ]


def test_a_caption_keeps_its_references_on_the_figures_own_page(tmp_path: Path):
    site = copied(tmp_path)
    written(site, "03-three.md", f"## One\n{FIGURE % 'x'}".replace("alt =", 'caption = "As {ref}`mean`."\nalt =')
            + "\n$$m = 0$$ {#mean}\n")  # fmt: skip

    html = assemble(site).files["figures/x/index.html"].decode()

    assert links(html) == [(f"../../{CHAPTER}#mean", "Equation 2.1 of <em>Straight lines</em>")]
    assert '<span class="number">Figure 2.1</span>' in html


def test_a_formula_on_a_page_has_its_box_and_no_number(tmp_path: Path):
    site = copied(tmp_path)
    about = site / "content" / "pages" / "about.md"
    about.write_text(about.read_text() + "\n$$x = 1$$\n")

    html = assemble(site).files["about/index.html"].decode()

    assert '<div class="equation" tabindex="0" role="group" aria-label="Equation"><math display="block">' in html
