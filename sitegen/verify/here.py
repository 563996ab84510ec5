"""Checks that need no worker: files against their digests, runs against their recipes, claims against runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sitegen import content, runs, values
from sitegen.errors import FigureError, RunError, SitegenError, VerificationError
from sitegen.runs.decode import decode_unsealed
from sitegen.schema import Location, Measure, RecipeInfo, Run
from sitegen.verify.outcomes import Outcome


def shown(run: str) -> str:
    """A run's file as errors show it."""
    return f"build/runs/{run}/run.json"


def files(site_dir: Path, name: str) -> tuple[Outcome, Run | None]:
    """Whether a run is whole, and the run, as far as it can be read: its numbers may still be told apart."""
    folder = runs.runs_folder(site_dir) / name
    try:
        run = runs.load(folder)
    except RunError as error:
        return Outcome(name, "files", findings=(error,)), _unsealed(folder)
    count = 1 + len(run.images) + bool(run.weights)
    if run.timed:
        try:
            count += 1 + len(runs.load_timings(folder, run).images)
        except RunError as error:
            return Outcome(name, "files", {"files": Measure(count)}, (error,)), run
    return Outcome(name, "files", {"files": Measure(count)}), run


def _unsealed(folder: Path) -> Run | None:
    try:
        return decode_unsealed((folder / "run.json").read_bytes(), folder.name, shown(folder.name))
    except (OSError, SitegenError):
        return None


def freshness(
    site_dir: Path, infos: tuple[RecipeInfo, ...], found: Mapping[str, Run], wanted: set[str]
) -> Iterator[Outcome]:
    """Whether each run is what its recipe would bake today."""
    states = runs.statuses(site_dir, infos, found, {})
    for info in infos:
        if info.name not in wanted or info.name not in found:
            continue
        made = found[info.name].provenance
        count = len(made.closure) + len(info.parameters) + len(made.needs) + len(made.data) + len(made.versions)
        hint = f"bake it again: sitegen train --run {info.name}"
        findings = tuple(
            VerificationError(f"run {info.name!r} is {states[info.name].state}: {reason}", at=info.at, hint=hint)
            for reason in states[info.name].reasons
        )
        yield Outcome(info.name, "freshness", {"inputs": Measure(count)}, findings)


def claims(site_dir: Path, found: Mapping[str, Run], wanted: set[str]) -> Iterator[Outcome]:
    """What acts and sections claim of each run."""
    site, _ = content.gather(site_dir)
    known = values.Known(found, runs.load_verification(site_dir), runs.all_timings(site_dir, found))
    parts = [part for chapter in site.chapters for part in (chapter.opening, *chapter.parts) if part]
    counts: dict[str, int] = {}
    wrong: dict[str, list[SitegenError]] = {}
    for claim in (claim for part in parts for claim in part.claims):
        name = values.run_of(claim.path)
        if name in wanted:
            counts[name] = counts.get(name, 0) + 1
            try:
                values.check(claim, known)
            except FigureError as error:
                wrong.setdefault(name, []).append(error)
    for name, count in counts.items():
        yield Outcome(name, "claims", {"claims": Measure(count)}, tuple(wrong.get(name, ())))


def line_of(site_dir: Path, run: str, path: list[str | int]) -> Location:
    """Where a field stands in run.json."""
    from sitegen.runs.text import line_of as line_in_text

    try:
        text = (runs.runs_folder(site_dir) / run / "run.json").read_text(encoding="utf-8")
        return Location(shown(run), line_in_text(text, path))
    except (OSError, ValueError):
        return Location(shown(run))
