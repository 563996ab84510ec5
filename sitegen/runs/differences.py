"""Two bakes of one run to what differs between them: which number, where, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from sitegen.runs.weights import checkpoints, unpack
from sitegen.schema import Run, Series, Weights

# What a number may miss on another kind of machine, by the precision of its series; relative to the largest of them.
ELSEWHERE = {"exact": 1e-9, "drawn": 1e-5}
_ONE_LEVEL = 1.01 / 127  # of int8: a half is rounded the other way


class Difference(Struct, frozen=True):
    """One field: where it differs first, the values there, in how many of its values, and by how much at most."""

    field: str  # "series.loss[step=137]", "metrics.accuracy", "images.map"
    before: Any
    after: Any
    count: int
    of: int
    largest: float | None  # None where it is no number
    allowed: float | None = None  # what it may differ by on another kind of machine; None where it may not

    def __str__(self) -> str:
        values = f"{_told(self.before)} became {_told(self.after)}"
        if self.field.startswith("images."):
            return (
                f"{self.field}: the picture has other bytes"
                if self.before and self.after
                else f"{self.field}: {values}"
            )
        if self.of == 1:
            return f"{self.field}: {values}"
        largest = f", by {self.largest:.2g} at most" if self.largest is not None else ""
        return f"{self.field}: {values}; {self.count} of {self.of} values differ{largest}"


def differences(before: Run, after: Run, weights_before: bytes = b"", weights_after: bytes = b"") -> list[Difference]:
    """All fields that differ, numbers before pictures before what they were made of."""
    found: list[Difference] = []
    for name in sorted(before.series.keys() | after.series.keys()):
        found += _series(name, before.series.get(name), after.series.get(name))
    loosest = max((each.tolerance or 0.0 for each in before.series.values()), default=0.0)
    found += _members("metrics", _metrics(before), _metrics(after), loosest)
    found += _members("examples", before.examples, after.examples, loosest)
    found += _weights(before, after, weights_before, weights_after)
    found += _members("probe", _probe(before), _probe(after), loosest)
    found += _members("images", _pictures(before), _pictures(after))
    found += _members("", _rest(before), _rest(after))
    return found


def numbers(run: Run) -> int:
    """How many numbers a run holds: of series, metrics, weights and its probe's outputs."""
    of_weights = sum(math.prod(tensor.shape) for tensor in run.weights.tensors) if run.weights else 0
    of_probe = sum(len(array.values) for array in run.probe.outputs.values()) if run.probe else 0
    return sum(len(series.values) for series in run.series.values()) + len(run.metrics) + of_weights + of_probe


def _series(name: str, before: Series | None, after: Series | None) -> Iterator[Difference]:
    field = f"series.{name}"
    if before is None or after is None:
        yield _whole(field, before, after)
    elif (before.shape, before.coordinates) != (after.shape, after.coordinates):
        yield Difference(field, before.shape, after.shape, 1, 1, None)
    elif before.values != after.values:
        scale = 1.0 if before.precision == "tolerant" else max(map(abs, before.values))
        allowed = (before.tolerance or 0.0) if before.precision == "tolerant" else ELSEWHERE.get(before.precision, 0.0)
        first, count, largest = _drift(before.values, after.values)
        where = f"{field}[{_coordinates(before, first)}]"
        yield Difference(
            where, before.values[first], after.values[first], count, len(before.values), largest, allowed * scale
        )


def _coordinates(series: Series, index: int) -> str:
    parts = []
    for axis, length in reversed(list(zip(series.axes, series.shape, strict=True))):
        index, here = divmod(index, length)
        parts.append(f"{axis}={series.coordinates[axis][here]}")
    return ", ".join(reversed(parts))


def _drift(before: Any, after: Any) -> tuple[int, int, float]:
    """(first index that differs, how many do, largest difference) of two arrays of one length."""
    places = [k for k, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    largest = max((abs(before[k] - after[k]) for k in places), default=0.0)
    return places[0] if places else 0, len(places), largest


def _weights(before: Run, after: Run, data_before: bytes, data_after: bytes) -> Iterator[Difference]:
    if not (before.weights and after.weights) or before.weights.tensors != after.weights.tensors:
        if before.weights != after.weights:
            yield _whole("weights", before.weights, after.weights)
        return
    if data_before == data_after:
        return
    found = list(_numbers_of_weights(before.weights, after.weights, data_before, data_after))
    yield from found or [Difference("weights", "these bytes", "others, of the same numbers", 1, 1, None)]


def _numbers_of_weights(before: Weights, after: Weights, data_before: bytes, data_after: bytes) -> Iterator[Difference]:
    rounded = {(tensor.checkpoint, tensor.name) for tensor in before.tensors if tensor.dtype == "int8"}
    for step in checkpoints(before):
        old, new = unpack(before, data_before, step), unpack(after, data_after, step)
        for name in old:
            if old[name].tobytes() != new[name].tobytes():
                first, count, largest = _drift(old[name], new[name])
                where = f"weights.{name}[checkpoint={step}, number={first}]"
                allowed = _ONE_LEVEL if (step, name) in rounded else ELSEWHERE["exact"]
                scale = max(map(abs, new[name]))
                yield Difference(
                    where, old[name][first], new[name][first], count, len(old[name]), largest, allowed * scale
                )


def _members(field: str, before: Any, after: Any, loosest: float = 0.0) -> Iterator[Difference]:
    """The leaves of two JSON values that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            name = f"{field}.{key}" if field else str(key)
            yield from _members(name, before.get(key), after.get(key), loosest)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _members(f"{field}.{place}", one, other, loosest)
    elif before != after or type(before) is not type(after):
        if _is_number(before) and _is_number(after):
            allowed = max(loosest, ELSEWHERE["exact"] * max(1.0, abs(before)))
            yield Difference(field, before, after, 1, 1, abs(before - after), allowed)
        else:
            yield Difference(field, before, after, 1, 1, None)


def _metrics(run: Run) -> Any:
    return {name: metric.value for name, metric in run.metrics.items()}


def _pictures(run: Run) -> Any:
    return {name: image.sha256 for name, image in run.images.items()}


def _probe(run: Run) -> Any:
    return msgspec.to_builtins(run.probe) if run.probe else {}


def _rest(run: Run) -> dict[str, Any]:
    """What a run says beside its numbers: how it is made."""
    told: dict[str, Any] = msgspec.to_builtins(run)
    for name in ("digest", "examples", "images", "metrics", "probe", "series", "weights"):
        told.pop(name)
    return told


def _whole(field: str, before: Any, after: Any) -> Difference:
    return Difference(field, _there(before), _there(after), 1, 1, None)


def _there(value: Any) -> str:
    return "missing" if value is None else "there"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _told(value: Any) -> str:
    if value is None:
        return "nothing"
    text = repr(value) if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
