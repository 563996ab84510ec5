"""The runs that a site names: which can be read, which are fresh, and which were verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen import runs
from sitegen.errors import FigureError, RunError, SitegenError, nearest
from sitegen.schema import Location, RecipeInfo, Run, Timings, Verification


@dataclass(slots=True)
class Baked:
    """`unusable` are names whose error was told; `timings` has an error where those of a run cannot be had."""

    site_dir: Path
    errors: list[SitegenError]
    warnings: list[SitegenError]
    verification: Verification
    runs: dict[str, Run] = field(default_factory=dict)
    timings: dict[str, Timings | RunError] = field(default_factory=dict)
    unusable: set[str] = field(default_factory=set)
    fresh: dict[str, bool] = field(default_factory=dict)

    def load(self, named: Iterable[tuple[str, Location]], infos: Mapping[str, RecipeInfo]) -> None:
        """The runs that a site names, and whether they are what their recipes would bake today."""
        baked = set(runs.names(self.site_dir))
        damaged: dict[str, RunError] = {}
        for name, at in named:
            if name in self.runs or name in self.unusable:
                continue
            if name in baked:
                self._load_one(name, self.runs, damaged)
            elif name in infos:
                hint = f"bake it: sitegen train --run {name}"
                self.errors.append(RunError(f"run {name!r} is not baked yet", at=at, hint=hint))
            else:
                self.errors.append(
                    FigureError(f"there is no run {name!r}", at=at, hint=nearest(name, baked | infos.keys()))
                )
                continue  # each place that names it is told
            if name not in self.runs:
                self.unusable.add(name)
        self.errors += damaged.values()
        self.timings = runs.all_timings(self.site_dir, self.runs)
        self._judge(infos)

    def _load_one(self, name: str, into: dict[str, Run], damaged: dict[str, RunError]) -> None:
        try:
            into[name] = runs.load(runs.runs_folder(self.site_dir) / name)
        except RunError as error:
            damaged[name] = error

    def _judge(self, infos: Mapping[str, RecipeInfo]) -> None:
        known, damaged = dict(self.runs), dict[str, RunError]()
        waiting = [name for name in self.runs if name in infos]
        concerned: dict[str, RecipeInfo] = {}
        while waiting:
            name = waiting.pop()
            if name in infos and name not in concerned:
                concerned[name] = infos[name]
                waiting += infos[name].needs
                if name not in known and name in runs.names(self.site_dir):
                    self._load_one(name, known, damaged)
        found = runs.statuses(self.site_dir, concerned.values(), known, damaged)
        for name in sorted(self.runs):
            self.fresh[name] = name in found and found[name].state == "fresh"
            at = Location(f"build/runs/{name}/run.json")
            if name not in infos:
                self.warnings.append(
                    RunError(f"no recipe bakes run {name!r} any more", at=at, hint=nearest(name, infos))
                )
            elif not self.fresh[name]:
                reasons = "; ".join(found[name].reasons)
                hint = f"bake it again: sitegen train --run {name}"
                self.warnings.append(RunError(f"run {name!r} is stale: {reasons}", at=at, hint=hint))

    @property
    def verified(self) -> frozenset[str]:
        """The runs that are fresh and, as they are, passed every check."""
        known = (name for name, run in self.runs.items() if self.verification.covers(name, run.digest))
        return frozenset(name for name in known if self.fresh.get(name))

    def unverified(self) -> Iterator[SitegenError]:
        for name in sorted(self.runs.keys() - self.verified):
            if self.fresh.get(name):
                at, hint = Location(f"build/runs/{name}/run.json"), "verify it: sitegen verify --record"
                yield RunError(f"run {name!r} is not verified", at=at, hint=hint)
