"""What the checks found, and what it comes to: a table, a record, an exit code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct, field

from sitegen.errors import SitegenError
from sitegen.schema import CHECKS, Line, Measure, Run, Verification, VerifiedRun
from sitegen.schema.verification import lines

State = Literal["passed", "failed", "not done"]


class Outcome(Struct, frozen=True):
    """One check of one run. `why` says why it was not done; `missing`: because something is not there to do it."""

    run: str
    check: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    findings: tuple[SitegenError, ...] = ()
    why: str = ""
    missing: bool = False

    @property
    def state(self) -> State:
        if self.findings:
            return "failed"
        return "not done" if self.why else "passed"


class Verdict(Struct, frozen=True):
    """All outcomes of one call, and the runs as they were when it began. `platform`: machines that give the same bytes;
    `bytes`: whether this is one of them; `checks`: those that were asked for."""

    outcomes: tuple[Outcome, ...]
    platform: str
    bytes: bool
    runs: Mapping[str, Run] = field(default_factory=dict)
    checks: tuple[str, ...] = tuple(CHECKS)

    def lines(self, check: str) -> Iterator[Line]:
        """The measures of a check, put together from all runs."""
        return lines(check, ((outcome.run, outcome.measures) for outcome in self.of(check)))

    def of(self, check: str) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.check == check]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.state == "failed")

    @property
    def not_done(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.state == "not done")

    @property
    def complete(self) -> bool:
        """Whether every check was asked for: no run is verified by a part of them."""
        return set(self.checks) >= set(CHECKS)

    @property
    def verified(self) -> tuple[str, ...]:
        """The runs that passed all checks there are."""
        return self.held if self.complete else ()

    @property
    def held(self) -> tuple[str, ...]:
        """The runs that passed the checks that were asked for."""
        wanting = {outcome.run for outcome in (*self.failed, *self.not_done)}
        return tuple(sorted({outcome.run for outcome in self.outcomes} - wanting))

    def passed(self, strictly: bool) -> bool:
        """Nothing failed and, on a machine that should have all that is needed, nothing was missing."""
        return not self.failed and not (strictly and any(outcome.missing for outcome in self.outcomes))


def recorded(verdict: Verdict, before: Verification, baked: Iterable[str]) -> Verification:
    """The record after this verdict: runs that passed get an entry, those that failed lose theirs.

    Of runs that were not checked, an entry stays while the run is `baked`. An entry stays, too, where a check was only
    left out and the digest is the same.
    """
    entries = {name: entry for name, entry in before.runs.items() if name in set(baked)}
    failed = {outcome.run for outcome in verdict.failed}
    runs = verdict.runs
    for name in sorted({outcome.run for outcome in verdict.outcomes}):
        if name in verdict.verified:
            run = runs[name]
            entries[name] = VerifiedRun(run.digest, _measures(verdict, name), verdict.platform, run.provenance.versions)
        elif name in failed or (name in runs and not before.covers(name, runs[name].digest)):
            entries.pop(name, None)
    return Verification(runs=dict(sorted(entries.items())))


def unrecorded(verdict: Verdict, before: Verification, after: Verification) -> Iterator[str]:
    """What became of the entries of the runs that were checked, but are not verified by that."""
    for name in sorted({outcome.run for outcome in verdict.outcomes} - set(verdict.verified)):
        if name in after.runs:
            yield f"{name}: not verified now; what was recorded of this digest before stays"
        elif name in before.runs:
            yield f"{name}: not verified; what was recorded of it before is removed"
        else:
            yield f"{name}: not verified, and not recorded"


def _measures(verdict: Verdict, run: str) -> dict[str, dict[str, Measure]]:
    return {
        outcome.check: {
            name: Measure(measure.count, upper_power(measure.worst), measure.tolerance)
            for name, measure in outcome.measures.items()
        }
        for outcome in verdict.outcomes
        if outcome.run == run
    }


def upper_power(difference: float) -> float:
    """The next power of ten, so that machines whose last bits differ write the same record; 0 stays 0."""
    if difference == 0:
        return 0.0
    exponent = math.ceil(math.log10(difference) - 1e-9)
    return float(f"1e{exponent}")
