"""Numbers of runs in prose: a path and a format to HTML that keeps the exact value; and the claims of front matter.

A path is `run.metrics.name`, `run.parameters.name`, `run.examples.name.key.0`, `run.provenance.versions.torch`,
`run.seed`, `run.digest`, or an element of a series by its coordinates, `run.series.loss[step=600]`,
`run.series.weights[checkpoint=last, head=0].max` (also min, mean, sum and count). What a machine measured are series
too, `run.timings.seconds[length=64]`, beside `run.timings.processor`. What `sitegen verify` recorded is
`run.verification.check.measure.worst` (also count and tolerance).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from msgspec import Struct, field

from sitegen.errors import FigureError, RunError, nearest
from sitegen.formats import exact, formatted
from sitegen.schema import Claim, Location, Run, Series, Timings, Verification

_PARTS = ("digest", "examples", "metrics", "parameters", "provenance", "seed", "series", "timings", "verification")
_PATH = re.compile(r"([^.\s\[\]]+)\.([^\[\]]+?)(?:\[([^\]]*)\](?:\.(\w+))?)?")
REDUCTIONS: Mapping[str, Callable[[list[int | float]], int | float]] = {
    "count": len,
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
    "sum": math.fsum,
}
OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Known(Struct, frozen=True):
    """What paths lead to. `timings` has an error where those of a run cannot be had."""

    runs: Mapping[str, Run]
    verification: Verification = field(default_factory=Verification)
    timings: Mapping[str, Timings | RunError] = field(default_factory=dict)


def run_of(path: str) -> str:
    """The run a path or an expression begins with."""
    return path.split(".", 1)[0].strip()


def expression_html(expression: str, known: Known, at: Location) -> str:
    """`path:format` as a `<data>` element: readers see the rounded number, its exact value and origin stay with it."""
    path, spec = _split(expression)
    value = lookup(path, known, at)
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, list | dict) for one in value)):
        raise FigureError(f"{path!r} is not one value", at=at, hint="name one of its members")
    shown = formatted(value, spec, at)
    whole = " ".join(str(one) for one in value) if isinstance(value, list) else exact(value)
    title = f"{path}{_machine(path, known)}"
    return f'<data class="run-value" value="{escape(whole)}" title="{escape(title)}">{shown}</data>'


def _machine(path: str, known: Known) -> str:
    """With a time goes the machine that took it."""
    timings = known.timings.get(run_of(path)) if path.split(".")[1] == "timings" else None
    return f", on {timings.processor}" if isinstance(timings, Timings) else ""


def check(claim: Claim, known: Known) -> None:
    """Raises FigureError, with the measured value, if a claim does not hold."""
    value = lookup(claim.path, known, claim.at)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FigureError(f"{claim.path!r} is no number", at=claim.at, hint="claims compare one number")
    if not OPERATORS[claim.operator](value, claim.number):
        hint = "the run has changed: change the text with the claim, or mend the recipe"
        raise FigureError(f"the claim {claim.text!r} is false: measured {exact(value)}", at=claim.at, hint=hint)


# ------------------------------------------------------------------------------------------------ looking up


def lookup(path: str, known: Known, at: Location) -> Any:
    """The value at a path; raises FigureError with the nearest right name."""
    found = _PATH.fullmatch(path)
    if not found:
        raise FigureError(f"{path!r} is no path to a value", at=at, hint="write run.metrics.name")
    name, members = found[1], found[2].split(".")
    if name not in known.runs:
        raise FigureError(f"run {name!r} is not baked", at=at, hint=nearest(name, known.runs))
    run, part = known.runs[name], members[0]
    if part not in _PARTS:
        raise FigureError(f"a run has no {part!r}", at=at, hint=nearest(part, _PARTS))
    if part == "timings":
        timings = _timings(run, known, at)
        if members[1:] != ["processor"] or "processor" in timings.series:
            return _series_value(timings.series, run, members[1:], found[3], found[4], at)
    if part == "series":
        if members[1:2] and members[1] in run.timed:
            message = f"{members[1]!r} of run {name!r} is a time, which is in no digest"
            raise FigureError(message, at=at, hint=f"write {name}.timings.{members[1]}")
        return _series_value(run.series, run, members[1:], found[3], found[4], at)
    if found[3] is not None:
        raise FigureError("only a series has coordinates in brackets", at=at, hint="write .key or .0 for a member")
    if part == "timings":
        return timings.processor
    if part == "metrics":
        metric = _member({key: one.value for key, one in run.metrics.items()}, members[1:2], "metric", name, at)
        return _walk(metric, members[2:], path, at)
    if part in ("seed", "digest"):
        return _walk(getattr(run, part), members[1:], path, at)
    if part == "provenance":
        made = run.provenance
        told = {"versions": made.versions, "threads": made.threads, "dtype": made.dtype, "platform": made.platform}
        return _walk(told, members[1:], path, at)
    if part == "verification":
        return _walk(_verified(name, known.verification, at), members[1:], path, at)
    top: dict[str, Any] = getattr(run, part)
    return _walk(_member(top, members[1:2], part[:-1], name, at), members[2:], path, at)


def _timings(run: Run, known: Known, at: Location) -> Timings:
    """What was measured beside a run, if it measures anything."""
    found = known.timings.get(run.run)
    if isinstance(found, RunError):
        raise FigureError(found.message, at=at, hint=found.hint)
    if found is None or not run.timed:
        raise FigureError(f"run {run.run!r} has no timings", at=at, hint='declare them: seconds=never("length")')
    return found


def _verified(run: str, verification: Verification, at: Location) -> dict[str, Any]:
    """What was verified of a run: check -> measure -> count, worst, tolerance."""
    if run not in verification.runs:
        raise FigureError(f"run {run!r} is not verified", at=at, hint="verify it: sitegen verify --record")
    return {
        check: {
            name: {"count": measure.count, "worst": measure.worst, "tolerance": measure.tolerance}
            for name, measure in measures.items()
        }
        for check, measures in verification.runs[run].checks.items()
    }


def _member(known: Mapping[str, Any], names: list[str], what: str, run: str, at: Location) -> Any:
    name = names[0] if names else ""
    if name not in known:
        raise FigureError(f"run {run!r} has no {what} {name!r}", at=at, hint=nearest(name, known))
    return known[name]


def _walk(value: Any, members: list[str], path: str, at: Location) -> Any:
    """On from `value` by keys of tables and indices of lists."""
    for member in members:
        if isinstance(value, dict) and member in value:
            value = value[member]
        elif isinstance(value, list) and re.fullmatch(r"[0-9]{1,9}", member) and int(member) < len(value):
            value = value[int(member)]
        else:
            known = value if isinstance(value, dict) else map(str, range(len(value))) if isinstance(value, list) else ()
            raise FigureError(f"{path!r} leads nowhere at {member!r}", at=at, hint=nearest(member, known))
    return value


def _series_value(
    known: Mapping[str, Series], run: Run, names: list[str], where: str | None, reduction: str | None, at: Location
) -> int | float:
    if where is None and len(names) == 2:
        names, reduction = names[:1], names[1]
    series: Series = _member(known, names[:1], "series", run.run, at)
    if len(names) > 1:
        raise FigureError(f"{'.'.join(names)!r} names no series", at=at, hint=nearest(names[0], known))
    fixed = _coordinates(series, names[0], where or "", at)
    values = select(series, fixed)
    if reduction is None:
        if len(values) != 1:
            free = ", ".join(axis for axis in series.axes if axis not in fixed)
            hint = f"fix {free}, or take .{' .'.join(REDUCTIONS)} of it"
            raise FigureError(f"this part of {names[0]!r} has {len(values)} numbers", at=at, hint=hint)
        return values[0]
    if reduction not in REDUCTIONS:
        raise FigureError(f"there is no reduction {reduction!r}", at=at, hint=nearest(reduction, REDUCTIONS))
    return REDUCTIONS[reduction](values)


def _coordinates(series: Series, name: str, where: str, at: Location) -> dict[str, int]:
    """ "step=600, head=0" to axis -> index."""
    fixed: dict[str, int] = {}
    for item in filter(None, (one.strip() for one in where.split(","))):
        axis, _, label = (one.strip() for one in item.partition("="))
        if axis not in series.axes:
            raise FigureError(f"series {name!r} has no axis {axis!r}", at=at, hint=nearest(axis, series.axes))
        fixed[axis] = index_of(series, axis, label, at)
    return fixed


def index_of(series: Series, axis: str, label: object, at: Location) -> int:
    """Where a coordinate (or "first", "last") stands on an axis; raises FigureError with the nearest one."""
    labels = series.coordinates[axis]
    if label in ("first", "last"):
        return 0 if label == "first" else len(labels) - 1
    for k, known in enumerate(labels):
        if known == label or str(known) == str(label):
            return k
    raise FigureError(f"the axis {axis!r} has no {label!r}", at=at, hint=closest(label, labels))


def closest(label: object, labels: list[int | float | str]) -> str | None:
    """A hint with the numbers next to `label`, or the name most like it."""
    numbers = sorted(one for one in labels if isinstance(one, int | float))
    try:
        wanted = float(str(label))
    except ValueError:
        return nearest(str(label), map(str, labels))
    below = [one for one in numbers if one < wanted][-1:]
    above = [one for one in numbers if one > wanted][:1]
    near = below + above or numbers[:1] + numbers[1:][-1:]  # no number is next to nan
    return f"next to it: {' and '.join(map(str, near))}" if near else None


def select(series: Series, fixed: Mapping[str, int]) -> list[int | float]:
    """The values at the fixed indices, row-major over the axes that stay free."""
    starts, size = [0], len(series.values)
    for axis, length in zip(series.axes, series.shape, strict=True):
        size //= length
        indices = (fixed[axis],) if axis in fixed else range(length)
        starts = [start + index * size for start in starts for index in indices]
    return [series.values[start] for start in starts]


def _split(expression: str) -> tuple[str, str]:
    """Path and format; a colon inside brackets belongs to the path."""
    head, bracket, tail = expression.rpartition("]")
    path, _, spec = tail.partition(":")
    return head + bracket + path.strip(), spec.strip()
