"""The text of glossary.toml to terms: one table a key, checked field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sitegen import frontmatter
from sitegen.content.keys import TERM
from sitegen.content.tables import KEY, tables
from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.frontmatter import Toml
from sitegen.markdown.mathml import mathml
from sitegen.schema import Location, Symbol, Term

_WHERE = re.compile(r"[a-z0-9-]+(?:#[a-z0-9-]+)?")
_SPACED = re.compile(r"<mrow><mspace/>(<mi>[^<]*</mi>)</mrow>")
Inline = Callable[[str, Location], str]


def read(text: str, path: str, inline: Inline, errors: list[SitegenError]) -> dict[str, Term] | None:
    """Key -> term, in the order of the file; None, and an error, if it is no TOML. `inline` renders a definition."""
    found = tables(text, path, "term", errors)
    if found is None:
        return None
    terms = {key: _term(key, table, inline, errors) for key, table in found.items()}
    _check_names(terms, errors)
    for term in terms.values():
        for other in term.see:
            if other not in terms:
                at = found[term.key].at("see")
                errors.append(ContentError(f"the glossary has no {other!r} to see", at=at, hint=nearest(other, terms)))
    return terms


def _term(key: str, toml: Toml, inline: Inline, errors: list[SitegenError]) -> Term:
    values = toml.fields(TERM, f"the term {key!r}", errors)

    def listed(name: str) -> tuple[str, ...]:
        return frontmatter.strings(values[name], name, toml, errors)

    if values["role"] and not KEY.fullmatch(values["role"]):
        hint = "a role is one lower-case word that the theme knows"
        errors.append(ContentError(f"{values['role']!r} is no role", at=toml.at("role"), hint=hint))
    at = toml.at("definition")
    return Term(
        key=key,
        name=values["term"],
        aliases=listed("aliases"),
        symbols=_symbols(listed("symbols"), toml, errors),
        local=_local(values["local"], toml, errors),
        role=values["role"],
        definition=inline(values["definition"], at) if values["definition"] else "",
        see=listed("see"),
        at=Location(toml.path, toml.line - 1),
        definition_at=at,
    )


def _local(given: Mapping[str, Any], toml: Toml, errors: list[SitegenError]) -> dict[str, tuple[Symbol, ...]]:
    found = {}
    for where, latex in given.items():
        if not _WHERE.fullmatch(where) or not isinstance(latex, str | list):
            hint = 'write local = { "chapter#a6" = ["Q"] }'
            errors.append(ContentError("a local symbol needs its chapter or act", at=toml.at("local"), hint=hint))
            continue
        found[where] = _symbols(frontmatter.strings(latex, "local", toml, errors), toml, errors)
    return found


def _symbols(written: tuple[str, ...], toml: Toml, errors: list[SitegenError]) -> tuple[Symbol, ...]:
    found = []
    for latex in written:
        try:
            html = mathml(latex, toml.at(latex), display=False)
        except ContentError as error:
            errors.append(error)
            continue
        found.append(Symbol(latex, _SPACED.sub(r"\1", html.removeprefix("<math>").removesuffix("</math>"))))
    return tuple(found)


def _check_names(terms: Mapping[str, Term], errors: list[SitegenError]) -> None:
    """A word leads to one entry, and so does a symbol in one place."""
    seen: dict[str, Term] = {}
    for term in terms.values():
        named = {name.casefold(): name for name in term.names}
        named |= {f"${one.latex}$": f"${one.latex}$" for one in term.symbols}
        for where, symbols in term.local.items():
            named |= {f"{where} ${one.latex}$": f"${one.latex}$ in {where}" for one in symbols}
        for name, written in named.items():
            if name in seen:
                message = f"two terms have {'the symbol' if '$' in name else 'the name'} {written!r}"
                errors.append(ContentError(message, at=term.at, hint=f"the other is {seen[name].at}"))
            seen.setdefault(name, term)
