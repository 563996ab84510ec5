"""The text of bibliography.toml to references: one table a key, checked field by field."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

from sitegen import frontmatter
from sitegen.content.keys import REFERENCE
from sitegen.content.tables import tables
from sitegen.errors import ContentError, SitegenError
from sitegen.frontmatter import Toml
from sitegen.schema import Location, Reference

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")


def read(text: str, path: str, errors: list[SitegenError]) -> dict[str, Reference] | None:
    """Key -> reference, in the order of the file; None, and an error, if it is no TOML."""
    found = tables(text, path, "reference", errors)
    return None if found is None else {key: _reference(key, table, errors) for key, table in found.items()}


def _reference(key: str, toml: Toml, errors: list[SitegenError]) -> Reference:
    values = toml.fields(REFERENCE, f"the reference {key!r}", errors)
    authors = frontmatter.strings(values["authors"], "authors", toml, errors)
    if values["authors"] == [] and "authors" in toml.text:
        hint = 'write authors = ["Family, Given", "Family, Given"], or a last author "others"'
        errors.append(ContentError(f"the reference {key!r} has no authors", at=toml.at("authors"), hint=hint))
    link, link_text = _link(values, toml, errors)
    at = Location(toml.path, toml.line - 1)
    return Reference(key, authors, values["title"], values["year"], values["venue"], link, link_text, at)


def _link(values: dict[str, Any], toml: Toml, errors: list[SitegenError]) -> tuple[str, str]:
    """The address of the work and how it is written: of a DOI, of arXiv, or a page's."""
    doi, arxiv, url = values["doi"], values["arxiv"], values["url"]
    if doi and not _DOI.fullmatch(doi):
        errors.append(ContentError(f"{doi!r} is no DOI", at=toml.at("doi"), hint='write doi = "10.1137/1109020"'))
    if arxiv and not _ARXIV.fullmatch(arxiv):
        hint = 'write arxiv = "1706.03762"'
        errors.append(ContentError(f"{arxiv!r} is no number of arXiv", at=toml.at("arxiv"), hint=hint))
    if url and not re.match(r"https?://[^/\s]+\S*$", url):
        errors.append(ContentError(f"{url!r} is no address", at=toml.at("url"), hint="write https://host/path"))
    if doi:
        return f"https://doi.org/{quote(doi, safe='/:;()')}", f"doi:{doi}"
    if arxiv:
        return f"https://arxiv.org/abs/{arxiv}", f"arXiv:{arxiv}"
    return url, urlsplit(url).netloc.removeprefix("www.")
