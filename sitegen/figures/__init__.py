"""A figure as written, its kind and its run to a Figure: everything looked up, checked, and put into words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.errors import FigureError, RunError, SitegenError, nearest
from sitegen.figures.entries import record_problems
from sitegen.figures.ranges import allowed
from sitegen.figures.tables import problems, tables, whole_tables
from sitegen.markdown.markers import ROOT
from sitegen.schema import Figure, FigureKind, FigureRef, Image, Json, Location, Run, Step, Timings
from sitegen.values import closest

__all__ = ["STILL", "Known", "data_path", "resolve", "state_errors", "timings_path", "whole_tables"]

STILL = "still.html.j2"  # what stands in a figure of a kind without a template of its own


class Known(Struct, frozen=True):
    """What figures may ask for. `runs` are those that could be read, what is
    `unusable` or broken was told elsewhere; `timings` has an error where those of a run cannot be had."""

    kinds: Mapping[str, FigureKind]
    runs: Mapping[str, Run]
    fresh: Mapping[str, bool]
    unusable: frozenset[str] = frozenset()
    broken_kinds: frozenset[str] = frozenset()
    verified: frozenset[str] = frozenset()
    timings: Mapping[str, Timings | RunError] = field(default_factory=dict)


def data_path(run: Run) -> str:
    """What the published files of a run are called, from the site's root, without their ending."""
    return f"data/{run.run}.{run.digest[:12]}"


def timings_path(run: Run, timings: Timings) -> str:
    """The same for what a machine measured, which may change while the run does not."""
    return f"data/{run.run}-timings.{timings.digest[:12]}"


def resolve(ref: FigureRef, known: Known, errors: list[SitegenError]) -> Figure | None:
    """The figure for whichever page shows it, so its addresses begin with the marker ROOT; None, and its errors, if it
    asks for what is not there."""
    before = len(errors)
    kind = known.kinds.get(ref.kind)
    if kind is None:
        if ref.kind and ref.kind not in known.broken_kinds:
            hint = nearest(ref.kind, known.kinds)
            errors.append(FigureError(f"there is no figure kind {ref.kind!r}", at=ref.at, hint=hint))
        return None
    run = _run(ref, kind, known, errors)
    if not run and (ref.run or kind.needs_run):
        return None
    timed = bool(run and (set(kind.series) & set(run.timed) or (ref.still and ref.still not in run.images)))
    timings = known.timings.get(run.run) if run else None
    if isinstance(timings, RunError):
        if timed:
            errors.append(FigureError(timings.message, at=ref.place("run"), hint=timings.hint))
            return None
        timings = None
    pictures = _pictures(run, timings) if run else {}
    if run and timings:  # what figures ask for are the series and pictures of both
        run = replace(run, series=run.series | timings.series, images=run.images | timings.images)
    errors += _series_errors(ref, kind, run)
    errors += _example_errors(ref, kind, run)
    options = _complete(kind.options, ref.options, run)
    state = _complete(kind.state, ref.state, run)
    errors += _errors("option", kind.options, ref.options, run, lambda name: ref.place(f"options.{name}"))
    errors += _errors("state", kind.state, ref.state, run, lambda name: ref.place(f"state.{name}"))
    image = _image(ref, kind, run, errors)
    if len(errors) > before:
        return None
    base = f"{ROOT}{data_path(run)}" if run else None
    return Figure(
        ref=replace(ref, options=options),
        kind=kind,
        run=run,
        fresh=bool(run) and known.fresh.get(ref.run or "", True),
        verified=ref.run in known.verified,
        image=image,
        image_href=pictures[ref.still] if ref.still else None,
        data_href=f"{base}.json" if run else None,
        weights_href=f"{base}.bin" if run and run.weights else None,
        state=state,
        tables=tuple(tables(kind.tables, run, state)) if run else (),
        command=f"sitegen train --run {run.run}" if run else "",
        timings=timings if timed else None,
        measured=timings.digest if timings else "",
        timings_href=f"{ROOT}{timings_path(run, timings)}.json" if run and timings and timed else None,
        pictures=pictures,
        allowed={
            name: found
            for name, entry in kind.state.items()
            if (found := allowed(entry, _labels(entry, run))) is not None
        },
    )


def state_errors(step: Step, figure: Figure) -> Iterator[SitegenError]:
    """What is wrong with the state a step gives to the figure it shares with the step before."""
    if at := step.state_at:
        places = step.state_places
        yield from _errors("state", figure.kind.state, step.state, figure.run, lambda name: places.get(name, at))
        images = figure.run.images if figure.run else {}
        if step.still and step.still not in images:
            yield _no_picture(step.still, figure.run, places.get("still", at))


def _run(ref: FigureRef, kind: FigureKind, known: Known, errors: list[SitegenError]) -> Run | None:
    if ref.run is not None and ref.run in known.runs:
        return known.runs[ref.run]
    if ref.run is None:
        if kind.needs_run:
            hint = 'add run = "name"; ' + (nearest("", known.runs) or "bake one with sitegen train")
            errors.append(FigureError(f"a figure of kind {kind.name!r} needs a run", at=ref.at, hint=hint))
    elif ref.run not in known.unusable:
        hint = nearest(ref.run, known.runs) or "bake it: sitegen train"
        errors.append(FigureError(f"run {ref.run!r} is not baked", at=ref.place("run"), hint=hint))
    return None


def _pictures(run: Run, timings: Timings | None) -> dict[str, str]:
    """Where each picture of a run is published."""
    found = {name: f"{ROOT}{data_path(run)}-{name}.png" for name in run.images}
    if timings:
        found |= {name: f"{ROOT}{timings_path(run, timings)}-{name}.png" for name in timings.images}
    return found


def _series_errors(ref: FigureRef, kind: FigureKind, run: Run | None) -> Iterator[SitegenError]:
    for name, axes in kind.series.items() if run else ():
        assert run is not None
        if name not in run.series:
            message = f"run {run.run!r} has no series {name!r}, which the kind {kind.name!r} draws"
            yield FigureError(message, at=ref.place("run"), hint=nearest(name, run.series))
        elif run.series[name].axes != axes:
            found = ", ".join(run.series[name].axes)
            needed = ", ".join(axes)
            message = (
                f"series {name!r} of run {run.run!r} has the axes ({found}), the kind {kind.name!r} needs ({needed})"
            )
            yield FigureError(message, at=ref.place("run"), hint=f"see {kind.at.path}")


def _example_errors(ref: FigureRef, kind: FigureKind, run: Run | None) -> Iterator[SitegenError]:
    for table in kind.tables if run else ():
        assert run is not None
        for problem, known in problems(table, run):
            message = f"run {run.run!r} {problem}, which the kind {kind.name!r} writes out"
            yield FigureError(message, at=ref.place("run"), hint=nearest(str(table.get("example")), known))


def _no_picture(still: str, run: Run | None, at: Location) -> FigureError:
    where = f"run {run.run!r}" if run else "a figure without a run"
    return FigureError(f"{where} has no picture {still!r}", at=at, hint=nearest(still, run.images if run else {}))


def _image(ref: FigureRef, kind: FigureKind, run: Run | None, errors: list[SitegenError]) -> Image | None:
    images = run.images if run else {}
    if ref.still in images:
        return images[ref.still]
    if ref.still:
        errors.append(_no_picture(ref.still, run, ref.place("still")))
    elif kind.template == STILL:
        hint = nearest("", images) or "draw one: @recipe.draw"
        errors.append(
            FigureError(
                "this figure needs a still, for paper and pages without scripts",
                at=ref.at,
                hint=f'add still = "name"; {hint}',
            )
        )
    return None


def _complete(
    declared: Mapping[str, Mapping[str, Json]], given: Mapping[str, Json], run: Run | None
) -> dict[str, Json]:
    """Defaults of the kind, then what the author gave; "first" and "last" become the coordinate they stand for."""
    found: dict[str, Json] = {name: _default(entry, run) for name, entry in declared.items() if "default" in entry}
    found.update(
        {name: _at_end(declared[name], value, run) if name in declared else value for name, value in given.items()}
    )
    return found


def _default(entry: Mapping[str, Json], run: Run | None) -> Json:
    return _at_end(entry, entry["default"], run)


def _at_end(entry: Mapping[str, Json], value: Json, run: Run | None) -> Json:
    labels = _labels(entry, run)
    if value in ("first", "last") and labels:
        return labels[0 if value == "first" else -1]
    return value


def _labels(entry: Mapping[str, Json], run: Run | None) -> list[int | float | str]:
    """The coordinates an entry ranges over: those of its axis in any series; checkpoints have an axis of their name."""
    axis = entry.get("axis", "checkpoint" if entry["type"] == "checkpoint" else None)
    for series in run.series.values() if run else ():
        if axis in series.axes:
            return series.coordinates[str(axis)]
    return []


def _errors(
    what: str,
    declared: Mapping[str, Mapping[str, Json]],
    given: Mapping[str, Json],
    run: Run | None,
    place: Callable[[str], Location],
) -> Iterator[SitegenError]:
    for name, value in given.items():
        at = place(name)
        if name not in declared:
            yield FigureError(f"this kind of figure has no {what} {name!r}", at=at, hint=nearest(name, declared))
        elif declared[name]["type"] == "records":
            found = record_problems(name, declared[name], value)
            yield from (FigureError(message, at=at, hint=hint) for message, hint in found)
        elif problem := _problem(declared[name], value, run):
            yield FigureError(f"{what} {name} = {_written(value)} {problem[0]}", at=at, hint=problem[1])


def _problem(entry: Mapping[str, Any], value: Json, run: Run | None) -> tuple[str, str | None] | None:
    """What is wrong with a value, and the way out."""
    kind = entry["type"]
    if kind == "checkpoint":
        labels = _labels(entry, run)
        if value in ("first", "last") or (value in labels and not isinstance(value, bool)):
            return None
        return "is no checkpoint of the run", closest(value, labels)
    if kind == "choice":
        return None if value in entry["values"] else ("is no choice", nearest(str(value), map(str, entry["values"])))
    if kind == "digits":
        good = isinstance(value, str) and re.fullmatch(r"[0-9]+", value)
        return None if good else ("must be a string of digits", 'write "725083"')
    if kind == "text":
        if not isinstance(value, str):
            return "must be a string", "put it in quotes"
        pattern = entry.get("pattern", "(?s:.*)")
        return None if re.fullmatch(pattern, value) else ("is not of its form", f"it must match {pattern}")
    if kind == "truth":
        return None if isinstance(value, bool) else ("must be true or false", None)
    if value in ("first", "last") and "axis" in entry:
        return None
    wanted = int if kind == "integer" else (int, float)
    if isinstance(value, bool) or not isinstance(value, wanted) or value in (math.inf, -math.inf) or value != value:
        return f"must be {'a whole number' if kind == 'integer' else 'a number'}", None
    assert isinstance(value, int | float), "just looked"
    if "min" in entry and value < entry["min"]:
        return "is too small", f"the least is {entry['min']}"
    if "max" in entry and value > entry["max"]:
        return "is too large", f"the most is {entry['max']}"
    return None


def _written(value: Json) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
