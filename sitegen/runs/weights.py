"""weights.bin to numbers and back: little-endian, row-major, one tensor behind the other."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping
from typing import Literal

from sitegen.errors import RunError
from sitegen.schema import Tensor, Weights

_CODES: dict[str, Literal["d", "f"]] = {"float64": "d", "float32": "f"}


def nbytes(tensor: Tensor, dtype: str) -> int:
    """The bytes of one tensor in the file."""
    return math.prod(tensor.shape) * (8 if dtype == "float64" else 4)


def checkpoints(weights: Weights) -> tuple[int, ...]:
    """The training steps whose weights are kept, in order."""
    return tuple(sorted({tensor.checkpoint for tensor in weights.tensors}))


def pack(tensors: Mapping[int, Mapping[str, tuple[tuple[int, ...], bytes]]], dtype: str) -> tuple[list[Tensor], bytes]:
    """checkpoint -> name -> (shape, little-endian bytes) to the table of contents and the file."""
    contents, parts, offset = [], [], 0
    for checkpoint in sorted(tensors):
        for name, (shape, data) in tensors[checkpoint].items():
            contents.append(Tensor(checkpoint, name, shape, offset))
            if len(data) != nbytes(contents[-1], dtype):
                raise RunError(f"weight {name!r} has {len(data)} bytes, which is not {dtype} of shape {shape}")
            parts.append(data)
            offset += len(data)
    return contents, b"".join(parts)


def slices(weights: Weights, data: bytes, checkpoint: int) -> dict[str, tuple[tuple[int, ...], bytes]]:
    """The tensors of a checkpoint: name -> (shape, little-endian bytes)."""
    here = [tensor for tensor in weights.tensors if tensor.checkpoint == checkpoint]
    if not here:
        known = ", ".join(map(str, checkpoints(weights)))
        raise RunError(f"no weights are kept at checkpoint {checkpoint}", hint=f"kept: {known}")
    return {
        tensor.name: (tensor.shape, data[tensor.offset : tensor.offset + nbytes(tensor, weights.dtype)])
        for tensor in here
    }


def unpack(weights: Weights, data: bytes, checkpoint: int) -> dict[str, array[float]]:
    """The tensors of a checkpoint as flat arrays of numbers, row-major; needs no numpy."""
    flat: dict[str, array[float]] = {}
    for name, (_, raw) in slices(weights, data, checkpoint).items():
        flat[name] = array(_CODES[weights.dtype])
        flat[name].frombytes(raw)
        if sys.byteorder == "big":
            flat[name].byteswap()
    return flat
