"""Tensors, arrays, nested lists and numbers to plain Python values: known by what they can do, not by class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sitegen.errors import RecipeError
from sitegen.schema import Json


def flatten(value: Any, what: str) -> tuple[tuple[int, ...], list[int | float]]:
    """(shape, flat row-major numbers) of a tensor, array, nested sequence or number. `what` names it in errors."""
    nested = _listed(value)
    shape: list[int] = []
    level = [nested]
    while level and isinstance(level[0], (list, tuple, range)):
        lengths = {len(row) if isinstance(row, (list, tuple, range)) else -1 for row in level}
        if len(lengths) > 1:
            raise RecipeError(f"{what} is ragged: rows of {sorted(lengths - {-1})} values", hint="pad or cut the rows")
        shape.append(lengths.pop())
        level = [_listed(child) for row in level for child in row]
    if not level:
        raise RecipeError(f"{what} is empty, shape {tuple(shape)}", hint="record at least one value")
    return tuple(shape), [_number(number, what) for number in level]


def plain(value: Any, what: str) -> Json:
    """Any value that JSON can hold, tensors and arrays as nested lists."""
    value = _listed(value)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise RecipeError(f"{what} has a key that is no text", hint="JSON objects have texts as keys")
        return {key: plain(child, what) for key, child in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(child, what) for child in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RecipeError(f"{what} holds {value}", hint="only finite numbers can be recorded")
        return value
    raise RecipeError(f"{what} holds a {type(value).__name__}", hint="only JSON values, tensors and arrays are kept")


def float_type(value: Any) -> str | None:
    """ "float64" or "float32", where the value is a tensor or an array of them."""
    name = str(getattr(value, "dtype", "")).removeprefix("torch.")
    return name if name in ("float64", "float32") else None


def raw_bytes(tensor: Any, name: str) -> tuple[tuple[int, ...], bytes]:
    """(shape, little-endian row-major bytes) of a tensor or array."""
    array = tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor
    if not math.isfinite(float(array.sum())) and not all(map(math.isfinite, flatten(array, name)[1])):
        raise RecipeError(f"weight {name!r} is not finite", hint="training went wrong before this: look at its rate")
    return tuple(array.shape), array.astype(array.dtype.newbyteorder("<")).tobytes(order="C")


def _listed(value: Any) -> Any:
    if hasattr(value, "detach"):
        value = value.detach()
    return value.tolist() if hasattr(value, "tolist") else value


def _number(value: Any, what: str) -> int | float:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    raise RecipeError(f"{what} holds a {type(value).__name__}", hint="it is a tensor, an array, or lists of numbers")
