"""A site folder to its published site: everything is assembled and checked before one file of the old site changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen import assets, check, citations, discovery, fonts, frontmatter, glossary, remembered, render, runs
from sitegen.build import memory
from sitegen.build.assembly import Assembly, assemble
from sitegen.build.publishing import publish, refuse_what_is_not_a_site
from sitegen.errors import CheckError, Findings, SitegenError
from sitegen.schema import Site

__all__ = ["Assembly", "BuildReport", "Inspection", "assemble", "build", "inspect", "publish"]

_NEAR = 0.9  # of a budget: from here on a size is told


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What was written. Stale runs are `warnings`."""

    out: Path
    pages: int
    figures: int
    files: int
    bytes: int
    warnings: tuple[SitegenError, ...]

    def __str__(self) -> str:
        counts = f"{_count(self.pages, 'page')}, {_count(self.figures, 'figure')}, {_count(self.files, 'file')}"
        told = [f"warning: {warning}" for warning in self.warnings]
        return "\n".join([*told, f"{counts}, {self.bytes / 1024:,.0f} KB in {self.out}"])


@dataclass(frozen=True, slots=True)
class Inspection:
    """What `sitegen check` tells: findings, sizes against budgets, and where the numbers of the prose come from."""

    findings: tuple[SitegenError, ...]
    sizes: tuple[check.Size, ...]
    measurements: check.Measurements

    def __str__(self) -> str:
        """What is near its budget or over it, and counts."""
        return self._told([size for size in self.sizes if size.share > _NEAR])

    @property
    def verbose(self) -> str:
        return self._told(self.sizes)

    def _told(self, sizes: Sequence[check.Size]) -> str:
        numbers = self.measurements
        listed = [f"{size.kind:14}  {size.amount:>9,} of {check.BUDGETS[size.kind]:>9,}  {size.name}" for size in sizes]
        over = sum(size.share > 1 for size in self.sizes)
        near = sum(size.share > _NEAR for size in self.sizes) - over
        within = f"{over} over budget" if over else "all within budget"
        typed = _count(len(numbers.findings), "hand-typed number")
        return "\n".join(
            [
                *listed,
                f"{_count(len(self.sizes), 'size')}: {within}, {near} above {_NEAR:.0%} of it",
                f"numbers: {numbers.measured} from runs, {numbers.cited} cited, {numbers.given} given, {typed}",
            ]
        )


def build(site_dir: Path, *, out: Path | None = None, strict: bool = False, url: str = "") -> BuildReport:
    """Render a site into `out` (else build/site); raises Findings, and then leaves what was there.

    `url` is the address where it will be published, if that is not the one it says.
    A folder that holds the sources, or anything else than a published site, is never replaced: SitegenError.
    """
    target = out or site_dir / "build" / "site"
    refuse_what_is_not_a_site(site_dir, target)
    with remembered.using(memory.read(site_dir)) as known:
        assembly = assemble(site_dir, url)
    memory.write(site_dir, known)
    if strict and (assembly.warnings or assembly.unverified):
        raise Findings([*assembly.warnings, *assembly.unverified])
    publish(assembly.files, target)
    return BuildReport(
        out=target,
        pages=len(assembly.pages) - assembly.figures,  # each figure has a page too
        figures=assembly.figures,
        files=len(assembly.files),
        bytes=sum(map(len, assembly.files.values())),
        warnings=assembly.warnings,
    )


def inspect(site_dir: Path) -> Inspection:
    """Assemble a site and hold it against all promises; nothing is written."""
    assembly = assemble(site_dir)
    site, marks = assembly.whole(), [one.marks for one in assembly.draft.units]
    outlines = {path: check.outline(assembly.files[path].decode()) for path in assembly.pages}
    sizes = tuple(check.sizes(outlines, assembly.files, assembly.on_demand, assembly.kept))
    numbers = check.measurements(site)
    findings = [
        *assembly.warnings,
        *check.wordless({path: one for path, one in outlines.items() if not render.is_figure(path)}),
        *check.without_act(site, discovery.discover(site_dir, discovery.model_packages(site_dir))),
        *check.unused_runs(site, runs.names(site_dir), assembly.used),
        *citations.unused(marks, site.bibliography or {}),
        *glossary.unused(site.glossary or {}, assembly.terms),
        *numbers.findings,
        *_undrawn(site_dir, site, assembly),
        *(size.finding for size in sizes if size.finding),
    ]
    return Inspection(tuple(Findings(findings).errors), sizes, numbers)


def _undrawn(site_dir: Path, site: Site, assembly: Assembly) -> list[CheckError]:
    """Characters outside the faces of the theme, if it tells which ones it has."""
    theme = assets.theme_files(site_dir)
    if "fonts/glyphs.txt" not in theme:
        return []
    published = {
        re.sub(r"^assets/\w+/", "", path): data.decode()
        for path, data in assembly.files.items()
        if path.endswith(".js")
    }
    scripts = {
        f"templates/{name}": (frontmatter.decoded(theme[name].read_bytes(), name), text)
        for name, text in published.items()
        if name in theme
    }
    pages = {path: assembly.files[path].decode() for path in assembly.pages}
    record = theme["fonts/glyphs.txt"].read_text("utf-8")
    return check.undrawn(site, pages, scripts, fonts.drawn(record))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
