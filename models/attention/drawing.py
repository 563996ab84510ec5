"""One hand for all stills: cards of white paper on which maps, curves and tokens look as they do on the page.

A picture gets one bare Axes (`card`) measured in inches from the lower left, so that letters, cells and strokes have
the same size in every still. Queries are blue and stand in rows, keys are orange and head columns, weights are a
neutral ramp from white to ink.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

INK, SOFT, LINE, CARD = "#1b1d22", "#5b606b", "#e2dfd7", "#ffffff"
QUERY, KEY, VALUE = "#0B57A4", "#B04A00", "#00705A"
FULL_WEIGHT = np.array([0x1F, 0x34, 0x5C]) / 255
SMALL, TEXT = 8.5, 9.5  # points; the stills are 6.4 inches wide and shown at about 600 px


def card(axes: Axes) -> tuple[float, float]:
    """Empties the axes, spreads it over the whole picture and measures it in inches. -> (width, height)"""
    width, height = axes.figure.get_size_inches()
    axes.figure.set_facecolor(CARD)
    axes.set_position((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    return width, height


def write(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float = TEXT,
    color: str = INK,
    bold: bool = False,
    align: str = "center",
    rotation: float = 0,
) -> None:
    """Writes text whose middle line lies at y and whose `align` side lies at x."""
    axes.text(
        x,
        y,
        text,
        size=size,
        color=color,
        weight=600 if bold else 400,
        ha=align,
        rotation=rotation,
        va="center_baseline" if rotation == 0 else "center",
    )


def heat_map(
    axes: Axes,
    left: float,
    top: float,
    cell: float,
    weights: Sequence[Sequence[float]],
    *,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    causal: bool = False,
    values: bool = True,
) -> None:
    """Rows ask, columns answer: weights (query, key) in 0..1, square cells of `cell` inches, the first row on top.

    `causal` hatches what a mask hides; `values` prints the weights that are at least 0.05.
    """
    for i, row in enumerate(weights):
        for j, weight in enumerate(row):
            x, y = left + j * cell, top - (i + 1) * cell
            hidden = causal and j > i
            axes.add_patch(Rectangle((x, y), cell, cell, facecolor=CARD if hidden else shade(weight), edgecolor="none"))
            if hidden:
                hatch(axes, x, y, cell)
            elif values and weight >= 0.05:
                write(axes, x + cell / 2, y + cell / 2, short(weight), size=SMALL, color=on_shade(weight))
    grid(axes, left, top, cell, len(weights), len(weights[0]))
    for i, query in enumerate(queries):
        write(axes, left - 0.09, top - (i + 0.5) * cell, query, color=QUERY, bold=True, align="right")
    for j, key in enumerate(keys):
        write(axes, left + (j + 0.5) * cell, top + 0.14, key, color=KEY, bold=True)


def grid(axes: Axes, left: float, top: float, cell: float, rows: int, columns: int) -> None:
    for i in range(rows + 1):
        axes.plot([left, left + columns * cell], [top - i * cell] * 2, color=LINE, linewidth=0.8, solid_capstyle="butt")
    for j in range(columns + 1):
        axes.plot([left + j * cell] * 2, [top, top - rows * cell], color=LINE, linewidth=0.8, solid_capstyle="butt")


def hatch(axes: Axes, x: float, y: float, cell: float) -> None:
    """Three rising strokes across a masked cell."""
    for shift in (-0.5, 0.0, 0.5):
        low, high = max(0.0, shift), min(1.0, 1 + shift)
        ends = [x + low * cell, x + high * cell], [y + (low - shift) * cell, y + (high - shift) * cell]
        axes.plot(*ends, color="#b9b5ab", linewidth=0.8, solid_capstyle="butt")


def shade(weight: float) -> tuple[float, float, float]:
    """The neutral ramp: 0 is the card's white, 1 the darkest ink blue."""
    red, green, blue = 1 - weight * (1 - FULL_WEIGHT)
    return red, green, blue


def on_shade(weight: float) -> str:
    """Black or white, whichever contrasts more with `shade(weight)`: always at least 4.5 : 1 (WCAG 2.2)."""
    channels = np.array(shade(weight))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def short(weight: float) -> str:
    """A weight in two places, without the nought before the point: .07, .99, 1.0."""
    return f"{weight:.2f}".removeprefix("0") if weight < 0.995 else "1.0"


def token(axes: Axes, x: float, y: float, text: str, color: str, size: float = 0.4) -> None:
    """A token in a rounded square with its centre at (x, y)."""
    corner = (x - size / 2 + 0.05, y - size / 2 + 0.05)
    axes.add_patch(
        FancyBboxPatch(
            corner,
            size - 0.1,
            size - 0.1,
            boxstyle="round,pad=0.05,rounding_size=0.07",
            facecolor=CARD,
            edgecolor=color,
            linewidth=1.2,
            zorder=3,
        )
    )
    axes.text(x, y, text, size=12, color=color, weight=600, ha="center", va="center_baseline", zorder=4)


def chart(axes: Axes, left: float, bottom: float, width: float, height: float) -> Axes:
    """A chart inside the card, placed in inches: no frame, soft labels, room for horizontal grid lines."""
    inner = axes.inset_axes((left, bottom, width, height), transform=axes.transData)
    inner.set_facecolor("none")
    for side in ("left", "right", "top"):
        inner.spines[side].set_visible(False)
    inner.spines["bottom"].set(color=SOFT, linewidth=0.8)
    inner.tick_params(
        axis="both",
        which="major",
        labelsize=SMALL,
        labelcolor=SOFT,
        color=SOFT,
        width=0.8,
        length=3,
    )
    inner.tick_params(axis="y", length=0)
    inner.tick_params(which="minor", length=0)
    inner.grid(visible=False, axis="x")
    inner.grid(visible=True, axis="y", color=LINE, linewidth=0.8)
    inner.set_axisbelow(True)
    return inner


def curve(axes: Axes, x: Sequence[float], y: Sequence[float], color: str = INK) -> None:
    axes.plot(x, y, color=color, linewidth=1.5, solid_joinstyle="round")


def ticks(axis: Axis, places: Sequence[float]) -> None:
    """Ticks at these numbers and nowhere else, written as they are."""
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def strand(axes: Axes, low: tuple[float, float], high: tuple[float, float], weight: float) -> None:
    """A curve from the query below to the key above, as thick and as dark as the attention weight.

    Heavier ones pass over lighter ones, with a rim of the card's white.
    """
    if weight < 0.005:
        return
    middle = (low[1] + high[1]) / 2
    path = Path([low, (low[0], middle), (high[0], middle), high], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    width = 0.5 + 6.5 * weight
    for stroke, color in ((width + 2, CARD), (width, shade(0.15 + 0.85 * weight))):
        rim = PathPatch(path, facecolor="none", edgecolor=color, linewidth=stroke, capstyle="butt", zorder=1 + weight)
        axes.add_patch(rim)
