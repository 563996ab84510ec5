"""What a model's module imports: the `recipe` decorator, the output markers, and what a recipe may call on `Bake`.

Nothing heavy is imported here, and a decorated recipe registers itself nowhere: it is a value. `discover` reads the
same declarations from the source, without importing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.discovery import discover, model_packages
from sitegen.errors import RecipeError
from sitegen.schema import Json, Output, Run

__all__ = ["Bake", "Picture", "Recipe", "discover", "drawn", "exact", "model_packages", "never", "recipe", "tolerant"]


def exact(*axes: str) -> Output:
    """A series kept as it is, to 17 digits."""
    return Output(axes, "exact")


def drawn(*axes: str) -> Output:
    """A series that is only looked at: 6 significant digits."""
    return Output(axes, "drawn")


def tolerant(*axes: str, tolerance: float) -> Output:
    """A series that other machines may miss by `tolerance`."""
    return Output(axes, "tolerant", tolerance)


def never(*axes: str) -> Output:
    """A series that is never compared, such as seconds and what follows from them: it goes to timings.json alone."""
    return Output(axes, "never")


class Bake(Protocol):
    """What a recipe is given. `ArrayLike` below is a tensor, an array, a nested list or a number."""

    @property
    def seed(self) -> int:
        """The declared seed."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The declared parameters, read-only."""

    def progress(self, step: int, total: int, **values: ArrayLike) -> None:
        """Tell the reader of the terminal. A value that is not finite fails the bake and names the step."""

    def keep(self, step: int, state: Mapping[str, Any]) -> None:
        """Keep what the bake needs to go on from here, should it be killed: tensors, arrays and JSON values by name,
        also in lists, tuples and mappings. It takes the place of what was kept before."""

    def kept(self) -> dict[str, Any] | None:
        """What a killed bake of this very recipe kept, and its `step`; None if there is nothing to go on with."""

    def series(self, name: str, values: ArrayLike, **coordinates: ArrayLike) -> None:
        """Record a declared series. An axis without coordinates is counted from 0."""

    def metric(
        self, name: str, value: ArrayLike, unit: str | None = None, better: Literal["higher", "lower"] | None = None
    ) -> None:
        """Record one number, and which way is good."""

    def example(self, name: str, value: Json) -> None:
        """Record any JSON value."""

    def weights(self, checkpoint: int, tensors: Mapping[str, Any]) -> None:
        """Record name -> tensor at a training step, all of one dtype, float64 or float32."""

    def quantised_weights(self, checkpoint: int, tensors: Mapping[str, Any]) -> dict[str, Any]:
        """Record name -> tensor, matrices as int8 with a scale for each row (an index of the first axis), vectors as
        float32. Gives name -> the float32 numpy array that is kept, to measure with."""

    def probe(
        self,
        engine: str,
        inputs: Mapping[str, ArrayLike],
        outputs: Mapping[str, ArrayLike],
        checkpoint: int | None = None,
    ) -> None:
        """Record inputs and their exact outputs, and the page's function `engine` that recomputes them."""

    def need(self, name: str) -> Run:
        """A needed run, read from its files."""

    def need_weights(self, name: str, checkpoint: int) -> dict[str, Any]:
        """A needed run's weights at a checkpoint: name -> numpy array."""

    def data(self, name: str, *, sha256: str, url: str | None = None, also: Sequence[str | Path] = ()) -> Path:
        """A data file whose sha256 is right: from SITEGEN_DATA, the places `also`, the cache, or the network."""


ArrayLike: TypeAlias = Any


class Picture(Struct, frozen=True):
    """A still of a run: `function(run, axes)` draws it, or `function(run, timings, axes)` one that shows timings.

    `size` is in inches.
    """

    name: str
    alt: str
    function: Callable[..., None]
    size: tuple[float, float]
    subplots: tuple[int, int] | None
    of_timings: bool = False


class Recipe(Struct, frozen=True):
    """A declared run: calling it with a Bake trains and records."""

    name: str
    act: int
    seed: int
    function: Callable[[Bake], None]
    parameters: Mapping[str, Any]
    outputs: Mapping[str, Output]
    needs: tuple[str, ...]
    reference: str | None
    long: bool
    headline: str | None = None
    dtype: str | None = None
    pictures: dict[str, Picture] = field(default_factory=dict)  # filled by `draw` while the module is imported

    def __call__(self, bake: Bake) -> None:
        self.function(bake)

    def draw(
        self,
        name: str,
        *,
        alt: str,
        size: tuple[float, float] = (6.4, 4.0),
        subplots: tuple[int, int] | None = None,
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a picture. Its function gets the exported run and a matplotlib Axes, or an array of them."""
        return self._adds(Picture(name, alt, _undrawn, size, subplots))

    def draw_timings(
        self,
        name: str,
        *,
        alt: str,
        size: tuple[float, float] = (6.4, 4.0),
        subplots: tuple[int, int] | None = None,
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a picture of what this machine measured; like the timings it is in no digest. Its function gets the
        exported run, its Timings, and a matplotlib Axes, or an array of them."""
        return self._adds(Picture(name, alt, _undrawn, size, subplots, of_timings=True))

    def _adds(self, picture: Picture) -> Callable[[Callable[..., None]], Callable[..., None]]:
        if picture.name in self.pictures:
            raise RecipeError(f"recipe {self.name!r} draws {picture.name!r} twice")

        def add(function: Callable[..., None]) -> Callable[..., None]:
            self.pictures[picture.name] = replace(picture, function=function)
            return function

        return add


def _undrawn(*_: object) -> None:
    """Stands in a picture until its function is known."""


def recipe(
    name: str,
    *,
    act: int,
    seed: int,
    parameters: Mapping[str, Json] | None = None,
    needs: Sequence[str] = (),
    reference: str | None = None,
    headline: str | None = None,
    dtype: Literal["float64", "float32"] | None = None,
    long: bool = False,
    **outputs: Output,
) -> Callable[[Callable[[Bake], None]], Recipe]:
    """Declare a run. All arguments are literals, so that they can be read without importing torch.

    `reference` names the class that `sitegen verify` computes the run with again, `headline` the metric that stands
    for the run in a table, `dtype` what is computed in where no recorded tensor shows it, and `long` marks what
    `sitegen verify --quick` leaves out.
    """

    def declare(function: Callable[[Bake], None]) -> Recipe:
        fixed = MappingProxyType(dict(parameters or {}))
        return Recipe(name, act, seed, function, fixed, outputs, tuple(needs), reference, long, headline, dtype)

    return declare
