"""Terms and symbols to their entries and back; mistakes are cases in `tests/cases/errors`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from minimal_site import copied

from sitegen import content, glossary, numbering
from sitegen.build import assemble, inspect
from sitegen.markdown import walk
from sitegen.schema import Site

FOLDER = "content/01-straight-lines"
CHAPTER = "straight-lines/index.html"
TERMS = r"""
[weight]
term = "weight"
aliases = ["weights"]
symbols = ["w"]
role = "key"
definition = "A number that is **trained**, such as a [slope]{.term}."
see = ["slope"]

[slope]
term = "slope"
symbols = ["w_1", "\\mathcal{S}"]
local = { "straight-lines#a2" = ["w"] }
definition = "How steep a line is."
"""
# what stands for it everywhere, but for act 2
TERMS = TERMS.replace('symbols = ["w"]', 'symbols = ["v"]\nlocal = { "straight-lines#a1" = ["w"] }')


def site_with(folder: Path, text: str = "", terms: str = TERMS, name: str = "03-more.md") -> Path:
    """The minimal site with a glossary and a second act."""
    site = copied(folder)
    (site / "content" / "glossary.toml").write_text(terms, "utf-8")
    (site / FOLDER / name).write_text(f'+++\ntitle = "More"\n+++\n{text or "## One"}\n', "utf-8")
    return site


def chapter(site: Path) -> str:
    return assemble(site).files[CHAPTER].decode()


def act(site: Path, number: int) -> str:
    found = re.search(
        rf'<section class="act" id="a{number}".*?(?=<section class="(?:act|section)"|</article>)', chapter(site), re.S
    )
    assert found
    return found[0]


def terms(html: str) -> list[tuple[str, str]]:
    """(key, text) of each link to the glossary."""
    found = re.findall(r'<a class="term[^"]*" href="[^"#]*#([^"]*)"[^>]*>(.*?)</a>', html, re.S)
    return [(key, re.sub("<[^>]*>", "", text)) for key, text in found]


def linked(site: Path) -> Site:
    read = content.read(site)
    return glossary.linked(numbering.numbered(read, numbering.numbers(read)))


def test_a_marked_word_leads_to_its_entry_by_any_of_its_names(tmp_path: Path):
    html = act(
        site_with(tmp_path, "## One\nA [Slope]{.term}, [*some* weights]{.term key=weight}, [weights]{.term}."), 2
    )

    assert terms(html) == [("slope", "Slope"), ("weight", "some weights"), ("weight", "weights")]
    assert '<a class="term key" href="../glossary/index.html#weight"><em>some</em> weights</a>' in html


def test_the_first_formula_of_an_act_that_is_a_symbol_alone_is_linked(tmp_path: Path):
    html = act(site_with(tmp_path, "## One\n$v + 1$, $v$ and $v$.\n\n## Two\n$\\mathcal{S}$ and $v$."), 2)

    assert terms(html) == [("weight", "v"), ("slope", "𝒮\ufe00")]
    assert html.count('<mi class="key">v</mi>') == 4, "all have the colour of their role"
    assert 'href="../glossary/index.html#weight" title="weight"><math>' in html, "a letter alone needs a name"


def test_a_symbol_whose_word_was_marked_before_is_no_second_link(tmp_path: Path):
    assert terms(act(site_with(tmp_path, "## One\nThe [weight]{.term} $v$."), 2)) == [("weight", "weight")]


def test_below_a_formula_stand_its_symbols_that_no_formula_of_the_act_explained_before(tmp_path: Path):
    html = act(site_with(tmp_path, "## One\n$$v + w_1^2 + u$$\n\n## Two\n$$v$$\n"), 2)

    lists = re.findall(r'<p class="symbols">(.*?)</p>', html)
    assert [terms(one) for one in lists] == [[("weight", "v weight"), ("slope", "w1 slope")]]


def test_the_next_act_explains_its_symbols_anew(tmp_path: Path):
    site = site_with(tmp_path, "## One\n$$v$$\n")
    (site / FOLDER / "04-third.md").write_text('+++\ntitle = "Third"\n+++\n## One\n$$v$$\n')

    assert [terms(act(site, number)) for number in (2, 3)] == [[("weight", "v weight")]] * 2


def test_a_symbol_may_stand_for_something_else_in_one_act(tmp_path: Path):
    site = site_with(tmp_path, "## One\n$$w$$\n")

    assert terms(act(site, 1)) == [("weight", "w weight")]
    assert terms(act(site, 2)) == [("slope", "w slope")]


def test_a_letter_with_an_index_of_its_own_is_no_symbol(tmp_path: Path):
    assert terms(act(site_with(tmp_path, "## One\n$$v_2 + w_3^2 + a_v$$\n$v_2$"), 2)) == []


def test_no_link_stands_in_a_link_or_in_a_title(tmp_path: Path):
    html = act(site_with(tmp_path, "## One $v$\n[the $v$](/about/)\n\n::: details With $v$\nHere $v$.\n:::\n"), 2)

    assert terms(html) == [("weight", "v")]
    assert '<summary>With <math><mi class="key">v</mi></math></summary>' in html


def test_the_glossary_lists_every_term_with_the_places_that_use_it(tmp_path: Path):
    html = (
        assemble(site_with(tmp_path, "## One\nA [slope]{.term}.\n\n## Two\n$v$")).files["glossary/index.html"].decode()
    )

    entries = re.findall(r'<div class="entry" id="(.*?)">\n(.*?)\n</div>', html, re.S)
    assert [key for key, _ in entries] == ["slope", "weight"]
    slope, weight = (entry for _, entry in entries)
    assert re.findall(r'<a href="\.\./straight-lines/index\.html#(.*?)">(.*?)</a>', slope) == [
        ("a2-s1", "act 2, step 1")
    ]
    assert re.findall(r'<a href="\.\./straight-lines/index\.html#(.*?)">(.*?)</a>', weight) == [
        ("a1-s1", "act 1, step 1"),
        ("a2-s2", "act 2, step 2"),
    ]
    assert 'A number that is <strong>trained</strong>, such as a <a class="term" href="#slope">slope</a>.' in weight
    assert 'Also <math><mi>w</mi></math> in act 1. See also <a href="#slope">slope</a>.' in weight


def test_a_site_without_a_glossary_has_no_page_of_it(tmp_path: Path):
    assert "glossary/index.html" not in assemble(copied(tmp_path)).files


def test_a_page_of_the_author_introduces_the_glossary(tmp_path: Path):
    site = site_with(tmp_path)
    (site / "content" / "pages" / "glossary.md").write_text('+++\ntitle = "Words"\n+++\nIn short.\n')

    html = assemble(site).files["glossary/index.html"].decode()

    assert "<h1>Words</h1>" in html
    assert "<p>In short.</p>" in html
    assert 'id="slope"' in html


def test_check_tells_a_term_that_no_page_leads_to(tmp_path: Path):
    site = site_with(tmp_path)

    found = [str(one) for one in inspect(site).findings if "term" in one.message]

    assert found == [
        "content/glossary.toml:11: no page leads to the term 'slope'\n"
        "  hint: mark it where it is first used: [word]{.term}"
    ]


def test_places_come_once_and_in_reading_order(tmp_path: Path):
    site = linked(site_with(tmp_path, "A [weight]{.term}.\n\n## One\n[weight]{.term} and [weights]{.term}."))

    found: Any = glossary.places(walk.texts_of(site), site.glossary or {})["weight"]

    assert [place.name for place in found] == ["act 1, step 1", "act 2", "act 2, step 1"]
