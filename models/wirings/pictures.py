"""What the stills of this chapter share: maps whose hidden cells are hatched wherever they lie, and means of heads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from models.attention import drawing


def averaged(heads: Iterable[Iterable[list[float]]]) -> list[list[float]]:
    """(head, query, key) -> (query, key)."""
    return [[sum(cells) / len(cells) for cells in zip(*rows, strict=True)] for rows in zip(*heads, strict=True)]


def masked_map(
    axes: Axes,
    left: float,
    top: float,
    cell: float,
    weights: Sequence[Sequence[float]],
    visible: Sequence[Sequence[float]],
    *,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    size: float = drawing.TEXT,
) -> None:
    """Weights (query, key) in 0..1, and visible (query, key), 0 where a cell is masked: those are hatched."""
    for i, (row, seen) in enumerate(zip(weights, visible, strict=True)):
        for j, (weight, shown) in enumerate(zip(row, seen, strict=True)):
            x, y = left + j * cell, top - (i + 1) * cell
            color = drawing.shade(weight) if shown else drawing.CARD
            axes.add_patch(Rectangle((x, y), cell, cell, facecolor=color, edgecolor="none"))
            if not shown:
                drawing.hatch(axes, x, y, cell)
    drawing.grid(axes, left, top, cell, len(weights), len(weights[0]))
    for i, query in enumerate(queries):
        style = {"color": drawing.QUERY, "bold": True, "align": "right", "size": size}
        drawing.write(axes, left - 0.07, top - (i + 0.5) * cell, query, **style)
    for j, key in enumerate(keys):
        drawing.write(axes, left + (j + 0.5) * cell, top + 0.015 * size, key, color=drawing.KEY, bold=True, size=size)
