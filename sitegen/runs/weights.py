"""weights.bin to numbers and back: little-endian, row-major, one tensor behind the other."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping
from typing import Literal, NamedTuple

from sitegen.errors import RunError
from sitegen.schema import Tensor, Weights

_CODES: dict[str, Literal["d", "f"]] = {"float64": "d", "float32": "f"}
_WIDTHS = {"float64": 8, "float32": 4, "int8": 1}


class Quantised(NamedTuple):
    """A tensor as `bake.quantised_weights` keeps it: int8 and the float32 of each row, or float32 where there are no
    `scales`."""

    shape: tuple[int, ...]
    data: bytes
    scales: bytes | None


Packable = tuple[tuple[int, ...], bytes] | Quantised  # shape, little-endian bytes


def nbytes(tensor: Tensor, dtype: str) -> int:
    """The bytes of one tensor in the file, without those of its scales; `dtype` is that of all weights."""
    return math.prod(tensor.shape) * _WIDTHS[tensor.dtype or dtype]


def checkpoints(weights: Weights) -> tuple[int, ...]:
    """The training steps whose weights are kept, in order."""
    return tuple(sorted({tensor.checkpoint for tensor in weights.tensors}))


def pack(tensors: Mapping[int, Mapping[str, Packable]], dtype: str) -> tuple[list[Tensor], bytes]:
    """checkpoint -> name -> tensor to the table of contents and the file. Scales lie behind what they scale."""
    contents, parts, offset = [], [], 0
    for checkpoint in sorted(tensors):
        for name, kept in tensors[checkpoint].items():
            shape, data = kept[:2]
            tensor = Tensor(checkpoint, name, shape, offset)
            if isinstance(kept, Quantised):
                end = None if kept.scales is None else offset + len(data)
                tensor = Tensor(checkpoint, name, shape, offset, "float32" if kept.scales is None else "int8", end)
                data += kept.scales or b""
            elif len(data) != nbytes(tensor, dtype):
                raise RunError(f"weight {name!r} has {len(data)} bytes, which is not {dtype} of shape {shape}")
            contents.append(tensor)
            parts.append(data)
            offset += len(data)
    return contents, b"".join(parts)


def slices(weights: Weights, data: bytes, checkpoint: int) -> dict[str, tuple[tuple[int, ...], bytes]]:
    """The tensors of a checkpoint: name -> (shape, little-endian bytes in the dtype of all weights).

    Quantised ones come as the numbers they stand for.
    """
    here = [tensor for tensor in weights.tensors if tensor.checkpoint == checkpoint]
    if not here:
        known = ", ".join(map(str, checkpoints(weights)))
        raise RunError(f"no weights are kept at checkpoint {checkpoint}", hint=f"kept: {known}")
    return {tensor.name: (tensor.shape, _bytes(tensor, weights.dtype, data)) for tensor in here}


def unpack(weights: Weights, data: bytes, checkpoint: int) -> dict[str, array[float]]:
    """The tensors of a checkpoint as flat arrays of numbers, row-major; needs no numpy."""
    return {name: _numbers(raw, _CODES[weights.dtype]) for name, (_, raw) in slices(weights, data, checkpoint).items()}


def _bytes(tensor: Tensor, dtype: str, data: bytes) -> bytes:
    raw = data[tensor.offset : tensor.offset + nbytes(tensor, dtype)]
    if (tensor.dtype or dtype) == dtype:
        return raw
    found = _numbers(raw, "f") if tensor.scale is None else _dequantised(tensor, raw, data)
    wide = array(_CODES[dtype], found)
    if sys.byteorder == "big":
        wide.byteswap()
    return wide.tobytes()


def _dequantised(tensor: Tensor, raw: bytes, data: bytes) -> array[float]:
    """float32: each product is exact in float64, and rounded once."""
    assert tensor.scale is not None, "int8 has scales: soundness.py"
    width = math.prod(tensor.shape[1:])
    scales = _numbers(data[tensor.scale : tensor.scale + 4 * tensor.shape[0]], "f")
    whole = array("b", raw)
    return array("f", (scale * q for k, scale in enumerate(scales) for q in whole[k * width : (k + 1) * width]))


def _numbers(raw: bytes, code: Literal["d", "f"]) -> array[float]:
    flat = array(code)
    flat.frombytes(raw)
    if sys.byteorder == "big":
        flat.byteswap()
    return flat
