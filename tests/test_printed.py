"""Addresses of links, for paper."""

from __future__ import annotations

from pathlib import Path

from minimal_site import copied

from sitegen.build import assemble
from sitegen.render.printed import with_addresses


def page(body: str) -> str:
    return f"<html><body>{body}</body></html>"


def test_links_to_elsewhere_are_numbered_and_their_addresses_listed():
    html = page(
        '<a href="https://a.org/x?y=1&amp;z">A</a> <a href="../b/">B</a> <a class="c" href="http://c.org">C</a>'
    )

    assert with_addresses(html) == page(
        '<a data-address="1" href="https://a.org/x?y=1&amp;z">A</a> <a href="../b/">B</a> '
        '<a data-address="2" class="c" href="http://c.org">C</a>'
        '<ol class="addresses"><li>https://a.org/x?y=1&amp;z</li><li>http://c.org</li></ol>\n'
    )


def test_the_same_address_has_one_number():
    html = page('<a href="https://a.org">A</a><a href="https://b.org">B</a><a href="https://a.org">again</a>')

    found = with_addresses(html)

    assert [found.count(f'data-address="{number}"') for number in (1, 2, 3)] == [2, 1, 0]
    assert found.count("<li>") == 2


def test_the_place_of_quoted_code_needs_no_address():
    html = page('<p class="quote-place"><a href="https://code.org/blob/HEAD/a.py#L1">a.py:1</a></p>')

    assert with_addresses(html) == html


def test_an_address_that_stands_there_already_is_not_repeated():
    html = page(
        '<a href="https://a.org">https://a.org</a><ul class="references"><li><a href="https://b.org">B</a></li></ul>'
    )

    assert with_addresses(html) == html


def test_a_page_of_the_site_lists_what_it_leads_to_and_a_figures_own_page_does_not(tmp_path: Path):
    site = copied(tmp_path)
    notes = site / "content/01-straight-lines/02-notes.md"
    notes.write_text(notes.read_text("utf-8") + "\nSee [there](https://there.example/a_b).\n", "utf-8")

    files = assemble(site).files

    assert b"<li>https://there.example/a_b</li>" in files["straight-lines/index.html"]
    assert b'class="addresses"' not in files["figures/trace-again/index.html"]


def test_the_sheet_for_paper_holds_up_no_screen(tmp_path: Path):
    files = assemble(copied(tmp_path)).files
    (sheet,) = (path for path in files if path.endswith("/print.css"))

    assert f'<link rel="stylesheet" href="../{sheet}" media="print">' in files["about/index.html"].decode()
    assert b"@page" in files[sheet]
    assert b"@page" not in files[sheet.replace("print.css", "site.css")]
