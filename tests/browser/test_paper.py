"""Chapters on paper: every step, figure, caption and answer, tagged and with an outline; and no empty page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.pdf import chapters, print_page

pypdf = pytest.importorskip("pypdf", reason="pypdf reads what was printed: make setup installs it")
Open = Callable[..., Any]

# what stands on paper of some elements, in pieces: a formula is set by its own rules, and no plain text
PIECES = """(elements) => elements.map((element) => {
  const pieces = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.closest("math, .visually-hidden") && parent.checkVisibility()) pieces.push(node.data);
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece.length > 2);
}).flat()"""
DRAWN = """() => [...document.querySelectorAll(".figure-still :is(img, svg[role=img]), .step-still")]
  .filter((one) => one.checkVisibility())
  .map((one) => one.alt ?? one.getAttribute("aria-label") ?? "")"""


def bare(text: str) -> str:
    """Letters alone: where lines and words break is the printer's."""
    return re.sub(r"[\s\xad\u200b]+", "", unicodedata.normalize("NFKC", text))


def sheets_of(document: Any) -> list[str]:
    """The letters of each page, without its number."""
    found = enumerate((bare(sheet.extract_text()) for sheet in document.pages), 1)
    return [sheet.removeprefix(str(number)).removesuffix(str(number)) for number, sheet in found]


def structure(node: Any) -> Iterator[Any]:
    """The elements of the tree of tags below a node."""
    kids = node.get("/K", [])
    for kid in kids if isinstance(kids, list) else [kids]:
        one = kid.get_object()
        if isinstance(one, dict) and "/S" in one:
            yield one
            yield from structure(one)


def titles(outline: Any) -> Iterator[str]:
    for one in outline:
        if isinstance(one, list):
            yield from titles(one)
        else:
            yield bare(str(one.title))


@pytest.fixture(scope="module")
def printed(browser: Any, address: str, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """`printed(chapter)`: its page, as paper has it, and its PDF."""
    folder = tmp_path_factory.mktemp("paper")
    found: dict[str, tuple[Any, Any]] = {}

    def one(chapter: str) -> tuple[Any, Any]:
        if chapter not in found:
            page = browser.new_page(color_scheme="dark")
            page.goto(f"{address}{chapter}/index.html")
            print_page(page, folder / f"{chapter}.pdf")
            page.emulate_media(media="print")
            found[chapter] = page, pypdf.PdfReader(folder / f"{chapter}.pdf")
        return found[chapter]

    yield one
    for page, _ in found.values():
        page.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chapter" in metafunc.fixturenames:
        folders = sorted((Path(__file__).parents[2] / "content").glob("*/chapter.toml"))
        metafunc.parametrize("chapter", [re.sub(r"^\d+-", "", path.parent.name) for path in folders])


def test_paper_holds_every_step_figure_caption_and_answer(printed: Any, site: Path, chapter: str):
    assert chapter in chapters(site)
    page, document = printed(chapter)
    sheets = sheets_of(document)
    text = "".join(sheets)

    for selector in (".step h3", ".step .prose > p", ".caption", ".exercise > h3", "details.answer p", ".bridge p"):
        wanted = page.eval_on_selector_all(selector, PIECES)
        assert [piece for piece in wanted if bare(piece) not in text] == [], selector
    assert page.eval_on_selector_all(".caption", PIECES)

    tags = list(structure(document.trailer["/Root"]["/StructTreeRoot"]))
    told = {bare(str(tag["/Alt"])) for tag in tags if "/Alt" in tag}
    drawn = page.evaluate(DRAWN)
    assert len(drawn) >= page.locator(".step").count() / 2
    assert [alt for alt in drawn if bare(alt) not in told] == []

    assert [number for number, sheet in enumerate(sheets, 1) if len(sheet) < 40] == []


def test_a_pdf_has_tags_a_language_an_outline_and_the_addresses_of_its_links(printed: Any, chapter: str):
    page, document = printed(chapter)
    root = document.trailer["/Root"]

    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert document.metadata.title == page.title()
    kinds = {str(tag["/S"]) for tag in structure(root["/StructTreeRoot"])}
    assert {"/H1", "/H2", "/H3", "/P", "/Figure", "/L", "/Link"} <= kinds
    listed = "".join(titles(document.outline))
    headings = page.eval_on_selector_all("h1, .act-head h2, .section > h2, .step h3", PIECES)
    assert len(headings) > 4
    assert [heading for heading in headings if bare(heading) not in listed] == []

    text = "".join(sheets_of(document))
    links = "all => all.filter((one) => one.checkVisibility() && !one.closest('.references')).map((one) => one.href)"
    addresses = page.eval_on_selector_all('a[href^="http"]', links)
    assert addresses
    assert [address for address in addresses if bare(page.evaluate("decodeURI", address)) not in text] == []


def test_paper_has_the_colours_of_paper_whatever_the_theme_and_no_controls(printed: Any, site: Path):
    page, _ = printed(next(chapters(site)))

    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    controls = ":is(button, input, select):not(.term, .run-value, .alternative)"
    visible = "all => all.filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))"
    assert page.eval_on_selector_all(controls, visible) == []


def test_without_scripts_paper_holds_the_same(browser: Any, printed: Any, address: str, site: Path, tmp_path: Path):
    chapter = next(chapters(site))
    page, _ = printed(chapter)
    wanted = page.eval_on_selector_all(".caption, .step h3, details.answer p", PIECES)
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}{chapter}/index.html")

    plain.pdf(path=tmp_path / "plain.pdf", prefer_css_page_size=True)

    context.close()
    text = "".join(sheets_of(pypdf.PdfReader(tmp_path / "plain.pdf")))
    assert [piece for piece in wanted if bare(piece) not in text] == []


def test_on_paper_every_comparison_stands_open(open_page: Open):
    page = open_page("verification/index.html")
    page.emulate_media(media="print")

    rows = page.locator("details table tbody tr")

    assert rows.count() > 100
    assert rows.evaluate_all("(all) => all.filter((one) => !one.checkVisibility()).length") == 0
