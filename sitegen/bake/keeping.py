"""What a long bake needs to go on after it was killed: tensors, arrays and JSON values to bytes and back, bit for bit.

Nothing is pickled: a line of JSON says what the values are, and the numbers of tensors and arrays lie behind it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sitegen.errors import RecipeError, RunError
from sitegen.runs import unfinished

_BROKEN = (AttributeError, KeyError, RecursionError, RuntimeError, TypeError, UnicodeDecodeError, ValueError)


class Keeper:
    """The checkpoint of one bake in its folder. `fingerprint` gives what the bake is made of; `forced`: a fresh run is
    there."""

    def __init__(
        self, folder: Path, fingerprint: Callable[[], str], *, forced: bool, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        self._folder, self._forced, self._tell = folder, forced, tell
        self._fingerprint = fingerprint
        self._before, self._start = 0.0, time.perf_counter()

    @property
    def seconds(self) -> float:
        """How long the bake took so far, in this process and in those that were killed, up to what they kept."""
        return self._before + time.perf_counter() - self._start

    def keep(self, step: int, total: int | None, state: Mapping[str, Any]) -> None:
        """A disk that is full costs the checkpoint, not the bake."""
        body = encode(state)
        content = unfinished.sealed(self._fingerprint(), step, total, self.seconds, self._forced, body)
        try:
            unfinished.write(self._folder, content)
        except OSError as error:
            self._tell({"event": "note", "words": f"step {step:,} cannot be kept: {error.strerror}"})

    def kept(self) -> dict[str, Any] | None:
        try:
            found = unfinished.read(self._folder, self._fingerprint())
            state = decode(found[1]) if found else None
        except RunError as error:
            unfinished.drop(self._folder)
            self._tell({"event": "note", "words": f"the unfinished bake is dropped: {error.message}"})
            return None
        if found is None or state is None:
            return None
        head = found[0]
        self._forced, self._before, self._start = head.forced, head.seconds, time.perf_counter()
        self._tell({"event": "resumed", "step": head.step, "total": head.total})
        return {**state, "step": head.step}


def encode(state: Mapping[str, Any]) -> bytes:
    """A mapping name -> value to bytes. The values are copied, so they may change afterwards."""
    parts: list[bytes] = []
    tree = _tree(state, "the state", parts)
    return b"".join([json.dumps(tree).encode(), b"\n", *parts])


def decode(body: bytes) -> dict[str, Any]:
    """The same values, in memory of their own."""
    line, _, raw = body.partition(b"\n")
    try:
        state = _value(json.loads(line), memoryview(raw))
        if isinstance(state, dict):
            return state
    except _BROKEN:
        pass
    raise RunError("its file is damaged")


def _tree(value: Any, what: str, parts: list[bytes]) -> Any:
    """JSON that says what a value is; numbers go to `parts`."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_tree(child, f"{what}[{place}]", parts) for place, child in enumerate(value)]}
    if isinstance(value, Mapping):
        for key in value:
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise RecipeError(f"{what} has the key {key!r}", hint="keys are texts or whole numbers")
        return {"map": [[key, _tree(child, f"{what}[{key!r}]", parts)] for key, child in value.items()]}
    if hasattr(value, "detach"):
        return {"tensor": [*_dense_tensor(value, what, parts)]}
    if hasattr(value, "dtype") and hasattr(value, "tobytes") and not value.dtype.hasobject:
        raw = value.tobytes()
        parts.append(raw)
        return {"array": [value.dtype.str, list(value.shape), sum(map(len, parts[:-1])), len(raw)]}
    message = f"{what} is a {type(value).__name__}"
    raise RecipeError(message, hint="tensors, arrays, JSON values, and lists and mappings of them can be kept")


def _dense_tensor(value: Any, what: str, parts: list[bytes]) -> tuple[str, list[int], int, int]:
    import torch

    if value.layout != torch.strided or value.is_quantized:
        raise RecipeError(f"{what} is a tensor of layout {value.layout}", hint="only dense tensors can be kept")
    start = sum(map(len, parts))
    parts.append(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return str(value.dtype).removeprefix("torch."), list(value.shape), start, len(parts[-1])


def _value(tree: Any, raw: memoryview) -> Any:
    if isinstance(tree, list):
        raise ValueError("a list says its kind")
    if not isinstance(tree, dict):
        return tree
    ((kind, told),) = tree.items()
    if kind in ("list", "tuple"):
        children = [_value(child, raw) for child in told]
        return children if kind == "list" else tuple(children)
    if kind == "map":
        return {key: _value(child, raw) for key, child in told}
    dtype, shape, start, length = told
    numbers = bytes(raw[start : start + length])
    return _tensor(dtype, shape, numbers) if kind == "tensor" else _array(dtype, shape, numbers)


def _tensor(dtype: str, shape: list[int], numbers: bytes) -> Any:
    import torch

    tensor = torch.empty(shape, dtype=getattr(torch, dtype))  # aligned as torch aligns: some kernels' last bits follow
    if numbers:
        tensor.reshape(-1).view(torch.uint8).copy_(torch.frombuffer(bytearray(numbers), dtype=torch.uint8))
    return tensor


def _array(dtype: str, shape: list[int], numbers: bytes) -> Any:
    import numpy

    return numpy.frombuffer(numbers, numpy.dtype(dtype)).reshape(shape).copy()
