"""Act 6: two copies of the digit reverser that differ in one bit are trained alike; the step size decides what that bit
becomes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from matplotlib.axes import Axes

from models.attention import drawing
from models.attention.adam import Adam, clip_gradients, linear_decay
from models.attention.reversal import (
    LENGTH,
    batch,
    fresh_strings,
    reverser,
    share,
    teacher_forced_loss,
    trained_strings,
)
from models.attention.transformer import Transformer
from sitegen.recipes import Bake, exact, recipe, tolerant
from sitegen.schema import Run

APART = 1e-3  # from here on the copies are called two models


class Moment(NamedTuple):
    """Both copies after so many updates."""

    loss: float  # of the first copy, on the batch of the next update
    loss_distance: float  # between the copies
    distance: float  # the largest difference of any parameter


@torch.no_grad()
def flip_last_bit(model: Transformer) -> None:
    """Moves one weight of the output layer to the next number that float64 has."""
    weight = model.output.weight[0, 0]
    weight.copy_(torch.nextafter(weight, torch.full_like(weight, torch.inf)))


def distance(one: Transformer, other: Transformer) -> float:
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max((a.detach() - b.detach()).abs().max().item() for a, b in pairs)


def train_copies(
    copies: tuple[Transformer, Transformer], seed: int, *, steps: int, batch_size: int, rates: list[float], clip: float
) -> Iterator[Moment]:
    """Yields, for t = 0 … steps, both copies after t updates on the same batches; rates[t] is that of update t + 1."""
    adams = [Adam(copy.parameters()) for copy in copies]
    for step in range(steps + 1):
        losses = [teacher_forced_loss(copy, batch(seed, step, batch_size)) for copy in copies]
        yield Moment(losses[0].item(), abs((losses[0] - losses[1]).item()), distance(*copies))
        if step < steps:
            for loss, adam in zip(losses, adams, strict=True):
                adam.forget_gradients()
                loss.backward()
                clip_gradients(adam.parameters, clip)
                adam.step(rates[step])


@recipe(
    "step-size",
    act=6,
    seed=0,  # of the run reverse-digits: the same first weights and the same batches
    long=True,
    parameters={
        "steps": 600,
        "batch_size": 128,
        "falling_rate": 0.007,
        "constant_rate": 0.02,
        "clip": 1.0,
        "num_hiddens": 16,
        "num_heads": 2,
        "ffn_num_hiddens": 32,
        "num_blocks": 1,
        "fresh_strings": 1000,
    },
    headline="constant_distance",
    falling_distance=tolerant("step", tolerance=1e-9),
    constant_distance=tolerant("step", tolerance=100.0),  # where a bit decides, another machine has other numbers
    falling_loss=exact("step"),
    constant_loss=tolerant("step", tolerance=100.0),
)
def step_size(bake: Bake) -> None:
    """Train the same two copies by the falling rate of the reverser, and by a constant one that is too large."""
    given = bake.parameters
    sizes = {name: given[name] for name in ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")}
    steps, falling = given["steps"], given["falling_rate"]
    schedules = {
        "falling": [linear_decay(step, steps, falling) for step in range(steps)],
        "constant": [given["constant_rate"]] * steps,
    }
    trained = trained_strings(bake.seed, steps, given["batch_size"])
    fresh = fresh_strings(bake.seed, given["fresh_strings"], trained).sources
    for place, (name, rates) in enumerate(schedules.items()):
        copies = reverser(bake.seed, **sizes), reverser(bake.seed, **sizes)
        flip_last_bit(copies[1])
        moments = []
        for step, moment in enumerate(
            train_copies(
                copies, bake.seed, steps=steps, batch_size=given["batch_size"], rates=rates, clip=given["clip"]
            )
        ):
            bake.progress(place * (steps + 1) + step, 2 * steps + 1, loss=moment.loss)
            moments.append(moment)
        distances = [moment.distance for moment in moments]
        bake.series(f"{name}_distance", distances)
        bake.series(f"{name}_loss", [moment.loss for moment in moments])
        bake.metric(f"{name}_distance", distances[-1], better="lower")
        bake.metric(f"{name}_largest_distance", max(distances), better="lower")
        bake.metric(f"{name}_largest_loss_distance", max(moment.loss_distance for moment in moments), better="lower")
        apart = next((step for step, each in enumerate(distances) if each > APART), None)
        if apart is not None:
            bake.metric(f"{name}_first_step_apart", apart, unit="updates")
        for number, copy in enumerate(copies, start=1):
            right = (copy.greedy_decode(fresh, LENGTH) == fresh.flip(1)).all(dim=1)
            bake.metric(f"{name}_exact_match_{number}", share(right).item(), better="higher")
    bake.metric("first_distance", distances[0])
    bake.metric("called_apart_from", APART)


@step_size.draw(
    "distance",
    size=(6.4, 3.4),
    alt="The largest difference between the weights of two copies, over the updates, on a logarithmic axis. With the "
    "falling rate it stays at rounding; with the constant one it grows until both are different models.",
)
def draw_distance(run: Run, axes: Axes) -> None:
    width, height = drawing.card(axes)
    drawing.write(axes, 0.75, height - 0.25, "largest difference of a weight", align="left", bold=True)
    chart = drawing.chart(axes, 0.75, 0.55, width - 2.2, height - 1.1)
    for name, color in (("constant", drawing.INK), ("falling", drawing.VALUE)):
        values = run.series[f"{name}_distance"].values
        drawing.curve(chart, range(len(values)), values, color)
        rate = run.parameters[f"{name}_rate"]
        words = f"{rate:g}, constant" if name == "constant" else f"{rate:g}, falling"
        chart.annotate(words, (len(values) - 1, values[-1]), (8, 0), textcoords="offset points", va="center",
                       size=drawing.TEXT, weight=600, color=color, annotation_clip=False)  # fmt: skip
    chart.set_yscale("log")
    chart.set_xlim(0, run.parameters["steps"])
    chart.set_ylim(1e-17, 10)
    drawing.ticks(chart.xaxis, [0, 100, 200, 300, 400, 500, 600])
    exponents = (-16, -12, -8, -4, 0)
    drawing.ticks(chart.yaxis, [10.0**exponent for exponent in exponents])
    chart.set_yticklabels([f"$10^{{{exponent}}}$" for exponent in exponents])
    drawing.write(axes, (width - 0.7) / 2, 0.18, "updates", color=drawing.SOFT, size=drawing.SMALL)
