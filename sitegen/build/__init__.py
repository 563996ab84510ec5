"""A site folder to its published site: everything is assembled and checked before one file of the old site changes.

Where nothing changed since the last build, that is found out first, and nothing else is imported.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitegen.build import inputs, last
from sitegen.build.report import BuildReport

if TYPE_CHECKING:
    from sitegen.build.assembly import Assembly, assemble
    from sitegen.build.inspection import Inspection, inspect
    from sitegen.build.publishing import publish

__all__ = ["Assembly", "BuildReport", "Inspection", "assemble", "build", "inspect", "publish"]

_HOMES = {
    "Assembly": "assembly",
    "Inspection": "inspection",
    "assemble": "assembly",
    "inspect": "inspection",
    "publish": "publishing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def build(site_dir: Path, *, out: Path | None = None, strict: bool = False, url: str = "") -> BuildReport:
    """Render a site into `out` (else build/site); raises Findings, and then leaves what was there.

    `url` is the address where it will be published, if that is not the one it says.
    A folder that holds the sources, or anything else than a published site, is never replaced: SitegenError.
    """
    target = out or site_dir / "build" / "site"
    before = inputs.look(site_dir)
    if before and (report := last.recall(site_dir, target, url, before, strict=strict)):
        return report
    return _built(site_dir, target, before, strict=strict, url=url, own=not out)


def _built(
    site_dir: Path, target: Path, before: inputs.Inputs | None, *, strict: bool, url: str, own: bool
) -> BuildReport:
    """`own`: whether the target is the site's own folder, beside which something may be kept."""
    from concurrent.futures import ThreadPoolExecutor

    from sitegen import remembered
    from sitegen.build import memory
    from sitegen.build.assembly import assemble
    from sitegen.build.publishing import publish, refuse_what_is_not_a_site
    from sitegen.errors import Findings

    refuse_what_is_not_a_site(site_dir, target)
    with remembered.using(memory.read(site_dir)) as known:
        assembly = assemble(site_dir, url)
    with ThreadPoolExecutor(1) as beside:  # both wait for the disk
        try:
            writing = beside.submit(memory.write, site_dir, known)
        except RuntimeError:  # the system has no thread to give
            memory.write(site_dir, known)
            writing = None
        if strict and (assembly.warnings or assembly.unverified):
            raise Findings([*assembly.warnings, *assembly.unverified])
        publish(assembly.files, target, target.with_name(".tmp-spare-site") if own else None)
    if writing:
        writing.result()
    report = BuildReport(
        out=target,
        pages=len(assembly.pages) - assembly.figures,  # each figure has a page too
        figures=assembly.figures,
        files=len(assembly.files),
        bytes=sum(map(len, assembly.files.values())),
        warnings=assembly.warnings,
    )
    if before and not assembly.warnings and inputs.stayed(site_dir, before):
        last.note(site_dir, target, url, before, report, assembly.files, verified=not assembly.unverified)
    return report
