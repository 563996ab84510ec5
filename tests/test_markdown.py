"""Markdown to HTML: one text fixture a construct, in `tests/cases/markdown`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from error_cases import CASES

from sitegen import markdown
from sitegen.markdown import markers
from sitegen.markdown.highlight import LANGUAGES, highlight
from sitegen.markdown.mathml import mathml
from sitegen.schema import FigureRef, Location, Step

FILES = sorted((CASES / "markdown").glob("*.txt"))
AT = Location("text.md", 1)


def shown(html: str) -> str:
    """Markers as readers of a fixture can read them: «value 3 run.seed»; those of lines are left out."""

    def put(marker: markers.Marker) -> str:
        if marker.kind == "line":
            return ""
        return f"«{' '.join((marker.kind, str(marker.at.line), *marker.arguments))}»"

    return markers.replace(html, put)


def shown_figure(ref: FigureRef) -> str:
    return f"figure {ref.id}: {ref.kind}, line {ref.at.line}, {shown(ref.caption)!r}, state {dict(ref.state)}\n"


def shown_step(step: Step) -> str:
    figure = shown_figure(step.figure) if step.figure else ""
    head = f"step {step.id}: {shown(step.title)}, line {step.at.line}, state {dict(step.state)}\n"
    return f"{head}{figure}{shown(step.html)}\n"


def rendered(kind: str, text: str) -> str:
    """A text that begins on line 1 of its file."""
    if kind == "act":
        act = markdown.act(markdown.Source(text, "text.md", 1, "a2", 1), "second")
        assert act.errors == ()
        return f"{shown(act.lead)}\n{''.join(map(shown_step, act.steps))}after\n{shown(act.after)}\n"
    section = markdown.section(markdown.Source(text, "text.md", 1, "notes", 1))
    assert section.errors == ()
    return "".join(map(shown_figure, section.figures)) + shown(section.html) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_text_becomes_what_its_fixture_says(path: Path):
    kind, text, expected = re.fullmatch(r"--- (\w+)\n(.*)=== gives\n(.*)", path.read_text("utf-8"), re.S).groups()

    assert rendered(kind, text) == expected


def test_no_html_of_ours_has_a_style_attribute():
    assert not [path.stem for path in FILES if " style=" in path.read_text("utf-8")]


def test_every_line_of_a_paragraph_knows_its_line_in_the_file():
    section = markdown.section(markdown.Source("One\ntwo {run}`a.seed`\nthree.\n\nFour.", "text.md", 11, "notes", 1))

    lines = [(marker.kind, marker.at.line) for marker in markers.markers(section.html)]

    assert lines == [("line", 11), ("line", 12), ("value", 12), ("line", 13), ("line", 15)]


def test_no_text_can_pass_for_a_marker():
    section = markdown.section(markdown.Source("\x00value\x1ftext.md\x1f1\x1fa.seed\x00", "text.md", 1, "notes", 1))

    assert [marker.kind for marker in markers.markers(section.html)] == ["line"]


def test_raw_html_passes_only_where_the_site_allows_it():
    closed = markdown.section(markdown.Source("A <b>word</b>.", "text.md", 1, "notes", 1))
    open_ = markdown.section(markdown.Source("A <b>word</b>.", "text.md", 1, "notes", 1, raw_html=True))

    assert "&lt;b&gt;" in closed.html
    assert "<b>word</b>" in open_.html


def test_words_of_html_are_its_text_alone():
    assert markdown.words('<em>a</em> &amp; <span class="x">b</span>\x00line\x1ft\x1f1\x00') == "a & b"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_its_lexer(language: str):
    html = highlight("x = 1 < 2\n", language)

    assert re.sub("<[^>]+>", "", html) == "x = 1 &lt; 2\n"


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("3.14", "<mn>3.14</mn>"),
        ("1{,}000{,}000", "<mn>1,000,000</mn>"),
        (r"\operatorname{softmax}", "<mi>softmax</mi>"),
        (r"a\!b", '<mspace class="math-back"/>'),
    ],
)
def test_a_number_or_a_name_is_one_element(latex: str, expected: str):
    assert expected in mathml(latex, AT, display=False)


def test_a_caption_keeps_the_spaces_that_keep_words_together():
    text = "  On one\nline:\t7\u00a02\u00a05 and\u202f3.  "

    html = markers.without(markdown.inline(text, Location("a.md", 1), []), "line")

    assert html == "On one line: 7\u00a02\u00a05 and\u202f3."
