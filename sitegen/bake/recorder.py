"""What a recipe records, checked as it comes: the `Bake` of `sitegen.recipes`, for real."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from sitegen import runs
from sitegen.bake.arrays import flatten, float_type, plain, raw_bytes
from sitegen.bake.data import find
from sitegen.bake.keeping import Keeper
from sitegen.bake.quantise import quantised
from sitegen.errors import RecipeError, nearest
from sitegen.runs.weights import Packable
from sitegen.schema import Array, Json, Metric, Output, Probe, RecipeInfo, Run, Series, Tensor


class Recorder:
    """Takes what a recipe gives, as plain Python values. `tell(step, total, values)` reports progress."""

    def __init__(
        self,
        info: RecipeInfo,
        site_dir: Path,
        tell: Callable[[int, int, dict[str, float]], None],
        keeper: Keeper | None = None,
    ) -> None:
        self._info, self._site, self._tell, self._keeper = info, site_dir, tell, keeper
        self._total: int | None = None
        self._tensors: dict[int, dict[str, Packable]] = {}
        self._dtypes: set[str] = {info.dtype} if info.dtype else set()  # as declared, and of the weights
        self._before_rounding: str | None = None  # dtype of the first quantised weight
        self._needed: dict[str, Run] = {}
        self.found_series: dict[str, Series] = {}
        self.never_compared: dict[str, Series] = {}
        self.metrics: dict[str, Metric] = {}
        self.examples: dict[str, Json] = {}
        self.found_probe: Probe | None = None
        self.data_files: dict[str, str] = {}
        self.computed_in: str | None = None

    @property
    def seed(self) -> int:
        return self._info.seed

    @property
    def parameters(self) -> Mapping[str, Any]:
        return MappingProxyType(dict(self._info.parameters))

    def progress(self, step: int, total: int, **values: Any) -> None:
        numbers = {name: self._number(f"{name!r}", value, f" at step {step}") for name, value in values.items()}
        self._total = int(total)
        self._tell(int(step), self._total, numbers)

    def keep(self, step: int, state: Mapping[str, Any]) -> None:
        if "step" in state:
            raise RecipeError("the state to keep has a 'step' of its own", hint="give it another name")
        if self._keeper:
            self._keeper.keep(int(step), self._total, state)

    def kept(self) -> dict[str, Any] | None:
        return self._keeper.kept() if self._keeper else None

    def series(self, name: str, values: Any, **coordinates: Any) -> None:
        output = self._info.outputs.get(name)
        if output is None:
            hint = nearest(name, self._info.outputs) or f'declare it in @recipe: {name}=exact("step")'
            raise RecipeError(f"series {name!r} is not declared", hint=hint)
        if name in self.found_series or name in self.never_compared:
            raise RecipeError(f"series {name!r} is recorded twice", hint="record it once, with all its values")
        if surplus := sorted(set(coordinates) - set(output.axes)):
            message = f"series {name!r} has no axis {surplus[0]!r}"
            raise RecipeError(message, hint=f"it is declared with the axes {_spelled(output.axes)}")
        shape, flat = flatten(values, f"series {name!r}")
        if len(shape) != len(output.axes):
            message = f"series {name!r} has {len(shape)} axes, shape {shape}, not {len(output.axes)}"
            raise RecipeError(message, hint=f"it is declared with the axes {_spelled(output.axes)}")
        lengths = dict(zip(output.axes, shape, strict=True))
        labels = {axis: _labels(axis, coordinates.get(axis, range(length))) for axis, length in lengths.items()}
        for axis, length in lengths.items():
            if len(labels[axis]) != length:
                message = f"series {name!r} has {length} values along {axis!r}, but {len(labels[axis])} coordinates"
                raise RecipeError(message, hint=f"its shape is {shape}, over the axes {_spelled(output.axes)}")
        for index, value in enumerate(flat):
            if not math.isfinite(value):
                where = _place(index, shape, output.axes, labels)
                raise RecipeError(f"series {name!r} is {value}{where}", hint="only finite numbers can be recorded")
        self._note_dtype(values)
        kept = self.never_compared if output.precision == "never" else self.found_series
        kept[name] = Series(
            output.axes, labels, shape, output.precision, _kept(flat, output), output.tolerance,
        )  # fmt: skip

    def metric(
        self, name: str, value: Any, unit: str | None = None, better: Literal["higher", "lower"] | None = None
    ) -> None:
        if name in self.metrics:
            raise RecipeError(f"metric {name!r} is recorded twice", hint="record it once, at the end")
        if better not in (None, "higher", "lower"):
            raise RecipeError(f"better={better!r} of metric {name!r}", hint='it is "higher", "lower" or left out')
        self.metrics[name] = Metric(self._number(f"metric {name!r}", value), unit, better)

    def example(self, name: str, value: Json) -> None:
        if name in self.examples:
            raise RecipeError(f"example {name!r} is recorded twice", hint="give it another name, or make it a list")
        self.examples[name] = plain(value, f"example {name!r}")

    def weights(self, checkpoint: int, tensors: Mapping[str, Any]) -> None:
        for name, tensor in tensors.items():
            self._dtypes.add(float_type(tensor) or f"{getattr(tensor, 'dtype', type(tensor).__name__)}")
            if len(self._dtypes) > 1 or not self._dtypes <= {"float64", "float32"}:
                message = f"weight {name!r} at checkpoint {checkpoint}: dtypes {_spelled(sorted(self._dtypes))}"
                raise RecipeError(message, hint="all weights of a run are float64, or all are float32, as declared")
        self._add(int(checkpoint), {name: raw_bytes(tensor, name) for name, tensor in tensors.items()})

    def quantised_weights(self, checkpoint: int, tensors: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: quantised(tensor, name) for name, tensor in tensors.items()}
        self._before_rounding = self._before_rounding or next(map(float_type, tensors.values()), None)
        self._add(int(checkpoint), {name: packable for name, (packable, _) in kept.items()})
        return {name: array for name, (_, array) in kept.items()}

    def _add(self, checkpoint: int, tensors: Mapping[str, Packable]) -> None:
        before = self._tensors.setdefault(checkpoint, {})
        if twice := sorted(before.keys() & tensors.keys()):
            raise RecipeError(f"weight {twice[0]!r} at checkpoint {checkpoint} is recorded twice")
        before.update(tensors)

    def probe(
        self, engine: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], checkpoint: int | None = None
    ) -> None:
        if self.found_probe:
            raise RecipeError("a probe is recorded twice", hint="a run has one probe; give it more outputs")
        arrays = {name: flatten(value, f"probe output {name!r}") for name, value in outputs.items()}
        for name, (_, flat) in arrays.items():
            if not all(map(math.isfinite, flat)):
                raise RecipeError(f"probe output {name!r} is not finite", hint="only finite numbers can be recorded")
        given = {name: plain(value, f"probe input {name!r}") for name, value in inputs.items()}
        exact = {name: Array(shape, flat) for name, (shape, flat) in arrays.items()}
        self.found_probe = Probe(engine, checkpoint, given, exact)

    def need(self, name: str) -> Run:
        if name not in self._info.needs:
            hint = nearest(name, self._info.needs) or f'declare it in @recipe: needs=("{name}",)'
            raise RecipeError(f"run {name!r} is not declared as a need", hint=hint)
        if name not in self._needed:
            self._needed[name] = runs.load(runs.runs_folder(self._site) / name)
        return self._needed[name]

    def need_weights(self, name: str, checkpoint: int) -> dict[str, Any]:
        import numpy

        run = self.need(name)
        data = runs.load_weights(runs.runs_folder(self._site) / name, run)
        assert run.weights, "load_weights raises where there are none"
        code = numpy.dtype(run.weights.dtype).newbyteorder("<")
        found = runs.slices(run.weights, data, checkpoint)
        native = run.weights.dtype
        return {key: numpy.frombuffer(raw, code).astype(native).reshape(shape) for key, (shape, raw) in found.items()}

    def data(self, name: str, *, sha256: str, url: str | None = None, also: Sequence[str | Path] = ()) -> Path:
        places = [self._site / place for place in also]
        found = find(name, sha256=sha256, url=url, also=places)
        self.data_files[name] = sha256
        return found

    def missing(self) -> Iterator[str]:
        """Declared series that were not recorded."""
        return (name for name in self._info.outputs if name not in self.found_series | self.never_compared)

    def packed_weights(self) -> tuple[list[Tensor], bytes, str] | None:
        """Table of contents, bytes and dtype of what `weights` recorded."""
        if not self._tensors:
            return None
        dtype = next(iter(self._dtypes), "float32")  # of quantised ones alone, what they stand for
        return *runs.pack(self._tensors, dtype), dtype

    def _number(self, what: str, value: Any, where: str = "") -> int | float:
        shape, flat = flatten(value, what)
        if len(flat) != 1:
            raise RecipeError(f"{what} has shape {shape}{where}", hint="give one number")
        if not math.isfinite(flat[0]):
            raise RecipeError(f"{what} is {flat[0]}{where}", hint="training went wrong before this: look at its rate")
        self._note_dtype(value)
        return flat[0]

    def _note_dtype(self, value: Any) -> None:
        self.computed_in = self.computed_in or float_type(value)

    @property
    def dtype(self) -> str:
        """What the run was computed in: as declared, or the weights' dtype, or that of the first tensor recorded."""
        return next(iter(self._dtypes), self._before_rounding or self.computed_in or "float64")


def _kept(flat: list[int | float], output: Output) -> list[int | float]:
    if output.precision != "drawn":
        return flat
    return [value if isinstance(value, int) else float(f"{value:.6g}") + 0.0 for value in flat]  # + 0.0: no -0.0


def _labels(axis: str, values: Any) -> list[int | float | str]:
    labels = plain(values, f"coordinates of {axis!r}")
    if not isinstance(labels, list) or not all(isinstance(label, (int, float, str)) for label in labels):
        raise RecipeError(f"coordinates of {axis!r} are not a flat list", hint="one number or text a value of the axis")
    return labels


def _place(index: int, shape: Sequence[int], axes: Sequence[str], labels: Mapping[str, Sequence[Any]]) -> str:
    """The flat index as coordinates: " at step 137, head 0"."""
    parts = []
    for axis, length in reversed(list(zip(axes, shape, strict=True))):
        index, here = divmod(index, length)
        parts.append(f"{axis} {labels[axis][here]}")
    return f" at {', '.join(reversed(parts))}" if parts else ""


def _spelled(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"
