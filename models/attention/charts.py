"""Marks of the charts in the stills: points, bars, rasters, arrows, and labels that stand on the marks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from models.attention.drawing import CARD, FULL_WEIGHT, INK, LINE, SMALL, SOFT, TEXT, chart, write

MARK = "#a3341f"  # the one thing that a chart points at
OTHERS = "#bdb8ab"  # curves that are there for comparison
WEIGHTS = LinearSegmentedColormap.from_list("weights", [CARD, tuple(FULL_WEIGHT)])
SIGNED = LinearSegmentedColormap.from_list("signed", ["#9b2f1f", "#e9b9a8", CARD, "#a9b7d2", tuple(FULL_WEIGHT)])


def panel(axes: Axes, left: float, bottom: float, width: float, height: float) -> Axes:
    """A chart whose grid lines are horizontal only."""
    inner = chart(axes, left, bottom, width, height)
    inner.grid(axis="x", visible=False)
    return inner


def points(axes: Axes, x: Sequence[float], y: Sequence[float], color: str = INK, size: float = 14) -> None:
    """Round marks with a thin rim of card, so that two that overlap are still two."""
    axes.scatter(x, y, s=size, color=color, edgecolors=CARD, linewidths=0.5, zorder=3)


def bars(axes: Axes, x: Sequence[float], heights: Sequence[float], color: str = INK, width: float = 0.7) -> None:
    axes.bar(x, heights, width=width, color=color, zorder=2)


def outline(axes: Axes, centres: Sequence[float], shares: Sequence[float], color: str, width: float = 1.4) -> None:
    """A histogram as a line through its steps; `centres` are those of equal bins."""
    half = (centres[1] - centres[0]) / 2
    edges = [centres[0] - half, *(centre + half for centre in centres)]
    axes.stairs(shares, edges, color=color, linewidth=width)


def dashed(axes: Axes, x: Sequence[float], y: Sequence[float], color: str = SOFT) -> None:
    """A curve that is a target and not a measurement."""
    axes.plot(x, y, color=color, linewidth=1.2, linestyle=(0, (4, 2.5)))


def label(axes: Axes, x: float, y: float, text: str, color: str = INK, align: str = "left", bold: bool = True) -> None:
    """Text beside a mark, in the chart's own coordinates."""
    weight = 600 if bold else 400
    axes.text(x, y, text, size=SMALL, color=color, weight=weight, ha=align, va="center_baseline", zorder=5)


def raster(
    axes: Axes,
    left: float,
    bottom: float,
    width: float,
    height: float,
    rows: Sequence[Sequence[float]],
    *,
    extent: tuple[float, float, float, float],
    low: float = 0.0,
    high: float = 1.0,
    signed: bool = False,
) -> Axes:
    """A map of many cells, the first row on top; `extent` is (left, right, bottom, top) of its coordinates."""
    inner = chart(axes, left, bottom, width, height)
    inner.grid(False)
    ramp = SIGNED if signed else WEIGHTS
    inner.imshow(np.array(rows), cmap=ramp, vmin=low, vmax=high, extent=extent, aspect="auto", interpolation="nearest")
    for side in inner.spines.values():
        side.set(visible=True, color=LINE, linewidth=0.8)
    return inner


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str, width: float = 1.6) -> None:
    style = {"arrowstyle": "-|>", "color": color, "linewidth": width, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
    axes.annotate("", xy=end, xytext=start, arrowprops=style, zorder=3)


def heading(axes: Axes, x: float, y: float, text: str, color: str = INK, align: str = "left") -> None:
    """What a part of the picture shows, above it."""
    write(axes, x, y, text, size=TEXT, color=color, bold=True, align=align)


def axis_name(axes: Axes, x: float, y: float, text: str, align: str = "center") -> None:
    write(axes, x, y, text, size=SMALL, color=SOFT, align=align)
