"""LaTeX to MathML that a strict page policy accepts: no style attributes, one `<mn>` a number."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from sitegen.errors import ContentError
from sitegen.schema import Location

if TYPE_CHECKING:
    from math_core import LatexToMathML

_STYLE = re.compile(r' style="([^"]*)"')
# the first that is part of a style wins; css/math.css of the theme says what they do
_CLASSES = (
    ("padding-left:1em", "math-case"),
    ("text-align: left", "math-left"),
    ("text-align: right", "math-right"),
    ("margin-left:-", "math-back"),
    ("border-right", "math-rule"),
    ("padding-left:0", "math-tight"),
    ("width: ", ""),
)
_THOUSANDS = re.compile(r'<mn>(\d[\d,]*)</mn><mo rspace="0">,</mo><mn>(\d{3}(?!\d)[\d.]*)</mn>')
_PLACE = re.compile(r"(\d+): (.*)", re.DOTALL)


def mathml(latex: str, at: Location, *, display: bool) -> str:
    """A `<math>` element; `at` is where the first character of `latex` stands."""
    from math_core import LatexError

    try:
        html = _converter().convert_with_local_state(latex.strip("\n"), displaystyle=display)
    except LatexError as error:
        raise _translated(str(error), latex.strip("\n"), latex, at) from None
    html = _STYLE.sub(lambda style: _as_class(style[1], at), html)
    while _THOUSANDS.search(html):
        html = _THOUSANDS.sub(r"<mn>\1,\2</mn>", html)
    return html


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False)


def _translated(message: str, latex: str, written: str, at: Location) -> ContentError:
    place = _PLACE.match(message)
    offset, what = (int(place[1]), place[2]) if place else (0, message)
    skipped = len(written) - len(written.lstrip("\n"))
    row = skipped + latex[:offset].count("\n")
    line = at.line + row if at.line is not None else None
    near = latex[max(0, offset - 12) : offset + 16].replace("\n", " ")
    return ContentError(
        f"this formula cannot be read: {what[0].lower()}{what[1:].rstrip('.')}",
        at=Location(at.path, line),
        hint=f"near …{near}…" if near.strip() else "the formula is empty",
    )


def _as_class(style: str, at: Location) -> str:
    """Known styles as classes of the theme; any other would be refused by the page's content policy."""
    for known, name in _CLASSES:
        if known in style:
            return f' class="{name}"' if name else ""
    hint = "leave colour and size to the theme"
    raise ContentError(f"a formula cannot set {style.split(':')[0]!r} on the page", at=at, hint=hint)
