"""The index of the search: what each row is called, where it leads to, and its plain text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from minimal_site import copied

from sitegen.build import assemble
from sitegen.search import FIELDS

TERMS = '[slope]\nterm = "slope"\naliases = ["slopes"]\nsymbols = ["w"]\ndefinition = "How *steep* a line is."\n'


def indexed(site: Path) -> list[dict[str, Any]]:
    files = assemble(site).files
    index = json.loads(files["search.json"])
    assert tuple(index["fields"]) == FIELDS
    assert 'data-index="../search.json"' in files["straight-lines/index.html"].decode()
    return [dict(zip(index["fields"], row, strict=True)) for row in index["rows"]]


def rows(site: Path, kind: str) -> list[tuple[str, str, str]]:
    return [(row["title"], row["place"], row["url"]) for row in indexed(site) if row["kind"] == kind]


def test_acts_steps_sections_and_figures_lead_to_their_places(tmp_path: Path):
    site = copied(tmp_path)
    home = "straight-lines/index.html"

    assert rows(site, "act") == [
        ("The slope", "Straight lines · act 1", f"{home}#a1"),
        ("The slope", "Straight lines · act 1, exercises", f"{home}#a1"),
    ]
    assert rows(site, "step") == [
        ("It starts at nothing", "Straight lines · act 1, step 1", f"{home}#a1-s1"),
        ("It ends at two", "Straight lines · act 1, step 2", f"{home}#a1-s2"),
    ]
    assert rows(site, "figure") == [
        ("Loss of each step, last ℓ=0.", "Figure 1.1 · Straight lines", f"{home}#a1-s1"),
        (
            "The loss falls from one to nearly nothing in four steps.",
            "Figure A.1 · Straight lines",
            f"{home}#trace-again",
        ),
    ]
    assert rows(site, "section")[:3] == [
        ("The same figure again", "Straight lines · Notes", f"{home}#notes-the-same-figure-again"),
        ("References", "Straight lines · Notes", f"{home}#notes-references"),
        ("About", "", "about/index.html"),
    ]


def test_terms_are_known_by_all_their_names_and_references_by_their_authors(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "glossary.toml").write_text(TERMS)

    term = next(row for row in indexed(site) if row["kind"] == "term")
    work = next(row for row in indexed(site) if row["kind"] == "reference")

    assert (term["title"], term["url"]) == ("slope", "glossary/index.html#slope")
    assert (term["names"], term["text"]) == ("slope slopes w", "How steep a line is.")
    assert work["url"] == "straight-lines/index.html#ref-others"
    assert "Other" in work["names"]


def test_a_text_has_its_numbers_citations_and_references_as_a_reader_sees_them(tmp_path: Path):
    site = copied(tmp_path)
    path = site / "content" / "01-straight-lines" / "01-the-slope.md"
    path.write_text(path.read_text().replace("Others found", "In {ref}`trace-again` {cite}`others:text` found"))

    step = next(row for row in indexed(site) if row["url"].endswith("#a1-s2"))

    assert step["text"].startswith(
        "After 4 steps the slope is 1.940, wrong by ≤ 7 %. In Figure A.1 Other and Other 1999 "
    )
    assert "\x00" not in json.dumps(indexed(site))


def test_a_number_of_a_formula_is_no_word_of_the_text(tmp_path: Path):
    step = next(row for row in indexed(copied(tmp_path)) if row["url"].endswith("#a1-s1"))

    assert "1.1" not in step["text"]


def test_an_edited_text_changes_the_index_and_its_own_page_alone(tmp_path: Path):
    site = copied(tmp_path)
    before = assemble(site).files
    about = site / "content" / "pages" / "about.md"
    about.write_text(about.read_text() + "\nMore.\n")

    after = assemble(site).files

    assert {path for path in before | after if before.get(path) != after.get(path)} == {
        "about/index.html",
        "search.json",
        "worker.js",
    }
