"""The values that pass between the stages: places, content, recipes, runs, figures.

All are frozen: a stage returns a new value, it never changes one. Runs are decoded from JSON straight into
these classes (`sitegen.runs`), so their annotations are also the schema of `run.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Number = int | float
Json = None | bool | int | float | str | list[Any] | dict[str, Any]
Precision = Literal["exact", "drawn", "tolerant", "never"]

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file: `path` is relative to the site folder, with forward slashes; lines count from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


# ---------------------------------------------------------------------------------------------- recipes


@dataclass(frozen=True, slots=True)
class Output:
    """One series that a recipe promises: its axes in order and how exactly its numbers are kept."""

    axes: tuple[str, ...]
    precision: Precision = "exact"
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class RecipeInfo:
    """What can be known of a recipe without running it: read from the source by `ast`."""

    name: str
    act: int
    seed: int
    parameters: Mapping[str, Json]
    outputs: Mapping[str, Output]
    needs: tuple[str, ...]
    reference: str | None
    long: bool
    chapter: str  # slug of the chapter whose `models` package holds it
    module: str  # dotted, e.g. "models.curves.circle"
    function: str
    pictures: Mapping[str, str]  # picture name -> alt text
    at: Location


# ------------------------------------------------------------------------------------------------- runs


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
    """Where one weight lies in `weights.bin`: little-endian, row-major, `offset` in bytes."""

    checkpoint: int
    name: str
    shape: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Weights:
    file: str
    sha256: str
    dtype: Literal["float64", "float32"]
    tensors: list[Tensor]


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


# ---------------------------------------------------------------------------------------------- content


@dataclass(frozen=True, slots=True)
class CodeRef:
    """Code quoted by name from `models/`: "models.curves.circle:Circle"."""

    target: str
    at: Location


@dataclass(frozen=True, slots=True)
class Claim:
    """`path operator number`, e.g. "circle.metrics.area == 1"; compared, never evaluated."""

    path: str
    operator: str
    number: float
    text: str
    at: Location


@dataclass(frozen=True, slots=True)
class FigureRef:
    """A figure as the author wrote it: nothing is looked up yet."""

    id: str
    kind: str
    run: str | None
    still: str | None
    alt: str
    caption: str  # inline HTML
    state: Mapping[str, Json]
    options: Mapping[str, Json]
    at: Location


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an act. `figure` is set on the step that brings a figure; `state` goes on from the step before."""

    number: int
    id: str  # "a6-s3"
    title: str
    html: str
    figure: FigureRef | None
    state: Mapping[str, Json]
    at: Location
    state_at: Location | None = None  # where its own {state} stands


@dataclass(frozen=True, slots=True)
class Act:
    number: int
    slug: str
    id: str  # "a6"
    title: str
    lead: str  # HTML before the first step
    steps: tuple[Step, ...]
    after: str  # HTML of the parts after the steps: exercises, the bridge
    code: tuple[CodeRef, ...]
    claims: tuple[Claim, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a chapter that is not an act, or (kind "opening") what stands before all acts."""

    slug: str
    title: str
    kind: Literal["section", "opening"]
    html: str
    figures: tuple[FigureRef, ...]
    code: tuple[CodeRef, ...]
    claims: tuple[Claim, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Chapter:
    number: int
    slug: str
    title: str
    kicker: str
    description: str
    attribution: str  # inline HTML: whose structure and facts the chapter follows
    models: str  # package under models/
    opening: Section | None
    parts: tuple[Act | Section, ...]  # in reading order
    at: Location

    @property
    def acts(self) -> tuple[Act, ...]:
        return tuple(part for part in self.parts if isinstance(part, Act))


@dataclass(frozen=True, slots=True)
class Page:
    slug: str  # "" is the site's index
    title: str
    description: str
    template: str
    html: str
    at: Location


@dataclass(frozen=True, slots=True)
class Site:
    title: str
    description: str
    url: str  # where it is published, or ""
    language: str
    repository: str
    footer: str  # inline HTML
    raw_html: bool
    chapters: tuple[Chapter, ...]
    pages: tuple[Page, ...]
    at: Location


# ---------------------------------------------------------------------------------------------- figures


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A folder of `templates/figures/`: what a figure of this kind needs and which files it brings."""

    name: str
    series: Mapping[str, tuple[str, ...]]  # series the run must have -> its axes
    state: Mapping[str, Mapping[str, Json]]  # state name -> {"type": …, "axis": …, "values": …, "default": …}
    options: Mapping[str, Mapping[str, Json]]
    table: Mapping[str, Json]  # which series the words-and-numbers table shows
    needs_run: bool
    template: str  # path of figure.html.j2 for the loader
    script: str | None
    style: str | None
    at: Location


@dataclass(frozen=True, slots=True)
class Table:
    """A series as words: what a screen reader and paper get."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]  # first cell heads the row


@dataclass(frozen=True, slots=True)
class Figure:
    """A FigureRef joined with its run and kind: all a template needs to draw it."""

    ref: FigureRef
    kind: FigureKind
    run: Run | None
    fresh: bool
    image: Image | None
    image_href: str | None
    data_href: str | None
    weights_href: str | None
    state: Mapping[str, Json]  # defaults of the kind, then the author's
    tables: tuple[Table, ...]
    command: str  # what rebakes it
    extra: Mapping[str, Any] = field(default_factory=dict)
