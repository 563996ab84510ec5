"""Two runs to what differs between them beyond what each field allows, in words that name series, index and values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sitegen.runs.differences import Difference, differences
from sitegen.schema import Run
from sitegen.testing.snapshots import load

_MADE = ("provenance", "format")  # how a run was made: its code, its versions


def assert_run_matches(run: Run, snapshot: Run | Path, *, elsewhere: bool = False, hint: str = "") -> None:
    """Raises AssertionError with every field of `run` that is not as in `snapshot`, a run or the path of one."""
    __tracebackhide__ = True
    before = load(snapshot) if isinstance(snapshot, Path) else snapshot
    assert before is not None, f"there is no snapshot {snapshot}"
    if found := mismatches(before, run, elsewhere=elsewhere):
        count = f"{len(found)} {'field differs' if len(found) == 1 else 'fields differ'}"
        told = [f"run {run.run!r} is not as its snapshot: {count}", *(f"  {line}" for line in found)]
        raise AssertionError("\n".join([*told, f"  hint: {hint}"] if hint else told))


def mismatches(before: Run, after: Run, *, elsewhere: bool = False) -> list[str]:
    """A line for each field that differs by more than it may; `elsewhere`: on another kind of machine."""
    return list(_lines(before, after, elsewhere))


def _lines(before: Run, after: Run, elsewhere: bool) -> Iterator[str]:
    for one in differences(before, after):
        if one.field.split(".")[0] in _MADE or (elsewhere and one.field.startswith("images.")):
            continue
        kind, allowed = _class(before, one, elsewhere)
        if one.largest is None or one.largest > allowed:
            tolerance = f", of which {allowed:.2g} is allowed" if one.largest is not None and allowed else ""
            yield f"{one} ({kind}{tolerance})"
    old, new = before.weights, after.weights
    if old and new and old.tensors == new.tensors and old.sha256 != new.sha256 and not elsewhere:
        yield f"weights: sha256 {old.sha256[:12]}… became {new.sha256[:12]}… (exact)"


def _class(before: Run, one: Difference, elsewhere: bool) -> tuple[str, float]:
    """What kind of field this is, and what its numbers may differ by."""
    part, _, rest = one.field.partition(".")
    series = before.series.get(rest.split("[")[0]) if part == "series" else None
    loosest = max((each.tolerance or 0.0 for each in before.series.values()), default=0.0)
    kind = series.precision if series else "tolerant" if loosest and part in ("metrics", "examples") else "exact"
    if elsewhere:
        return kind, one.allowed or 0.0
    if kind != "tolerant":
        return kind, 0.0
    return kind, (series.tolerance or 0.0) if series else loosest
