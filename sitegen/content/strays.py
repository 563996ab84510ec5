"""Texts that lie where nobody reads them, and pages that would lie where another one is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sitegen.schema import Location

_TEXTS = (".md", ".markdown", ".mdown", ".mkd")
Listing = Callable[[Path], list[Path]]  # what is in a folder
_FOLDERS = ("assets", "data", "figures", "media")  # of the published site, beside its pages


def strays(content: Path, listing: Listing) -> Iterator[tuple[Path, str, str]]:
    """(file, what is wrong, hint): Markdown in a place, or with an ending, that no chapter and no page has."""
    for path in listing(content):
        if path.is_dir():
            yield from _within(path, listing)
        elif path.suffix.lower() in _TEXTS:
            yield path, "a text beside the chapters is not read", "put it into a chapter's folder or into content/pages"


def _within(folder: Path, listing: Listing) -> Iterator[tuple[Path, str, str]]:
    for path in listing(folder):
        if path.is_dir():
            texts = [one for one in listing(path) if one.suffix.lower() in _TEXTS]
            yield from ((one, "a text in a folder of a folder is not read", "put it one folder up") for one in texts)
        elif path.suffix != ".md" and path.suffix.lower() in _TEXTS:
            yield path, f"a text that ends in {path.suffix} is not read", f"rename it {path.stem}.md"


def meetings(pages: Iterable[tuple[str, Location]]) -> Iterator[tuple[str, Location, Location | None]]:
    """(address, its page, the page before of the same address); none before is the site's own folder of that name."""
    taken: dict[str, Location | None] = dict.fromkeys(_FOLDERS)
    for address, at in pages:
        blind = address.casefold()
        if blind in taken:
            yield address, at, taken[blind]
        else:
            taken[blind] = at
