"""How long a chapter takes to read."""

from __future__ import annotations

import pytest
from minimal_site import MINIMAL
from msgspec.structs import replace

from sitegen import content, reading
from sitegen.schema import Act, Chapter, FigureRef, Location, Section, Step

AT = Location("a.md", 1)


def chapter(words: int, figures: int = 0, code: str = "") -> Chapter:
    refs = tuple(FigureRef(f"f{k}", "trace", None, None, "Falls.", "", {}, {}, AT) for k in range(figures))
    section = Section("s", "S", "section", f"<p>{'word ' * words}</p>{code}", refs, (), (), AT)
    return replace(content.read(MINIMAL).chapters[0], opening=None, attribution="", parts=(section,))


@pytest.mark.parametrize(
    ("words", "figures", "minutes"), [(0, 0, 1), (230, 0, 1), (690, 0, 3), (690, 4, 5), (4000, 0, 15), (7400, 30, 45)]
)
def test_words_and_figures_take_their_time(words: int, figures: int, minutes: int):
    assert reading.minutes(chapter(words, figures)) == minutes


def test_code_formulas_and_markers_are_not_read_word_by_word():
    code = f"<pre class='code'>{'x = 1 ' * 3000}</pre><math>{'<mi>x</mi>' * 3000}</math>\x00line\x1fa.md\x1f1\x00"

    assert reading.minutes(chapter(690, 0, code)) == 3


def test_the_figures_of_steps_count_too():
    ref = FigureRef("f", "trace", None, None, "Falls.", "", {}, {}, AT)
    steps = tuple(Step(k, f"a1-s{k}", "", "", ref, {}, AT) for k in range(8))
    act = Act(1, "s", "a1", "T", "", steps, "", (), (), AT)

    assert reading.minutes(replace(chapter(0), parts=(act,))) == 4
