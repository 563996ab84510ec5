"""What pages cite: how works are named, in which order they are listed, and what leads back to each place."""

from __future__ import annotations

from pathlib import Path

import pytest
from minimal_site import MINIMAL, copied
from msgspec.structs import replace

from sitegen import citations, content, render
from sitegen.build import assemble
from sitegen.citations import PageCitations
from sitegen.markdown.markers import Marker
from sitegen.schema import Location, Page, Reference, SiteHead

ROOT = Path(__file__).resolve().parent.parent
AT = Location("a.md", 1)


def work(key: str, *authors: str, title: str = "T", year: int = 2017) -> Reference:
    return Reference(key, authors, title, year, "", "", "", Location("b.toml", 1))


def page(*works: Reference) -> PageCitations:
    return PageCitations({one.key: one for one in works})


@pytest.mark.parametrize(
    ("authors", "names", "everyone"),
    [
        (("Nadaraya, E. A.",), "Nadaraya", "E. A. Nadaraya"),
        (("Kingma, Diederik P.", "Ba, Jimmy"), "Kingma and Ba", "Diederik P. Kingma and Jimmy Ba"),
        (("A, I", "B, J", "C, K"), "A et al.", "I A, J B and K C"),
        (("Brown, Tom B.", "others"), "Brown et al.", "Tom B. Brown et al."),
        (("van der Waals, J. D.",), "van der Waals", "J. D. van der Waals"),
        (("The Society",), "The Society", "The Society"),
    ],
)
def test_a_work_is_named_by_its_authors(authors: tuple[str, ...], names: str, everyone: str):
    assert (citations.names(work("w", *authors)), citations.everyone(work("w", *authors))) == (names, everyone)


def test_works_that_would_be_cited_alike_get_letters_by_their_titles():
    works = (work("z", "A, B", title="One"), work("a", "A, B", title="Two"), work("c", "A, B", year=2018))

    assert citations.years({one.key: one for one in works}) == {"z": "2017a", "a": "2017b", "c": "2018"}


def test_a_citation_stands_in_brackets_or_is_part_of_the_sentence():
    here = page(work("w", "A <b>, C", title='A "title"'), work("x", "D, E", year=2018))

    assert here.cite("brackets", ["w", "x"]) == (
        '(<a class="citation" id="cite-w-1" href="#ref-w" role="doc-biblioref" title="A &quot;title&quot;">'
        "A &lt;b&gt;, 2017</a>; "
        '<a class="citation" id="cite-x-1" href="#ref-x" role="doc-biblioref" title="T">D, 2018</a>)'
    )
    assert here.cite("text", ["w"]).endswith(">A &lt;b&gt; (2017)</a>")
    assert here.cited("x") == ('<a class="cited" id="cite-x-2" href="#ref-x" role="doc-biblioref" title="D (2018)">')


def test_the_list_has_what_is_cited_by_author_year_and_title():
    here = page(
        work("b18", "B, C", year=2018),
        work("unused", "A, C"),
        work("b17", "B, C", title="Z"),
        work("b17a", "b, C", title="A"),
        work("c", "C, C"),
    )
    for key in ("c", "b18", "b17", "b17a", "c"):
        here.cite("brackets", [key])

    assert [(one.id, one.places) for one in here.entries()] == [
        ("ref-b17a", ("cite-b17a-1",)),
        ("ref-b17", ("cite-b17-1",)),
        ("ref-b18", ("cite-b18-1",)),
        ("ref-c", ("cite-c-1", "cite-c-2")),
    ]


def test_each_page_counts_its_own_places_and_captions_in_their_order(tmp_path: Path):
    site = copied(tmp_path)
    act = site / "content/01-straight-lines/01-the-slope.md"
    act.write_text(act.read_text().replace("**Loss** of each step", "{cite}`others:text`"))
    about = site / "content/pages/about.md"
    about.write_text(about.read_text() + "\nSee {cite}`others`.\n\n```{references}\n```\n")

    files = assemble(site).files

    chapter, other = (files[f"{path}/index.html"].decode() for path in ("straight-lines", "about"))
    places = [f'id="cite-others-{number}"' for number in (1, 2)]
    assert chapter.index(places[0]) < chapter.index(places[1]) < chapter.index('id="ref-others"')
    assert chapter.count('href="#cite-others-') == 2
    assert 'id="cite-others-1"' in other
    assert 'id="cite-others-2"' not in other


def test_what_nobody_cites_is_told():
    cites = Marker("cite", ("paren", "others"), Location("a.md", 3))
    lists = [Marker("references", (), Location(path, 10)) for path in ("a.md", "about.md")]
    known = {key: replace(work(key, "A, B"), at=Location("b.toml", row)) for row, key in ((1, "others"), (6, "more"))}

    assert [str(error).partition("\n")[0] for error in citations.unused([[cites, lists[0]], [lists[1]]], known)] == [
        "about.md:10: nothing is cited on this page",
        "b.toml:6: the reference 'more' is cited nowhere",
    ]


def test_a_work_is_found_by_its_doi_or_arxiv_or_page(tmp_path: Path):
    site = copied(tmp_path)
    head = 'authors = ["A, B"]\ntitle = "T"\nyear = 1999\n'
    (site / "content/bibliography.toml").write_text(
        f'[others]\n{head}doi = "10.1137/1109020"\narxiv = "1706.03762"\n'
        f'[second] # a comment\n{head}arxiv = "1706.03762"\n[third]\n{head}url = "https://www.x.org/a"\n[fourth]\n{head}'
    )

    links = [(one.link, one.link_text) for one in content.read(site).bibliography.values()]

    assert links == [
        ("https://doi.org/10.1137/1109020", "doi:10.1137/1109020"),
        ("https://arxiv.org/abs/1706.03762", "arXiv:1706.03762"),
        ("https://www.x.org/a", "x.org"),
        ("", ""),
    ]


def test_a_template_may_list_what_its_page_cites_and_lists_nothing_where_nothing_is_cited():
    cites = Page("a", "A", "", "page.html.j2", str(Marker("cite", ("text", "others"), Location("a.md", 1))), AT)
    bibliography = content.read(MINIMAL).bibliography or {}
    site = SiteHead("T", "", "", "en", "", "", False, (), (), bibliography)
    templates = {
        "figure.html.j2": "",
        "page.html.j2": "{{ page.html|safe }} / {{ references|safe }}",
        "references.html.j2": (ROOT / "templates/references.html.j2").read_text("utf-8"),
    }

    material = render.Material("", frozenset(), {}, {}, {}, {})
    renderer = render.Renderer(site, material, render.environment(templates, None))

    assert '</a> / <ul class="references">\n<li id="ref-others">' in renderer.page(cites)
    assert renderer.page(replace(cites, slug="b", html="Nothing.")) == "Nothing. / "
