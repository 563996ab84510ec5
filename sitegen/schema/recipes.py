"""A recipe as its source declares it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sitegen.schema.base import Json, Location, Precision


class Output(Struct, frozen=True):
    """One series that a recipe promises: its axes in order and how exactly its numbers are kept."""

    axes: tuple[str, ...]  # names, from the outermost in
    precision: Precision = "exact"  # how exactly the numbers are kept
    tolerance: float | None = None  # of a tolerant one


class RecipeInfo(Struct, frozen=True):
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
    headline: str | None = None  # the metric that stands for the run in a table
    dtype: str | None = None  # of the computation, where nothing recorded shows it
    timed_pictures: tuple[str, ...] = ()  # those of `pictures` that are drawn from timings
