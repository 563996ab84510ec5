"""How long a chapter takes to read."""

from __future__ import annotations

import re
from html import unescape

from sitegen.markdown import walk
from sitegen.schema import Chapter, Section

WORDS_A_MINUTE = 230
MINUTES_A_FIGURE = 0.5
_CODE = re.compile(r"<pre\b.*?</pre>|<math\b.*?</math>", re.DOTALL)
_TAG = re.compile("<[^>]*>|\x00[^\x00]*\x00")


def minutes(chapter: Chapter) -> int:
    """Its words, without code and formulas, at an even pace, and half a minute for each figure; from a quarter of an
    hour on in steps of five."""
    words = sum(len(_words(html)) for html in walk.html_of_chapter(chapter))
    figures = sum(
        len(part.figures) if isinstance(part, Section) else sum(step.figure is not None for step in part.steps)
        for part in walk.parts_of(chapter)
    )
    exact = words / WORDS_A_MINUTE + figures * MINUTES_A_FIGURE
    return max(1, round(exact)) if exact < 15 else 5 * round(exact / 5)


def _words(html: str) -> list[str]:
    return re.findall(r"\w[\w’'-]*", unescape(_TAG.sub(" ", _CODE.sub(" ", html))))
