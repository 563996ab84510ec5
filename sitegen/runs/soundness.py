"""What the types of run.json do not say: keys that stand once, shapes that fit their values, files beside the run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence

from sitegen.remembered import remembered
from sitegen.runs.weights import nbytes
from sitegen.schema import Run

DEPTH = 100  # of objects and lists within each other
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{\[]|[}\]]')

Fault = tuple[list[str | int], str]  # the place in run.json, and what is wrong there


@remembered
def fault_of_text(text: str) -> tuple[int, str] | None:
    """(line, what is wrong) of the first key that stands twice in its object, or where the nesting is too deep."""
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            keys.append(set())
        elif token[0] in "}]":
            del keys[-1:]
        elif token[2] and keys:
            key = _unescaped(token[1])
            if key in keys[-1]:
                return _line(text, token.start()), f"the key {key!r} stands twice"
            keys[-1].add(key)
        if len(keys) > DEPTH:
            return _line(text, token.start()), f"nested deeper than {DEPTH} levels"
    return None


def faults(run: Run) -> Iterator[Fault]:
    """What cannot be true of a run, whatever its digest says."""
    for name, series in run.series.items():
        where: list[str | int] = ["series", name]
        if len(series.axes) != len(series.shape):
            yield where, f"{len(series.axes)} axes, but a shape of {len(series.shape)} lengths"
        for axis, length in zip(series.axes, series.shape, strict=False):
            count = len(series.coordinates.get(axis, ()))
            if length != count:
                yield where, f"axis {axis!r} is {length} long, but has {count} coordinates"
        yield from _values(where, series.shape, len(series.values))
    for name, array in (run.probe.outputs if run.probe else {}).items():
        yield from _values(["probe", "outputs", name], array.shape, len(array.values))
    for name, image in run.images.items():
        yield from _file(["images", name], image.file)
        if image.width < 1 or image.height < 1:
            yield ["images", name], f"a picture cannot be {image.width} by {image.height} pixels"
    if run.weights:
        yield from _file(["weights", "file"], run.weights.file)


def weight_faults(run: Run, size: int) -> Iterator[Fault]:
    """The weights that do not lie in their file of `size` bytes."""
    for place, tensor in enumerate(run.weights.tensors if run.weights else ()):
        where: list[str | int] = ["weights", "tensors", place]
        if min(tensor.shape, default=0) < 0:
            yield where, f"weight {tensor.name!r} has a negative length: {list(tensor.shape)}"
        elif run.weights and not 0 <= tensor.offset <= size - nbytes(tensor, run.weights.dtype):
            yield where, f"weight {tensor.name!r} lies outside of {run.weights.file}, which has {size} bytes"
        elif (tensor.dtype == "int8") != (tensor.scale is not None):
            yield where, f"weight {tensor.name!r} is of int8 without a scale, or has one without being so"
        elif tensor.scale is not None and not tensor.shape:
            yield where, f"weight {tensor.name!r} is one number of int8: it has no rows to scale"
        elif run.weights and tensor.scale is not None and not 0 <= tensor.scale <= size - 4 * tensor.shape[0]:
            yield where, f"scales of {tensor.name!r} lie outside of {run.weights.file}, which has {size} bytes"


def _values(where: list[str | int], shape: Sequence[int], count: int) -> Iterator[Fault]:
    if min(shape, default=0) < 0:
        yield where, f"a negative length: {list(shape)}"
    elif math.prod(shape) != count:
        yield where, f"shape {list(shape)} holds {math.prod(shape)} values, but there are {count}"


def _file(where: list[str | int], name: str) -> Iterator[Fault]:
    if not name or name == "." or ".." in name or re.search(r"[/\\\x00]", name):
        yield where, f"{name!r} is no file name: files lie beside run.json"


def _unescaped(key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return key


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
