"""A site held against all its promises: what `sitegen check` tells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from sitegen import assets, check, citations, discovery, fonts, frontmatter, glossary, render, runs
from sitegen.build import inputs
from sitegen.build.assembly import Assembly, assemble
from sitegen.build.report import counted
from sitegen.errors import CheckError, Findings, SitegenError
from sitegen.schema import Location, Site

_NEAR = 0.9  # of a budget: from here on a size is told


class Inspection(Struct, frozen=True):
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
        typed = counted(len(numbers.findings), "hand-typed number")
        return "\n".join(
            [
                *listed,
                f"{counted(len(self.sizes), 'size')}: {within}, {near} above {_NEAR:.0%} of it",
                f"numbers: {numbers.measured} from runs, {numbers.cited} cited, {numbers.given} given, {typed}",
            ]
        )


def inspect(site_dir: Path) -> Inspection:
    """Assemble a site and hold it against all promises; nothing is written."""
    inputs.refuse_what_is_no_file(site_dir)
    assembly = assemble(site_dir)
    site, marks = assembly.whole(), [one.marks for one in assembly.draft.units]
    outlines = {path: check.outline(assembly.files[path].decode()) for path in assembly.pages}
    sizes = tuple(check.sizes(outlines, assembly.files, assembly.on_demand, assembly.kept))
    numbers = check.measurements(site)
    findings = [
        *assembly.warnings,
        *unreadable(site_dir),
        *assets.unused_templates(site_dir),
        *check.wordless({path: one for path, one in outlines.items() if not render.is_figure(path)}),
        *check.without_act(site, discovery.discover(site_dir, discovery.model_packages(site_dir))),
        *check.unused_runs(site, runs.names(site_dir), assembly.used),
        *citations.unused(marks, site.bibliography or {}),
        *glossary.unused(site.glossary or {}, assembly.terms),
        *numbers.findings,
        *_undrawn(site_dir, site, assembly),
        *_heavy(sizes, assembly),
    ]
    return Inspection(tuple(Findings(findings).errors), sizes, numbers)


def _heavy(sizes: Sequence[check.Size], assembly: Assembly) -> Iterator[CheckError]:
    """What is above its budget; a picture by the file that its author put beside a text."""
    homes = {
        medium.path: posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(source)))
        for (path, source), medium in assembly.draft.answers.media.items()
    }
    for size in sizes:
        if finding := size.finding:
            finding.at = Location(homes[size.name]) if size.name in homes else finding.at
            yield finding


def unreadable(site_dir: Path) -> list[SitegenError]:
    """Scripts and style sheets of the site's own that a browser cannot read."""
    own = site_dir / "templates"
    texts = {name: path for name, path in assets.theme_files(site_dir).items() if path.is_relative_to(own)}
    return [
        error
        for name, path in texts.items()
        if name.endswith((".js", ".css"))
        for error in check.syntax_errors(name, path.read_text("utf-8", errors="replace"))
    ]


def _undrawn(site_dir: Path, site: Site, assembly: Assembly) -> list[CheckError]:
    """Characters outside the faces of the theme, if it tells which ones it has and must draw all."""
    theme = assets.theme_files(site_dir)
    if site.system_fonts or "fonts/glyphs.txt" not in theme:
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
