"""What the sinusoidal code knows: two positions are as alike as their gap is short, wherever they stand.

Pair j of the code is (sin ωt, cos ωt) with ω = 10000^(−2j/d): the hand of a clock of its own speed. A step of g
positions turns each hand by ω·g, at every t alike. Hence the dot product of two codes is Σⱼ cos(ωⱼ g), a function of
the gap alone, and all codes have the length √(d/2). Vaswani et al. 2017, section 3.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon, Rectangle
from torch import Tensor

from models.attention.charts import MARK, axis_name, heading, label, panel, points, raster
from models.attention.drawing import INK, LINE, SMALL, SOFT, card, curve, write
from models.attention.positions import sinusoidal_positions
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run


def cosine_similarities(code: Tensor) -> Tensor:
    """The cosine of the angle between every two rows: (position, d) -> (position, position)."""
    unit = code / code.norm(dim=-1, keepdim=True)
    return unit @ unit.T


def frequencies(num_hiddens: int) -> Tensor:
    """Radians a position, pair by pair: (num_hiddens / 2,), from 1 down towards 1/10000."""
    return 10000.0 ** -(torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens)


def turn(code: Tensor, angles: Tensor) -> Tensor:
    """Turns each pair (sin, cos) of every row by its own angle: (position, d), (d / 2,) -> (position, d).

    The addition theorem: sin(a + b) = sin a cos b + cos a sin b, cos(a + b) = cos a cos b − sin a sin b.
    """
    sines, cosines = code.unflatten(-1, (-1, 2)).unbind(dim=-1)  # (position, pair) each
    turned = [sines * angles.cos() + cosines * angles.sin(), cosines * angles.cos() - sines * angles.sin()]
    return torch.stack(turned, dim=-1).flatten(-2)


def similarity_at_gap(similarities: Tensor, gap: int) -> Tensor:
    """The similarity of t and t + gap for every start t: (position, position) -> (position − gap,)."""
    return similarities.diagonal(gap)


DIMS = (16, 32, 64)
PAIRS = (0, 2, 4, 6, 8)  # the hands whose turning is shown


@recipe(
    "position-code",
    act=5,
    seed=5,  # the number of the act; the code is a formula, nothing is drawn
    reference="models.reference.lookups:PositionCode",
    headline="similarity_gap_7_d_32",
    parameters={"num_positions": 64, "num_hiddens": 32, "gap": 7},
    code=drawn("position", "dimension"),
    similarity=drawn("position", "other"),
    similarity_at_given_gap=exact("start"),
    similarity_by_gap=exact("d", "gap"),
    similarity_spread=exact("d"),
    frequency=exact("pair"),
    wavelength=exact("pair"),
    turn_at_given_gap=exact("pair"),
    phase=drawn("shown_pair", "position"),
)
def position_code(bake: Bake) -> None:
    """Write the code of 64 positions down, compare every two of them, and turn its clocks."""
    length, d, gap = (bake.parameters[name] for name in ("num_positions", "num_hiddens", "gap"))
    code = sinusoidal_positions(length, d)
    similarity = cosine_similarities(code)
    at_gap = similarity_at_gap(similarity, gap)
    omega = frequencies(d)
    bake.series("code", code)
    bake.series("similarity", similarity)
    bake.series("similarity_at_given_gap", at_gap)
    bake.series("frequency", omega)
    bake.series("wavelength", 2 * math.pi / omega)
    bake.series("turn_at_given_gap", omega * gap)
    times = torch.arange(length, dtype=torch.float64)
    bake.series("phase", torch.outer(omega[list(PAIRS)], times) % (2 * math.pi), shown_pair=PAIRS)

    by_gap, spread = [], []
    for each in DIMS:
        similarities = cosine_similarities(sinusoidal_positions(length, each))
        starts = [similarity_at_gap(similarities, g) for g in range(length)]
        by_gap.append(torch.stack([values.mean() for values in starts]))
        spread.append(max((values.max() - values.min()).item() for values in starts))
    bake.series("similarity_by_gap", torch.stack(by_gap), d=DIMS)
    bake.series("similarity_spread", spread, d=DIMS)

    for row, each in enumerate(DIMS):
        bake.metric(f"similarity_gap_{gap}_d_{each}", by_gap[row][gap].item())
    bake.metric("similarity_lowest", at_gap.min().item())
    bake.metric("similarity_highest", at_gap.max().item())
    bake.metric("similarity_spread", max(spread), better="lower")
    bake.metric("closest_other", by_gap[DIMS.index(d)][1].item())
    bake.metric("least_alike", by_gap[DIMS.index(d)].min().item())
    bake.metric("least_alike_gap", by_gap[DIMS.index(d)].argmin().item(), unit="positions")
    turned = turn(code[:-gap], omega * gap)
    bake.metric("turn_error", (turned - code[gap:]).abs().max().item(), better="lower")
    bake.metric("shortest_wavelength", 2 * math.pi, unit="positions")
    bake.metric("longest_wavelength", (2 * math.pi / omega[-1]).item(), unit="positions")
    bake.metric("fast_pair_turn", math.degrees(omega[0].item() * gap), unit="degrees")
    bake.metric("slow_pair_turn", math.degrees(omega[-1].item() * gap), unit="degrees")

    starts = (5, 25)  # the same gap in two places
    bake.example("same_gap", [{"i": i, "j": i + gap, "similarity": similarity[i, i + gap].item()} for i in starts])
    bake.probe(
        "positionCode",
        {"num_positions": length, "num_hiddens": d},
        {"code": code, "similarity_at_gap": at_gap, "turned": turned[:1]},
    )


# ---------------------------------------------------------------------------------------------------- stills


@position_code.draw(
    "code",
    alt="Columns of waves: fast on the left, slower and slower to the right. Above each pair of columns a clock, its "
    "hand where the marked position sets it.",
    size=(6.4, 4.3),
)
def draw_code(run: Run, axes: Axes) -> None:
    card(axes)
    code, marked = run.series["code"], run.examples["same_gap"][0]["j"]
    left, bottom, width, height = 0.6, 0.5, 5.6, 2.85
    heading(axes, left, 4.12, f"hands at position {marked}")
    axis_name(axes, left + width, 4.12, "ink 1, paper −1", "right")
    inner = raster(axes, left, bottom, width, height, list(code.rows()), low=-1, extent=(-0.5, 31.5, 63.5, -0.5))
    inner.set(xticks=(0, 8, 16, 24, 31), yticks=(0, marked, 32, 48, 63))
    inner.add_patch(Rectangle((-0.5, marked - 0.5), 32, 1, facecolor="none", edgecolor=MARK, linewidth=1.2, zorder=4,
                              clip_on=False))  # fmt: skip
    row = code.at(marked)
    pitch = width / (len(row) // 2)
    for pair, (sine, cosine) in enumerate(zip(row[::2], row[1::2], strict=True)):
        draw_dial(axes, (left + (pair + 0.5) * pitch, bottom + height + 0.3), 0.15, [math.atan2(sine, cosine)])
    axis_name(axes, left + width / 2, 0.14, "dimension: sine and cosine by turns, each pair slower than the one before")
    write(axes, 0.14, bottom + height / 2, "position", size=SMALL, color=SOFT, rotation=90)


def draw_dial(
    axes: Axes, centre: tuple[float, float], radius: float, angles: Sequence[float], turned: float = 0
) -> None:
    """A clock whose hands stand at these angles, clockwise from twelve; from the first one on, what was turned."""
    (x, y), start = centre, angles[0]
    axes.add_patch(Circle(centre, radius, facecolor="none", edgecolor=LINE, linewidth=1))
    shown = np.linspace(start, start + turned % (2 * math.pi), 60)
    sector = [centre, *((x + radius * math.sin(a), y + radius * math.cos(a)) for a in shown)]
    axes.add_patch(Polygon(sector, facecolor=MARK, alpha=0.16, linewidth=0))
    for place, angle in enumerate(angles):
        tip = [x, x + radius * math.sin(angle)], [y, y + radius * math.cos(angle)]
        axes.plot(*tip, color=MARK if place == len(angles) - 1 else SOFT, linewidth=1.6, solid_capstyle="round")


@position_code.draw(
    "similarity", alt="The similarity of every two positions: stripes along the diagonal, so only the gap counts."
)
def draw_similarity(run: Run, axes: Axes) -> None:
    card(axes)
    gap = run.parameters["gap"]
    heading(axes, 0.6, 3.7, "cosine similarity")
    inner = raster(axes, 0.6, 0.5, 2.95, 2.95, list(run.series["similarity"].rows()), extent=(-0.5, 63.5, 63.5, -0.5))
    inner.set(xticks=(0, 16, 32, 48, 63), yticks=(0, 16, 32, 48, 63))
    for example in run.examples["same_gap"]:
        points(inner, [example["j"]], [example["i"]], MARK, 44)
        label(inner, example["j"] + 2.5, example["i"], f"{example['i']} and {example['j']}", "#000000")
    axis_name(axes, 2.07, 0.14, "position")
    heading(axes, 4.0, 3.7, "by gap, d = 32")
    right = panel(axes, 4.0, 0.5, 2.2, 2.95)
    values = run.series["similarity_by_gap"].at(DIMS.index(run.parameters["num_hiddens"]))
    right.set(xlim=(-1, 64), ylim=(0, 1.03), xticks=(0, gap, 32, 63), yticks=(0, 0.5, 1))
    curve(right, range(len(values)), values)
    points(right, [gap], [values[gap]], MARK, 44)
    label(right, gap + 3, values[gap] + 0.1, f"{values[gap]:.3f} at gap {gap}", MARK)
    axis_name(axes, 5.1, 0.14, "gap")


@position_code.draw(
    "clocks",
    alt="Above, the similarity of two codes by their gap: it falls in waves. Below, five clock hands: the same gap "
    "turns each by the same angle, wherever it starts.",
    size=(6.4, 4.7),
)
def draw_clocks(run: Run, axes: Axes) -> None:
    card(axes)
    gap, phase, dims = run.parameters["gap"], run.series["phase"], run.parameters["num_hiddens"]
    heading(axes, 0.45, 4.5, f"cosine similarity by gap, d = {dims}")
    above = panel(axes, 0.45, 3.1, 5.75, 1.2)
    values = run.series["similarity_by_gap"].at(DIMS.index(dims))
    above.set(xlim=(-0.5, 63.5), ylim=(0, 1.05), xticks=(0, gap, 16, 32, 48, 63), yticks=(0, 0.5, 1))
    curve(above, range(len(values)), values)
    points(above, [gap], [values[gap]], MARK, 44)
    label(above, gap + 1, values[gap] + 0.16, f"{values[gap]:.2f}", MARK)
    axis_name(axes, 0.15, 2.3, "turns by", "left")
    for row, example in enumerate(run.examples["same_gap"]):
        y = 1.68 - 1.12 * row
        heading(axes, 0.15, y + 0.11, f"{example['i']} → {example['j']}")
        axis_name(axes, 0.15, y - 0.14, f"{example['similarity']:.2f}", "left")
        for place, pair in enumerate(PAIRS):
            x, turned = 1.5 + 1.07 * place, run.series["turn_at_given_gap"].values[pair]
            angles = [phase.at(place, example[name])[0] for name in ("i", "j")]
            draw_dial(axes, (x, y), 0.47, angles, turned)
            if row == 0:
                heading(axes, x, 2.54, f"pair {pair}", align="center")
                axis_name(axes, x, 2.3, f"{math.degrees(turned):.0f}°")


@position_code.draw("sizes", alt="Similarity falls with the gap, much alike for codes of three sizes.", size=(6.4, 3.0))
def draw_sizes(run: Run, axes: Axes) -> None:
    card(axes)
    heading(axes, 0.5, 2.8, "cosine similarity by gap")
    inner = panel(axes, 0.5, 0.5, 5.7, 2.1)
    gap = run.parameters["gap"]
    inner.set(xlim=(-0.5, 63.5), ylim=(0, 1.03), xticks=(0, gap, 16, 32, 48, 63), yticks=(0, 0.5, 1))
    inner.axvline(gap, color=LINE, linewidth=1)
    for row, (d, color) in enumerate(zip(DIMS, ("#8d9bb8", MARK, INK), strict=True)):
        values = run.series["similarity_by_gap"].at(row)
        curve(inner, range(len(values)), values, color)
        points(inner, [gap], [values[gap]], color, 26)
        label(inner, 10 + 11 * row, 0.97, f"d = {d}: {values[gap]:.3f}", SOFT if row == 0 else color)
    axis_name(axes, 3.35, 0.14, "gap")
