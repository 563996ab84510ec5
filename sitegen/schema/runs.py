"""A baked run: run.json as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from sitegen.schema.base import Precision
from sitegen.schema.recipes import Output

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Series:
    """A named array. `values` is flat, row-major over `axes`; `coordinates` gives each axis its labels."""

    axes: tuple[str, ...]
    coordinates: dict[str, list[int | float | str]]
    shape: tuple[int, ...]
    precision: Precision
    values: list[int | float]
    tolerance: float | None = None

    def at(self, *indices: int) -> list[int | float]:
        """The flat values of the sub-array at the leading `indices` (one number is a list of one)."""
        start, size = 0, len(self.values)
        for index, length in zip(indices, self.shape, strict=False):
            if not 0 <= index < length:
                raise IndexError(f"index {index} outside an axis of length {length}")
            size //= length
            start += index * size
        return self.values[start : start + size]

    def rows(self, *indices: int) -> Iterator[list[int | float]]:
        """The rows (last axis) of the sub-array at the leading `indices`."""
        flat, width = self.at(*indices), self.shape[-1]
        return (flat[k : k + width] for k in range(0, len(flat), width))


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured number; `better` says which way is good."""

    value: int | float
    unit: str | None = None
    better: Literal["higher", "lower"] | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A baked picture beside run.json: its file, the sha256 of its bytes, pixel size, and its alt text."""

    file: str
    sha256: str
    width: int
    height: int
    alt: str


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one weight lies in `weights.bin`: little-endian, row-major, `offset` in bytes.

    Quantised weights say their own dtype. A weight of int8 has a float32 for each index of its first axis, which the
    numbers there are multiplied with; `scale` is where these lie, in bytes. What is None is not written.
    """

    checkpoint: int
    name: str
    shape: tuple[int, ...]
    offset: int
    dtype: Literal["float32", "int8"] | None = None  # else that of all weights
    scale: int | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    file: str
    sha256: str
    dtype: Literal["float64", "float32"]
    tensors: list[Tensor]

    @property
    def quantised(self) -> bool:
        """Whether some of it was rounded to be shipped."""
        return any(tensor.dtype == "int8" for tensor in self.tensors)


@dataclass(frozen=True, slots=True)
class Array:
    """A dense array in JSON: flat values, row-major."""

    shape: tuple[int, ...]
    values: list[int | float]


@dataclass(frozen=True, slots=True)
class Probe:
    """Inputs and torch's exact outputs; `engine` names the page's function that recomputes them."""

    engine: str
    checkpoint: int | None
    inputs: dict[str, Any]
    outputs: dict[str, Array]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything that decides the bytes of a run."""

    recipe: str  # "models.curves.circle:grow"
    closure: dict[str, str]  # module -> sha256 of its syntax tree
    data: dict[str, str]  # data file -> sha256
    needs: dict[str, str]  # run -> its digest
    versions: dict[str, str]  # torch, numpy, matplotlib, pillow
    environment: dict[str, str]  # pinned variables
    threads: int
    dtype: str
    platform: str  # platform class, "linux-x86_64-v3"


@dataclass(frozen=True, slots=True)
class Run:
    """One baked run: `run.json` as a value. `digest` covers all of it, weights and pictures included."""

    format: int
    run: str
    chapter: str
    act: int
    seed: int
    parameters: dict[str, Any]
    outputs: dict[str, Output]
    metrics: dict[str, Metric]
    series: dict[str, Series]
    examples: dict[str, Any]
    images: dict[str, Image]
    weights: Weights | None
    probe: Probe | None
    provenance: Provenance
    digest: str

    @property
    def timed(self) -> tuple[str, ...]:
        """The series that say how fast a machine was: declared here, measured in timings.json."""
        return tuple(sorted(name for name, output in self.outputs.items() if output.precision == "never"))


@dataclass(frozen=True, slots=True)
class Timings:
    """timings.json: how fast this machine baked the run, and the pictures of that. In no digest, never compared."""

    processor: str
    seconds: float  # the whole bake
    series: dict[str, Series] = field(default_factory=dict)
    images: dict[str, Image] = field(default_factory=dict)
    digest: str = ""
