"""The cover of the chapter: how the trained Transformer of act 6 reads six digits while it writes them in reverse."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from models.attention.sharing import KEY, PAPER, QUERY, SIZE, cover, mean_over_heads, shade
from sitegen.recipes import Bake, drawn, recipe
from sitegen.schema import Run

FIRST, STEP = 2.92, 0.53  # inches: where the first token stands, and from one to the next
ABOVE, BELOW = 2.66, 0.49  # the middle of the keys and of the queries
GAP = 0.27  # from there to the end of a strand
LEAST = 0.2  # a weight that is drawn: at this size the strands of lesser ones are specks


@recipe(
    "attention-cover",
    act=6,
    seed=6,  # the act's: nothing is drawn at random
    parameters={"title": ["Attention &", "Transformers"]},
    needs=("reverse-digits",),
    cross_attention=drawn("query", "key"),
)
def attention_cover(bake: Bake) -> None:
    """The cross-attention of one decode, the mean over the heads."""
    weights = bake.need("reverse-digits").series["decode_attention"]
    bake.series(
        "cross_attention", mean_over_heads(weights), query=weights.coordinates["query"], key=weights.coordinates["key"]
    )


@attention_cover.draw(
    "card",
    alt="Six digits above, the same in reverse below: a thick strand leads from each one below to its twin above.",
    size=SIZE,
)
def draw_card(run: Run, axes: Axes) -> None:
    cover(axes, run.parameters["title"])
    weights = run.series["cross_attention"]
    for place, row in enumerate(weights.rows()):
        for other, weight in enumerate(row):
            draw_strand(axes, place_of(place), place_of(other), weight)
    for y, axis, color in ((ABOVE, "key", KEY), (BELOW, "query", QUERY)):
        for place, token in enumerate(weights.coordinates[axis]):
            axes.text(
                place_of(place), y, token, size=25, color=color, weight=600, ha="center", va="center_baseline", zorder=5
            )


def place_of(token: int) -> float:
    return FIRST + token * STEP


def draw_strand(axes: Axes, query: float, key: float, weight: float) -> None:
    """From the query below to the key above, as thick and bright as the weight; heavier ones pass over lighter ones."""
    if weight < LEAST:
        return
    low, high = BELOW + GAP, ABOVE - GAP
    middle = (low + high) / 2
    points = [(query, low), (query, middle), (key, middle), (key, high)]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    width = 0.5 + 12 * weight
    for stroke, color in ((width + 3, PAPER), (width, shade(0.2 + 0.8 * weight))):
        axes.add_patch(PathPatch(path, facecolor="none", edgecolor=color, linewidth=stroke, zorder=1 + weight))
