"""An exported run and its recipe's draw functions to PNG files, the same bytes wherever they are drawn."""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sitegen.recipes import Picture
from sitegen.schema import Run, Timings

_DPI = 200
# A white card with dark ink, which stands well on a light page and on a dark one.
_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#5b6270",
    "axes.facecolor": "#ffffff",
    "axes.grid": True,
    "axes.labelcolor": "#1d2230",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlecolor": "#1d2230",
    "figure.constrained_layout.use": True,
    "figure.dpi": _DPI,
    "figure.facecolor": "#ffffff",
    "font.size": 10,
    "grid.color": "#e3e6ec",
    "grid.linewidth": 0.8,
    "image.cmap": "viridis",
    "image.interpolation": "nearest",
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "mathtext.fontset": "dejavusans",
    "savefig.dpi": _DPI,
    "savefig.facecolor": "#ffffff",
    "svg.hashsalt": "sitegen",
    "text.color": "#1d2230",
    "xtick.color": "#5b6270",
    "ytick.color": "#5b6270",
}


def draw(
    run: Run, pictures: Mapping[str, Picture], fonts: Sequence[Path], timings: Timings | None = None
) -> dict[str, bytes]:
    """Picture name -> PNG; those of timings only if these are given. `fonts` are the only ones beside matplotlib's own,
    so that no installed font enters."""
    import matplotlib

    matplotlib.use("Agg")
    families = _use_fonts(fonts)
    drawn = {}
    for name, picture in pictures.items():
        if picture.of_timings and timings is None:
            continue
        shown = (run, timings) if picture.of_timings else (run,)
        with warnings.catch_warnings(), matplotlib.rc_context():
            warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(_STYLE)
            matplotlib.rcParams["font.family"] = [*families, "DejaVu Sans"]
            drawn[name] = _draw(picture, *shown)
    return drawn


def size_of_png(png: bytes) -> tuple[int, int]:
    """(width, height) in pixels."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _draw(picture: Picture, *shown: Run | Timings | None) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=picture.size)
    FigureCanvasAgg(figure)
    picture.function(*shown, figure.subplots(*(picture.subplots or (1, 1))))
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _use_fonts(fonts: Sequence[Path]) -> list[str]:
    """Take away the fonts of the machine, add our own; gives the families that were added."""
    from matplotlib import font_manager, get_data_path

    manager = font_manager.fontManager
    manager.ttflist = [entry for entry in manager.ttflist if Path(entry.fname).is_relative_to(get_data_path())]
    for font in fonts:
        manager.addfont(font)
    added = {str(font) for font in fonts}
    return sorted({entry.name for entry in manager.ttflist if entry.fname in added})
