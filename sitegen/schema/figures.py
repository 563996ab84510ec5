"""Figure kinds, and figures joined with their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from sitegen.schema.base import Json, Location
from sitegen.schema.content import FigureRef
from sitegen.schema.runs import Image, Run, Timings


class FigureKind(Struct, frozen=True):
    """A folder of `templates/figures/`: what a figure of this kind needs and which files it brings."""

    name: str
    series: Mapping[str, tuple[str, ...]]  # series the run must have -> its axes
    state: Mapping[str, Mapping[str, Json]]  # state name -> {"type": …, "axis": …, "values": …, "default": …}
    options: Mapping[str, Mapping[str, Json]]
    tables: tuple[Mapping[str, Json], ...]  # which series and examples stand in words and numbers
    needs_run: bool
    template: str  # path of figure.html.j2 for the loader
    script: str | None
    style: str | None
    at: Location
    replays: bool = True  # whether its script needs the run: not, where it draws from what the build wrote


class Table(Struct, frozen=True):
    """A series or an example as words: what a screen reader and paper get."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]  # first cell heads the row


class Figure(Struct, frozen=True):
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
    verified: bool = False  # whether the run, as it is here, passed every check of `sitegen verify`
    timings: Timings | None = None  # if it shows any; their series and pictures are then among the run's
    timings_href: str | None = None
    measured: str = ""  # digest of the timings that are among the run's series and pictures, shown or not
    pictures: Mapping[str, str] = field(default_factory=dict)  # picture of the run -> its address
    allowed: Mapping[str, Json] = field(default_factory=dict)  # state name -> its values, or its bounds
    room: str = ""  # its heights once it lives, by its width: "280 443 320 425"
