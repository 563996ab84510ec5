"""A site's texts with their numbers, references, terms and symbols in place."""

from __future__ import annotations

from sitegen import glossary, numbering
from sitegen.errors import SitegenError
from sitegen.schema import Site


def linked(site: Site, errors: list[SitegenError]) -> tuple[Site, numbering.Numbers]:
    """The site as it is read, and its numbers; where something leads nowhere, that is told and the site stays so."""
    numbers = numbering.numbers(site)
    if wrong := [*numbering.errors(site, numbers), *glossary.errors(site)]:
        errors += wrong
        return site, numbers
    return glossary.linked(numbering.numbered(site, numbers)), numbers
