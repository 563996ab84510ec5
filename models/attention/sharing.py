"""What the covers of the chapters have in common: a dark card of 1200 × 630 pixels, the chapter's title on the left.

A cover stands for a chapter where it is shared, mostly as wide as a thumb: few words, large marks, nothing thin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from sitegen.schema import Series

# The dark theme of the pages.
PAPER, INK, SOFT, WEIGHT = "#14171c", "#f2f0ea", "#aeb3bd", "#d6dce7"
QUERY, KEY = "#7fb2ff", "#f0a04b"
SIZE = (6.0, 3.15)  # inches, of 200 pixels each
SITE = "Attention, replayed"
LEFT = 0.36


def cover(axes: Axes, title: Sequence[str]) -> None:
    """Spreads the axes over the whole picture, measured in inches, and writes the title line by line."""
    width, height = SIZE
    axes.set_position((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.add_patch(Rectangle((0, 0), width, height, facecolor=PAPER, edgecolor="none", zorder=0))
    for place, line in enumerate(title):
        axes.text(LEFT, 2.62 - 0.38 * place, line, size=20.5, color=INK, weight=600, va="center_baseline")
    axes.text(LEFT, 0.38, SITE, size=10, color=SOFT, va="center_baseline")


def mean_over_heads(weights: Series) -> list[list[float]]:
    """(head, query, key) -> (query, key)."""
    maps = [weights.rows(head) for head in range(weights.shape[0])]
    return [[sum(cells) / len(maps) for cells in zip(*rows, strict=True)] for rows in zip(*maps, strict=True)]


def shade(weight: float) -> tuple[float, float, float]:
    """The ramp from the paper to the colour of a whole weight."""
    red, green, blue = (1 - weight) * np.array(to_rgb(PAPER)) + weight * np.array(to_rgb(WEIGHT))
    return red, green, blue
