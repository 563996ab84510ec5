"""The published power laws of language models, drawn. Nothing here was measured by us: the constants are the paper's.

Kaplan et al. 2020, equations 1.1 to 1.3: as long as nothing else is short, the loss of a Transformer falls as a power
of its size, of its data, or of its compute. The three curves are those equations over the ranges the paper covers.
"""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from models.attention.charts import axis_name, heading, panel
from models.attention.drawing import SOFT, card, curve, ticks, write
from sitegen.recipes import Bake, drawn, recipe
from sitegen.schema import Run

PER_DECADE = 10  # points of a curve
TIMES = (1, 10, 100, 1000)
LOSSES = (2, 3, 4, 5, 6)

# What grows: the unit of the axis, and the exponents of the first and the last power of ten that are drawn.
GROWTH = {
    "parameters": ("parameters", 4, 9),
    "tokens": ("tokens of text", 7, 10),
    "compute": ("PF-days", -6, 1),
}


def power_law(x: float, critical: float, exponent: float) -> float:
    """(critical / x) to the power of `exponent`: nats a token. Kaplan et al. 2020, eq. 1.1 to 1.3."""
    return (critical / x) ** exponent


def decades(first: int, last: int) -> list[float]:
    """PER_DECADE numbers at equal ratios to each power of ten, rounded so that a label is the number that was used."""
    steps = range(first * PER_DECADE, last * PER_DECADE + 1)
    return [float(f"{10 ** (step / PER_DECADE):.5g}") for step in steps]


@recipe(
    "scaling-law",
    act=7,  # after the six acts
    seed=0,  # nothing here is drawn at random
    headline="parameters_fall_per_tenfold",
    parameters={
        "parameters_exponent": 0.076,
        "parameters_critical": 8.8e13,
        "tokens_exponent": 0.095,
        "tokens_critical": 5.4e13,
        "compute_exponent": 0.050,
        "compute_critical": 3.1e8,
        "chinchilla_parameters": 70e9,
        "chinchilla_tokens": 1.4e12,
    },
    loss_by_parameters=drawn("parameters"),
    loss_by_tokens=drawn("tokens"),
    loss_by_compute=drawn("compute"),
    loss_left=drawn("grown", "times"),
)
def scaling_law(bake: Bake) -> None:
    """Evaluate the three laws, and say what an increase buys by each."""
    exponents = {name: float(bake.parameters[f"{name}_exponent"]) for name in GROWTH}
    left = [[times**-exponent for times in TIMES] for exponent in exponents.values()]
    bake.series("loss_left", left, grown=list(GROWTH), times=TIMES)
    for name, (_, first, last) in GROWTH.items():
        critical, exponent = float(bake.parameters[f"{name}_critical"]), exponents[name]
        sizes = decades(first, last)
        losses = [power_law(size, critical, exponent) for size in sizes]
        bake.series(f"loss_by_{name}", losses, **{name: sizes})
        bake.metric(f"{name}_fall_per_tenfold", 1 - 10**-exponent)
        bake.metric(f"{name}_to_halve", 2 ** (1 / exponent))
    tokens, parameters = bake.parameters["chinchilla_tokens"], bake.parameters["chinchilla_parameters"]
    bake.metric("chinchilla_tokens_per_parameter", tokens / parameters)
    bake.example("source", "Kaplan et al. 2020, eq. 1.1, 1.2 and 1.3; Hoffmann et al. 2022, section 4")


# ---------------------------------------------------------------------------------------------------- stills


@scaling_law.draw(
    "three-laws",
    alt="Three straight lines on logarithmic axes: the loss falls with parameters, tokens and compute.",
    size=(6.4, 2.5),
)
def draw_three_laws(run: Run, axes: Axes) -> None:
    card(axes)
    width, gap, left = 1.72, 0.32, 0.42
    for place, (name, (unit, first, last)) in enumerate(GROWTH.items()):
        x = left + place * (width + gap)
        heading(axes, x, 2.28, {"parameters": "size", "tokens": "data", "compute": "compute"}[name])
        inner = panel(axes, x, 0.52, width, 1.55)
        series = run.series[f"loss_by_{name}"]
        inner.set(xscale="log", yscale="log", ylim=(1.8, 6.5), xlim=(10.0**first, 10.0**last))
        curve(inner, [float(size) for size in series.coordinates[name]], series.values)
        ticks(inner.yaxis, LOSSES)
        powers(inner.xaxis, first, last)
        if place:
            inner.set_yticklabels([])
        axis_name(axes, x + width, 0.14, unit, align="right")
    write(axes, left + 0.06, 0.82, "after Kaplan et al. 2020", size=7.5, color=SOFT, align="left")
    write(axes, left, 2.06, "nats a token", size=7.5, color=SOFT, align="left")


def powers(axis: Axis, first: int, last: int) -> None:
    """Ticks at each power of ten, or at every second one where there are many; smaller ones than 0.001 have none."""
    exponents = range(last, first - 1, -1 if last - first < 4 else -2)
    axis.set_major_locator(FixedLocator([10.0**exponent for exponent in exponents if exponent >= -3]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def short(value: float) -> str:
    """A power of ten as one says it: 100k, 10M, 1B, and 0.1 below one."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= 0.999 * size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
