"""Words and letters that a site explains once, for every page."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from sitegen.schema.base import Location


class Symbol(Struct, frozen=True):
    """A letter of formulas. `mathml` is what stands for it inside of `<math>`."""

    latex: str
    mathml: str


class Term(Struct, frozen=True):
    """One entry of the glossary. `symbols` stand for it everywhere, `local` in one chapter, or in one part of it,
    alone: "chapter" or "chapter#a6" -> symbols. `role` names what lights in a figure with it, if anything."""

    key: str
    name: str
    aliases: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    local: Mapping[str, tuple[Symbol, ...]]
    role: str
    definition: str  # inline HTML
    see: tuple[str, ...]  # keys of other terms
    at: Location
    definition_at: Location = field(default=Location(""))

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def symbol(self) -> Symbol | None:
        """The one that stands beside the name."""
        return next(iter(self.symbols), None)
