"""Act 4: what reading costs. Self-attention over N tokens against a Perceiver whose latents read the same N, counted
and timed.

Both are timed as they stand in the text, without a gradient, on one thread in the environment of every bake. What
counts is the time that the processor spends on them, so that it does not matter who else waits for it. All lengths take
turns, round after round, and of the rounds the least counts: what disturbs only ever adds. Times follow the machine, so
they are in no digest.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention.attention import MultiHeadAttention
from models.attention.charts import MARK, axis_name, dashed, heading, label, panel, points
from models.attention.drawing import INK, QUERY, SOFT, card, curve, ticks
from models.attention.initial import initialise
from models.wirings.perceiver import PerceiverEncoder, initialise_perceiver
from sitegen.recipes import Bake, exact, never, recipe
from sitegen.schema import Run, Timings

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)


class SelfAttention(MultiHeadAttention):
    """The layer alone, whose every token asks every token."""

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """X: (batch, token, num_hiddens) -> the same shape, weights (batch, head, token, token)."""
        return super().forward(X, X, X)


@recipe(
    "perceiver-cost",
    act=4,
    seed=4,  # the number of the act; times do not depend on what the weights are
    headline="fewer_scores_8192",
    dtype="float32",
    parameters={
        "num_inputs_dim": 256,
        "num_latents": 64,
        "num_hiddens": 256,
        "num_heads": 4,
        "num_blocks": 2,
        "batch_size": 1,
        "rounds": 4,
    },
    self_attention_scores=exact("length"),
    perceiver_scores=exact("length"),
    self_attention_seconds=never("length"),
    perceiver_seconds=never("length"),
    self_attention_growth=never("length"),
    perceiver_growth=never("length"),
    speedup=never("length"),
    crossing=never(),
)
def perceiver_cost(bake: Bake) -> None:
    """Count the scores of both at eight lengths, then time both."""
    given = bake.parameters
    names = ("num_inputs_dim", "num_latents", "num_hiddens", "num_heads", "num_blocks")
    perceiver = PerceiverEncoder(**{name: given[name] for name in names})
    initialise_perceiver(perceiver, bake.seed)
    attention = SelfAttention(given["num_hiddens"], given["num_heads"])
    initialise(attention, bake.seed)
    generator = torch.Generator().manual_seed(bake.seed)
    shape = (given["batch_size"], LENGTHS[-1], given["num_inputs_dim"])
    tokens = torch.randn(shape, generator=generator)

    record_counts(bake, attention, perceiver, tokens)
    layers = {"self_attention": attention, "perceiver": perceiver}
    record_times(bake, least_seconds(layers, tokens, given["rounds"], bake.progress))
    bake.metric("parameters_self_attention", sum(parameter.numel() for parameter in attention.parameters()))
    bake.metric("parameters_perceiver", sum(parameter.numel() for parameter in perceiver.parameters()))


@torch.no_grad()
def record_counts(bake: Bake, attention: SelfAttention, perceiver: PerceiverEncoder, tokens: Tensor) -> None:
    """The scores that one head has to make, counted from the maps of both; and what shapes pass through."""
    square, rectangle, among = [], [], []
    for length in LENGTHS:
        read = perceiver(tokens[:, :length])
        rectangle.append(read.cross_attention[0, 0].numel())
        among.append(read.self_attention[0, :, 0].numel())
        square.append(attention(tokens[:, :length])[1][0, 0].numel())
    both = [reading + mixing for reading, mixing in zip(rectangle, among, strict=True)]
    bake.series("self_attention_scores", square, length=LENGTHS)
    bake.series("perceiver_scores", both, length=LENGTHS)
    bake.metric(f"fewer_scores_{LENGTHS[-1]}", square[-1] / both[-1], unit="times fewer")
    bake.metric("scores_among_latents", among[-1], unit="scores a head")
    bake.metric("crossing_of_scores", crossing_of_counts(bake.parameters), unit="tokens")
    example = tokens[:, :4096]
    read = perceiver(example)
    found = {"inputs": example, "latents": perceiver.latents, **read._asdict(), "output": read.latents}
    bake.example("shapes", {name: list(tensor.shape) for name, tensor in found.items()})


def crossing_of_counts(given: Mapping[str, int]) -> float:
    """Where N² = M N + blocks · M²: for fewer tokens than this, self-attention has fewer scores to make."""
    m, blocks = given["num_latents"], given["num_blocks"]
    return m * (1 + math.sqrt(1 + 4 * blocks)) / 2


@torch.no_grad()
def least_seconds(
    layers: Mapping[str, Callable[[Tensor], object]], tokens: Tensor, rounds: int, progress: Callable[..., None]
) -> dict[str, list[float]]:
    """Layer -> the least seconds of all rounds, length by length; to count has warmed both up."""
    seconds = {(name, length): math.inf for name in layers for length in LENGTHS}
    for step, (_, length) in enumerate(itertools.product(range(rounds), LENGTHS), start=1):
        given = tokens[:, :length]
        for name, layer in layers.items():
            start = time.process_time()
            layer(given)
            seconds[name, length] = min(seconds[name, length], time.process_time() - start)
        progress(step, rounds * len(LENGTHS), length=length)
    return {name: [seconds[name, length] for length in LENGTHS] for name in layers}


def record_times(bake: Bake, seconds: Mapping[str, Sequence[float]]) -> None:
    """The times, how they grow with each doubling, how much faster the Perceiver is, and where it begins to be."""
    for name, values in seconds.items():
        bake.series(f"{name}_seconds", values, length=LENGTHS)
        growth = [after / before for before, after in itertools.pairwise(values)]
        bake.series(f"{name}_growth", growth, length=LENGTHS[1:])
    pairs = zip(seconds["self_attention"], seconds["perceiver"], strict=True)
    speedup = [square / rectangle for square, rectangle in pairs]
    bake.series("speedup", speedup, length=LENGTHS)
    bake.series("crossing", crossing(LENGTHS, speedup))


def crossing(lengths: Sequence[int], speedup: Sequence[float]) -> float:
    """The length at which both take the same time: on the straight line, log against log, between the two measured
    lengths around it."""
    for (short, slower), (long, faster) in itertools.pairwise(zip(lengths, speedup, strict=True)):
        if slower < 1 <= faster:
            share = math.log(slower) / (math.log(slower) - math.log(faster))
            return short * (long / short) ** share
    raise ValueError(f"the times do not cross between {lengths[0]} and {lengths[-1]} tokens: {list(speedup)}")


# ---------------------------------------------------------------------------------------------------- stills


@perceiver_cost.draw_timings(
    "cost",
    size=(6.4, 4.2),
    alt="Time by the number of tokens, both axes logarithmic. Self-attention is faster for short inputs, but in the "
    "end takes four times as long at each doubling; the Perceiver starts slower and grows in proportion. The point "
    "where they cross is marked. Dashed: the counted scores of both, scaled to the last point.",
)
def draw_cost(run: Run, timings: Timings, axes: Axes) -> None:
    width, height = card(axes)
    heading(axes, 0.15, height - 0.22, "milliseconds of processor time, measured")
    axis_name(axes, width - 0.15, height - 0.22, f"{timings.processor}, {run.provenance.threads} thread", "right")
    inner = panel(axes, 0.6, 0.55, width - 2.0, height - 1.05)
    inner.set(xscale="log", yscale="log", xlim=(56, 9400), ylim=(0.25, 12_000))
    ticks(inner.xaxis, LENGTHS)
    ticks(inner.yaxis, (1, 10, 100, 1000, 10_000))
    for name, words, color in (("self_attention", "self-attention", INK), ("perceiver", "Perceiver", QUERY)):
        times = [1000 * seconds for seconds in timings.series[f"{name}_seconds"].values]
        scores = run.series[f"{name}_scores"].values
        dashed(inner, LENGTHS, [times[-1] * count / scores[-1] for count in scores], color)
        curve(inner, LENGTHS, times, color)
        points(inner, LENGTHS, times, color, 26)
        inner.annotate(f"{words}\n{times[-1]:,.0f} ms", (LENGTHS[-1], times[-1]), (10, 0), textcoords="offset points",
                       va="center", size=9.5, weight=600, color=color, annotation_clip=False)  # fmt: skip
    draw_crossing(inner, timings)
    m, blocks = run.parameters["num_latents"], run.parameters["num_blocks"]
    label(inner, 1150, 4.0, "dashed: the counted scores,", SOFT, bold=False)
    label(inner, 1150, 2.3, f"N² and M·N + {blocks}·M², M = {m}", SOFT, bold=False)
    axis_name(axes, 0.6 + (width - 2.0) / 2, 0.16, "tokens N")


def draw_crossing(inner: Axes, timings: Timings) -> None:
    """Where both take the same time, between the measured points."""
    at = timings.series["crossing"].values[0]
    times = [1000 * seconds for seconds in timings.series["perceiver_seconds"].values]
    place = next(place for place, length in enumerate(LENGTHS) if length >= at)
    share = math.log(at / LENGTHS[place - 1]) / math.log(LENGTHS[place] / LENGTHS[place - 1])
    there = times[place - 1] * (times[place] / times[place - 1]) ** share
    inner.axvline(at, color=MARK, linewidth=1, linestyle=(0, (2, 2)))
    points(inner, [at], [there], MARK, 44)
    label(inner, at * 1.12, 0.42, f"they cross at N ≈ {at:.0f}", MARK)
