"""What the sinusoidal code knows: two positions are as alike as their gap is short, wherever they stand.

Pair j of the code is (sin ωt, cos ωt) with ω = 10000^(−2j/d): the hand of a clock of its own speed. A step of g
positions turns each hand by ω·g, at every t alike. Hence the dot product of two codes is Σⱼ cos(ωⱼ g), a function of
the gap alone, and all codes have the length √(d/2). Vaswani et al. 2017, section 3.5.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from models.attention.positions import sinusoidal_positions
from sitegen.recipes import Bake, drawn, exact, recipe


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
