"""Code to coloured HTML: one `<span class>` a token, no inline styles."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from sitegen.remembered import remembered

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

# language -> where its lexer is; imported by name, since a search through all of pygments costs more than a page
LANGUAGES = {
    "bash": "shell:BashLexer",
    "console": "shell:BashSessionLexer",
    "css": "css:CssLexer",
    "html": "html:HtmlLexer",
    "javascript": "javascript:JavascriptLexer",
    "js": "javascript:JavascriptLexer",
    "json": "data:JsonLexer",
    "markdown": "markup:MarkdownLexer",
    "python": "python:PythonLexer",
    "text": "special:TextLexer",
    "toml": "configs:TOMLLexer",
    "yaml": "data:YamlLexer",
}


class CodeQuote(Struct, frozen=True):
    """What a page shows of a file: `html` is coloured, `line` and `last` are where the quoted code begins and ends."""

    path: str
    line: int
    html: str
    last: int


@remembered
def highlight(code: str, language: str) -> str:
    """A `<pre class="code">`; `language` is one of LANGUAGES."""
    from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

    parts: list[str] = []
    name, pending = "", ""
    for kind, text in _lexer(language).get_tokens(code):
        while kind not in STANDARD_TYPES:
            kind = kind.parent
        here = STANDARD_TYPES.get(kind, "")
        if here in ("w", "p", "n", "o"):  # most of all tokens, and none that a theme colours
            here = ""
        if here != name:
            parts.append(_span(name, pending))
            name, pending = here, ""
        pending += text
    parts.append(_span(name, pending))
    return f'<pre class="code"><code class="language-{language}">{"".join(parts)}</code></pre>'


def _span(name: str, text: str) -> str:
    if not text:
        return ""
    return f'<span class="{name}">{escape(text, quote=False)}</span>' if name else escape(text, quote=False)


@cache
def _lexer(language: str) -> Lexer:
    module, name = LANGUAGES[language].split(":")
    lexer: Lexer = getattr(import_module(f"pygments.lexers.{module}"), name)(stripnl=False)
    return lexer
