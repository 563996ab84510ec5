"""Numbers of runs in prose: a path and a format to HTML that keeps the exact value; and the claims of front matter.

A path is `run.metrics.name`, `run.parameters.name`, `run.examples.name.key.0`, `run.provenance.versions.torch`,
`run.seed`, `run.digest`, or an element of a series by its coordinates, `run.series.loss[step=600]`,
`run.series.weights[checkpoint=last, head=0].max` (also min, mean, sum and count). What `sitegen verify` recorded is
`run.verification.check.measure.worst` (also count and tolerance).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from sitegen.errors import FigureError, nearest
from sitegen.schema import Claim, Location, Run, Series, Verification

_PARTS = ("digest", "examples", "metrics", "parameters", "provenance", "seed", "series", "verification")
_PATH = re.compile(r"([^.\s\[\]]+)\.([^\[\]]+?)(?:\[([^\]]*)\](?:\.(\w+))?)?")
_FORMAT = re.compile(r"(<=)?(,?)(?:\.(\d{1,2}))?([def%]?)")
_REDUCTIONS: Mapping[str, Callable[[list[int | float]], int | float]] = {
    "count": len,
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
    "sum": math.fsum,
}
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FORMATS = "a format is d, ,d, .2f, .1%, .2e, or an upper bound like <=.1e or <=e"
_THIN = "\u202f"  # a narrow space that does not break
_MINUS = "\u2212"


def run_of(path: str) -> str:
    """The run a path or an expression begins with."""
    return path.split(".", 1)[0].strip()


def expression_html(
    expression: str, runs: Mapping[str, Run], at: Location, verification: Verification | None = None
) -> str:
    """`path:format` as a `<data>` element: readers see the rounded number, its exact value and origin stay with it."""
    path, spec = _split(expression)
    value = lookup(path, runs, at, verification)
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, list | dict) for one in value)):
        raise FigureError(f"{path!r} is not one value", at=at, hint="name one of its members")
    shown = formatted(value, spec, at)
    exact = " ".join(str(one) for one in value) if isinstance(value, list) else _exact(value)
    return f'<data class="run-value" value="{escape(exact)}" title="{escape(path)}">{shown}</data>'


def check(claim: Claim, runs: Mapping[str, Run], verification: Verification | None = None) -> None:
    """Raises FigureError, with the measured value, if a claim does not hold."""
    value = lookup(claim.path, runs, claim.at, verification)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FigureError(f"{claim.path!r} is no number", at=claim.at, hint="claims compare one number")
    if not _OPERATORS[claim.operator](value, claim.number):
        hint = "the run has changed: change the text with the claim, or mend the recipe"
        raise FigureError(f"the claim {claim.text!r} is false: measured {_exact(value)}", at=claim.at, hint=hint)


# ------------------------------------------------------------------------------------------------ looking up


def lookup(path: str, runs: Mapping[str, Run], at: Location, verification: Verification | None = None) -> Any:
    """The value at a path; raises FigureError with the nearest right name."""
    found = _PATH.fullmatch(path)
    if not found:
        raise FigureError(f"{path!r} is no path to a value", at=at, hint="write run.metrics.name")
    name, members = found[1], found[2].split(".")
    if name not in runs:
        raise FigureError(f"run {name!r} is not baked", at=at, hint=nearest(name, runs))
    run, part = runs[name], members[0]
    if part not in _PARTS:
        raise FigureError(f"a run has no {part!r}", at=at, hint=nearest(part, _PARTS))
    if part == "series":
        return _series_value(run, members[1:], found[3], found[4], at)
    if found[3] is not None:
        raise FigureError("only a series has coordinates in brackets", at=at, hint="write .key or .0 for a member")
    if part == "metrics":
        metric = _member({key: one.value for key, one in run.metrics.items()}, members[1:2], "metric", name, at)
        return _walk(metric, members[2:], path, at)
    if part in ("seed", "digest"):
        return _walk(getattr(run, part), members[1:], path, at)
    if part == "provenance":
        made = run.provenance
        known = {"versions": made.versions, "threads": made.threads, "dtype": made.dtype, "platform": made.platform}
        return _walk(known, members[1:], path, at)
    if part == "verification":
        return _walk(_verified(name, verification, at), members[1:], path, at)
    top: dict[str, Any] = getattr(run, part)
    return _walk(_member(top, members[1:2], part[:-1], name, at), members[2:], path, at)


def _verified(run: str, verification: Verification | None, at: Location) -> dict[str, Any]:
    """What was verified of a run: check -> measure -> count, worst, tolerance."""
    if verification is None or run not in verification.runs:
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
        elif isinstance(value, list) and member.isdigit() and int(member) < len(value):
            value = value[int(member)]
        else:
            known = value if isinstance(value, dict) else map(str, range(len(value))) if isinstance(value, list) else ()
            raise FigureError(f"{path!r} leads nowhere at {member!r}", at=at, hint=nearest(member, known))
    return value


def _series_value(run: Run, names: list[str], where: str | None, reduction: str | None, at: Location) -> int | float:
    if where is None and len(names) == 2:
        names, reduction = names[:1], names[1]
    series: Series = _member(run.series, names[:1], "series", run.run, at)
    if len(names) > 1:
        raise FigureError(f"{'.'.join(names)!r} names no series", at=at, hint=nearest(names[0], run.series))
    fixed = _coordinates(series, names[0], where or "", at)
    values = select(series, fixed)
    if reduction is None:
        if len(values) != 1:
            free = ", ".join(axis for axis in series.axes if axis not in fixed)
            hint = f"fix {free}, or take .{' .'.join(_REDUCTIONS)} of it"
            raise FigureError(f"this part of {names[0]!r} has {len(values)} numbers", at=at, hint=hint)
        return values[0]
    if reduction not in _REDUCTIONS:
        raise FigureError(f"there is no reduction {reduction!r}", at=at, hint=nearest(reduction, _REDUCTIONS))
    return _REDUCTIONS[reduction](values)


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


# ------------------------------------------------------------------------------------------------ writing out


def formatted(value: Any, spec: str, at: Location) -> str:
    """A value as HTML by a format; without one, as it is, if it is short."""
    found = _FORMAT.fullmatch(spec)
    if not found:
        raise FigureError(f"{spec!r} is no format", at=at, hint=_FORMATS)
    bound, comma, precision, kind = found[1], found[2], found[3], found[4]
    if int(precision or 0) > 17:
        raise FigureError(f"{spec!r} asks for too many digits", at=at, hint="a number has 17 of them at most")
    if isinstance(value, list) and not spec:
        return " ".join(formatted(one, "", at) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        if spec:
            raise FigureError(f"{value!r} is no number, so {spec!r} does not fit", at=at, hint="leave the format out")
        return escape("none" if value is None else str(value).lower() if isinstance(value, bool) else str(value))
    if precision is not None and kind not in ("f", "e", "%"):
        raise FigureError(f"{spec!r} is no format", at=at, hint=_FORMATS)
    if kind == "d" or (not kind and not bound and isinstance(value, int)):
        if value != int(value):
            raise FigureError(f"{value!r} is no whole number, so {spec!r} does not fit", at=at, hint=_FORMATS)
        return _minus(format(int(value), f"{comma}d"))
    if not kind and not bound and value != float(format(value, ".6g")):
        hint = f"write how many digits readers see, for example :.3f, which gives {value:.3f}"
        raise FigureError(f"{value!r} is too long to be read", at=at, hint=hint)
    text = _upper_bound(value, precision, kind) if bound else _plain(value, comma, precision, kind)
    return f"≤{_THIN}{text}" if bound else text


def _plain(value: int | float, comma: str, precision: str | None, kind: str) -> str:
    if kind == "%":
        return _minus(format(value, f"{comma}.{precision or 0}%")[:-1]) + f"{_THIN}%"
    if kind == "e":
        mantissa, exponent = format(value, f".{precision or 0}e").split("e")
        return _minus(mantissa) + _power(int(exponent)) if value else "0"
    if kind == "f":
        return _minus(format(value, f"{comma}.{6 if precision is None else precision}f"))
    return _minus(repr(value))


def _upper_bound(value: int | float, precision: str | None, kind: str) -> str:
    """Rounded away from zero, so that "≤" stays true; `<=e` is the next power of ten."""
    if not value:
        return "0"
    if kind != "e":
        digits = int(precision or 0) + (2 if kind == "%" else 0)
        raised = math.ceil(value * 10**digits - 1e-9) / 10**digits
        return _plain(raised, "", precision, kind or "f")
    exponent = math.floor(math.log10(abs(value)))
    if precision is None:
        exact = math.isclose(abs(value), 10.0**exponent, rel_tol=1e-12)
        return _power(exponent if exact else exponent + 1).lstrip(f"{_THIN}×")
    scale = 10 ** int(precision)
    mantissa = math.ceil(value / 10.0**exponent * scale - 1e-9) / scale
    return _plain(mantissa * 10.0**exponent, "", precision, "e")


def significant(value: object, digits: int = 3) -> str:
    """A number for a table: whole numbers whole, others to some significant digits; other values as text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return _minus(str(value))
    text = format(value, f".{digits}g")
    if "e" in text and 1e-4 <= abs(value) < 1e9:
        text = format(float(text), ".0f")
    return _minus(text)


def _power(exponent: int) -> str:
    return f"{_THIN}×{_THIN}10<sup>{_minus(str(exponent))}</sup>"


def _minus(text: str) -> str:
    return text.replace("-", _MINUS)


def _exact(value: Any) -> str:
    return "true" if value is True else "false" if value is False else str(value)


def _split(expression: str) -> tuple[str, str]:
    """Path and format; a colon inside brackets belongs to the path."""
    head, bracket, tail = expression.rpartition("]")
    path, _, spec = tail.partition(":")
    return head + bracket + path.strip(), spec.strip()
