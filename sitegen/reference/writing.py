"""What authors write: keys of TOML, forms of Markdown, paths to values."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import date

from sitegen import values as paths
from sitegen.content import keys as known
from sitegen.formats import FORMATS
from sitegen.frontmatter import REQUIRED, Key
from sitegen.frontmatter.toml import WORDS
from sitegen.markdown import forms as markdown
from sitegen.markdown.directives import FIGURE
from sitegen.markdown.highlight import LANGUAGES
from sitegen.reference.tables import code, table

_FILES = (
    ("`content/site.toml`", known.SITE),
    ("`content/NN-slug/chapter.toml`", known.CHAPTER),
    ("An act, a section or an opening: `content/NN-slug/NN-name.md`", known.ACT),
    ("A page beside the chapters: `content/pages/slug.md`", known.PAGE),
    ("A reference: `[key]` in `content/bibliography.toml`", known.REFERENCE),
    ("A term: `[key]` in `content/glossary.toml`", known.TERM),
)


def keys() -> str:
    head = (
        "Markdown files begin with front matter: TOML between `+++` and `+++`. Strings stand in quotes, dates and "
        "numbers do not. In double quotes a backslash is written twice; in single ones it stands for itself."
    )
    return "\n\n".join([head, *(f"### {title}\n\n{of_keys(entries)}" for title, entries in _FILES)])


def of_keys(entries: Mapping[str, Key]) -> str:
    return table(("key", "type", "", "says"), [(code(name), *_told(key)) for name, key in entries.items()])


def _told(key: Key) -> tuple[str, str, str]:
    kinds = key.types if isinstance(key.types, tuple) else (key.types,)
    kind = " or ".join(WORDS[one] for one in kinds)
    if key.default is REQUIRED:
        return kind, "needed", key.doc
    shown = "" if key.default in ("", None) or (not key.default and not isinstance(key.default, bool)) else key.default
    default = code(str(shown).lower() if isinstance(shown, bool | date) else f'"{shown}"') if shown != "" else ""
    return kind, default, key.doc


def forms() -> str:
    groups = {
        "Directives": markdown.DIRECTIVES,
        "Containers": markdown.CONTAINERS,
        "Roles": markdown.ROLES,
        "Spans": markdown.SPANS,
        "Beside these": markdown.OTHERS,
    }
    said = {
        "Directives": "A directive is a fence whose name stands in braces.",
        "Containers": "A container ends at a line of exactly as many colons, so that others nest within.",
    }
    parts = []
    for title, group in groups.items():
        rows = table(("written", "becomes"), [(code(one.written), one.doc) for one in group.values()])
        parts.append("\n\n".join(filter(None, (f"### {title}", said.get(title), rows))))
    parts.insert(1, f"### Keys of a figure\n\n{of_keys(FIGURE)}")
    languages = ", ".join(map(code, sorted(LANGUAGES)))
    parts.append(f"Code in a fence is coloured if it is in one of {languages}.")
    return "\n\n".join(parts)


def values() -> str:
    """The words of the module that reads paths."""
    paragraph = inspect.cleandoc(paths.__doc__ or "").split("\n\n", 1)[1]
    operators, reductions = ", ".join(map(code, paths.OPERATORS)), ", ".join(map(code, paths.REDUCTIONS))
    formats = FORMATS[0].upper() + FORMATS[1:]
    return (
        f"{paragraph}\n\n{formats}.\n\nThe part of a series that coordinates leave is reduced by {reductions}. A claim "
        f"is a path, one of {operators}, and a number."
    )
