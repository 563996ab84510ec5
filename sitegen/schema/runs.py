"""A baked run: run.json as values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct, field

from sitegen.schema.base import Precision
from sitegen.schema.recipes import Output

FORMAT_VERSION = 1


class Series(Struct, frozen=True):
    """A named array. `values` is flat, row-major over `axes`; `coordinates` gives each axis its labels."""

    axes: tuple[str, ...]  # names, from the outermost in
    coordinates: dict[str, list[int | float | str]]  # axis -> its labels
    shape: tuple[int, ...]  # how many labels each axis has
    precision: Precision  # how exactly the numbers are kept
    values: list[int | float]  # flat, row-major
    tolerance: float | None = None  # what other machines may miss them by

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


class Metric(Struct, frozen=True):
    """One measured number; `better` says which way is good."""

    value: int | float  # as it was measured
    unit: str | None = None  # "s", "%"
    better: Literal["higher", "lower"] | None = None  # which way is good


class Image(Struct, frozen=True):
    """A baked picture beside run.json: its file, the sha256 of its bytes, pixel size, and its alt text."""

    file: str  # "curve.png"
    sha256: str  # of its bytes
    width: int  # in pixels
    height: int  # in pixels
    alt: str  # what it shows, in words


class Tensor(Struct, frozen=True):
    """Where one weight lies in `weights.bin`: little-endian, row-major, `offset` in bytes.

    Quantised weights say their own dtype. A weight of int8 has a float32 for each index of its first axis, which the
    numbers there are multiplied with; `scale` is where these lie, in bytes. What is None is not written.
    """

    checkpoint: int  # the training step
    name: str  # as torch names it
    shape: tuple[int, ...]  # of the array
    offset: int  # in bytes
    dtype: Literal["float32", "int8"] | None = None  # else that of all weights
    scale: int | None = None  # where the scales of int8 rows lie, in bytes


class Weights(Struct, frozen=True):
    file: str  # "weights.bin"
    sha256: str  # of its bytes
    dtype: Literal["float64", "float32"]  # of all that say no other
    tensors: list[Tensor]  # where each lies

    @property
    def quantised(self) -> bool:
        """Whether some of it was rounded to be shipped."""
        return any(tensor.dtype == "int8" for tensor in self.tensors)


class Array(Struct, frozen=True):
    """A dense array in JSON: flat values, row-major."""

    shape: tuple[int, ...]  # of the array
    values: list[int | float]  # flat, row-major


class Probe(Struct, frozen=True):
    """Inputs and torch's exact outputs; `engine` names the page's function that recomputes them."""

    engine: str  # the function of `js/engine/` that answers
    checkpoint: int | None  # whose weights it takes
    inputs: dict[str, Any]  # JSON values or arrays, by name
    outputs: dict[str, Array]  # what torch gave, by name


class Provenance(Struct, frozen=True):
    """Everything that decides the bytes of a run."""

    recipe: str  # "models.curves.circle:grow"
    closure: dict[str, str]  # module -> sha256 of its syntax tree
    data: dict[str, str]  # data file -> sha256
    needs: dict[str, str]  # run -> its digest
    versions: dict[str, str]  # torch, numpy, matplotlib, pillow
    environment: dict[str, str]  # pinned variables
    threads: int  # of the bake: 1
    dtype: str  # of the computation
    platform: str  # platform class, "linux-x86_64-v3"


class Run(Struct, frozen=True):
    """One baked run: `run.json` as a value. `digest` covers all of it, weights and pictures included."""

    format: int  # 1
    run: str  # its name, also that of its folder
    chapter: str  # slug
    act: int  # number
    seed: int  # as declared
    parameters: dict[str, Any]  # as declared
    outputs: dict[str, Output]  # the series that were declared
    metrics: dict[str, Metric]  # single numbers, by name
    series: dict[str, Series]  # arrays, by name
    examples: dict[str, Any]  # any JSON values, by name
    images: dict[str, Image]  # pictures, by name
    weights: Weights | None  # where it keeps some
    probe: Probe | None  # what a page can compute again
    provenance: Provenance  # what its bytes follow from
    digest: str  # sha256 of the canonical JSON without this line

    @property
    def timed(self) -> tuple[str, ...]:
        """The series that say how fast a machine was: declared here, measured in timings.json."""
        return tuple(sorted(name for name, output in self.outputs.items() if output.precision == "never"))


class Timings(Struct, frozen=True):
    """timings.json: how fast this machine baked the run, and the pictures of that. In no digest, never compared."""

    processor: str  # its name
    seconds: float  # the whole bake
    series: dict[str, Series] = field(default_factory=dict)  # those declared with `never`
    images: dict[str, Image] = field(default_factory=dict)  # pictures of them
    digest: str = ""  # of its own
