"""The cover of the chapter: the map by which the trained reverser of act 3 reads twelve letters, last one first."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from models.attention.sharing import KEY, QUERY, SIZE, cover, mean_over_heads, shade
from sitegen.recipes import Bake, drawn, recipe
from sitegen.schema import Run

LEFT, TOP = 3.36, 2.66  # inches: where the map begins
CELL, SQUARE = 0.19, 0.165  # from one cell to the next, and what is filled of it
FLOOR = 0.07  # how much of a whole weight's colour a weight of 0 has, so that the map is seen


@recipe(
    "wirings-cover",
    act=3,
    seed=3,  # the act's: nothing is drawn at random
    parameters={"title": ["Encoders,", "decoders, and", "cross-attention"]},
    needs=("reverse-strings",),
    cross_attention=drawn("query", "key"),
)
def wirings_cover(bake: Bake) -> None:
    """The cross-attention of one decode, the mean over the heads."""
    weights = bake.need("reverse-strings").series["decode_attention"]
    bake.series(
        "cross_attention", mean_over_heads(weights), query=weights.coordinates["query"], key=weights.coordinates["key"]
    )


@wirings_cover.draw(
    "card",
    alt="A map of twelve letters by the same letters in reverse: bright from its lower left to its upper right corner.",
    size=SIZE,
)
def draw_card(run: Run, axes: Axes) -> None:
    cover(axes, run.parameters["title"])
    weights = run.series["cross_attention"]
    for row, cells in enumerate(weights.rows()):
        for column, weight in enumerate(cells):
            corner = (LEFT + column * CELL, TOP - row * CELL - SQUARE)
            fill = shade(FLOOR + (1 - FLOOR) * weight)
            axes.add_patch(Rectangle(corner, SQUARE, SQUARE, facecolor=fill, edgecolor="none"))
    for place, token in enumerate(weights.coordinates["key"]):
        letter(axes, LEFT + place * CELL + SQUARE / 2, TOP + 0.12, token, KEY)
    for place, token in enumerate(weights.coordinates["query"]):
        letter(axes, LEFT - 0.12, TOP - place * CELL - SQUARE / 2, token, QUERY)


def letter(axes: Axes, x: float, y: float, text: object, color: str) -> None:
    axes.text(x, y, text, size=11, color=color, weight=600, ha="center", va="center_baseline")
