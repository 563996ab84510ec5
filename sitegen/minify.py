"""A script or sheet to a shorter one that does the same, and a script to what it imports.

rjsmin takes a template inside a template for code and squeezes the spaces out of its text, and a regular expression
behind an arrow for a comment. So each regular expression and outermost template gives its place to a plain string while
rjsmin works.
"""

from __future__ import annotations

import re

from sitegen.remembered import remembered

# what may hold a quote, a brace or a backtick that means nothing
_QUIET = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_PLAIN = re.compile(r"""[^`/"'{}]+""")
_REGEX = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
_ASKS = re.compile(r"(?:(?<![\w.$])from|(?<![\w.$])import\s*\(?)\s*$")
_BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in))\s*$")


@remembered
def script(source: str) -> str:
    from rjsmin import jsmin  # loaded where a script is new

    literals: list[str] = []
    kept: list[str] = []
    done = 0
    for start, end in _literals(source):
        kept += source[done:start], f'"\x01{len(literals)}\x01"'
        literals.append(source[start:end])
        done = end
    short = str(jsmin("".join([*kept, source[done:]])))
    # a word behind a regular expression would be taken for its flags
    return re.sub(
        '"\x01(\\d+)\x01"(\\w?)', lambda found: " ".join(filter(None, (literals[int(found[1])], found[2]))), short
    )


@remembered
def sheet(css: str) -> str:
    from rcssmin import cssmin

    return str(cssmin(css))


@remembered
def imports(source: str) -> tuple[tuple[str, int], ...]:
    """What a script imports by a literal, at once or by `import()`, each with its line; comments do not count."""
    found: list[tuple[str, int]] = []
    at, before = 0, ""
    while at < len(source):
        end = _template_end(source, at) if source[at] == "`" else _next(source, at)
        token = source[at:end]
        if token[0] in "\"'" and len(token) > 1 and _ASKS.search(before):
            found.append((token[1:-1], source.count("\n", 0, at) + 1))
        if token.strip() and not token.startswith(("//", "/*")):
            before = token
        at = end
    return tuple(found)


def _literals(source: str) -> list[tuple[int, int]]:
    """Where the regular expressions and the outermost templates begin and end."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(source):
        end = _template_end(source, at) if source[at] == "`" else _next(source, at)
        if source[at] == "`" or (source[at] == "/" and end > at + 1 and source[at + 1] not in "/*"):
            found.append((at, end))
        at = end
    return found


def _next(source: str, at: int) -> int:
    """The place behind the comment, string, regular expression, single sign or what is none of these at `at`."""
    if plain := _PLAIN.match(source, at):
        return plain.end()
    if quiet := _QUIET.match(source, at):
        return quiet.end()
    if source[at] == "/" and _BEFORE_REGEX.search(source, max(0, at - 40), at) and (regex := _REGEX.match(source, at)):
        return regex.end()
    return at + 1


def _template_end(source: str, start: int) -> int:
    at = start + 1
    while at < len(source) and source[at] != "`":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at):
            at = _expression_end(source, at + 2)
        else:
            at += 1
    return at + 1


def _expression_end(source: str, at: int) -> int:
    """The place behind the brace that closes an expression within a template."""
    depth = 1
    while at < len(source) and depth:
        if source[at] == "`":
            at = _template_end(source, at)
            continue
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at = _next(source, at)
    return at
