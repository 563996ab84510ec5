"""Scores from dot products: how large they grow with d, what that does to a softmax, and how padding is kept out.

The dot product of two random vectors of d independent entries, mean 0 and variance 1, has mean 0 and variance d. So
scores grow like √d, the softmax turns into an argmax, and its gradient goes to 0; dividing by √d takes d out again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import torch
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from models.attention.charts import MARK, arrow, axis_name, bars, dashed, heading, label, outline, panel, points
from models.attention.drawing import INK, KEY, QUERY, SMALL, SOFT, card, curve, hatch, heat_map, write
from models.attention.entropy import entropy
from models.attention.initial import initialise
from models.attention.scores import (
    AdditiveScore,
    masked_softmax,
    scaled_dot_product_scores,
    softmax_masked_with_zero,
    valid_keys,
)
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run


def softmax_gradient_norm(weights: Tensor) -> Tensor:
    """‖∂ softmax / ∂ scores‖, Frobenius, of the Jacobian diag(α) − α αᵀ: (…, key) -> (…). 0 when one weight is 1."""
    jacobian = torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]
    return jacobian.square().sum(dim=(-2, -1)).sqrt()


def random_dot_products(d: int, draws: int, generator: torch.Generator, chunk: int = 5_000) -> Iterator[Tensor]:
    """Dot products of pairs from N(0, 1)^d, a chunk at a time so that memory stays small: together (draws,)."""
    for start in range(0, draws, chunk):
        count = min(chunk, draws - start)
        queries = torch.randn(count, d, generator=generator, dtype=torch.float64)
        keys = torch.randn(count, d, generator=generator, dtype=torch.float64)
        yield (queries * keys).sum(dim=-1)


def shares(values: Tensor, edges: Sequence[float]) -> Tensor:
    """The share of values in each bin [edge, next edge): (draw,) -> (bin,). What lies outside is in no bin."""
    bins = torch.bucketize(values, torch.tensor(edges, dtype=values.dtype), right=True) - 1
    inside = bins[(bins >= 0) & (bins < len(edges) - 1)]
    return torch.bincount(inside, minlength=len(edges) - 1) / len(values)


def random_scores(d: int, trials: int, num_keys: int, generator: torch.Generator, chunk: int = 500) -> Tensor:
    """Unscaled scores of one query against num_keys keys, all from N(0, 1)^d: (trial, key)."""
    scores = []
    for start in range(0, trials, chunk):
        count = min(chunk, trials - start)
        queries = torch.randn(count, 1, d, generator=generator, dtype=torch.float64)
        keys = torch.randn(count, num_keys, d, generator=generator, dtype=torch.float64)
        scores.append((queries * keys).sum(dim=-1))
    return torch.cat(scores)


DIMS = tuple(2**power for power in range(10))  # 1, 2, 4, …, 512
RAW_EDGES = tuple(range(-64, 66, 2))
SCALED_EDGES = tuple(step / 5 for step in range(-20, 21))  # −4 … 4 in steps of 0.2
SCALINGS = ("raw", "scaled")


def shapes(**tensors: Tensor) -> dict[str, list[int]]:
    """The shape of each tensor, by its name."""
    return {name: list(tensor.shape) for name, tensor in tensors.items()}


def centres(edges: Sequence[float]) -> list[float]:
    """The middle of each bin: (bin,)."""
    return [(low + high) / 2 for low, high in itertools.pairwise(edges)]


def normal_shares(edges: Sequence[float]) -> Tensor:
    """The share of N(0, 1) in each bin: (bin,)."""
    below = torch.special.ndtr(torch.tensor(edges, dtype=torch.float64))
    return below.diff()


@recipe(
    "dot-product-variance",
    act=3,
    seed=3,  # the number of the act
    reference="models.reference.lookups:AttentionScores",
    headline="variance_128",
    parameters={
        "draws": 100_000,
        "trials": 4_000,
        "num_keys": 10,
        "d": 16,
        "valid_lens": [6, 4, 2, 0],
        "query_size": 6,
        "key_size": 4,
        "num_hiddens": 8,
        "additive_lens": [5, 3],
    },
    variance=exact("d"),
    scaled_variance=exact("d"),
    raw_histogram=drawn("d", "score"),
    scaled_histogram=drawn("d", "scaled_score"),
    normal_histogram=drawn("scaled_score"),
    distance_to_normal=drawn("d"),
    largest_weight=exact("scaling", "d"),
    entropy=exact("scaling", "d"),
    gradient_norm=exact("scaling", "d"),
    example_weights=drawn("scaling", "d", "key"),
    masked_scores=exact("sequence", "query", "key"),
    masked_weights=exact("sequence", "query", "key"),
    zero_masked_weights=exact("sequence", "query", "key"),
    additive_weights=exact("sequence", "query", "key"),
)
def dot_product_variance(bake: Bake) -> None:
    """Measure scores at ten sizes d, then mask a small batch, then score a batch whose q and k differ in size."""
    generator = torch.Generator().manual_seed(bake.seed)
    measure_variance(bake, generator)
    measure_saturation(bake, generator)
    mask_and_add(bake, generator)


def measure_variance(bake: Bake, generator: torch.Generator) -> None:
    """Variance and histograms of q · k and of q · k / √d at each d."""
    variances, raw, scaled = [], [], []
    for step, d in enumerate(DIMS, start=1):
        products = torch.cat(list(random_dot_products(d, bake.parameters["draws"], generator)))
        variances.append(products.var())
        raw.append(shares(products, RAW_EDGES))
        scaled.append(shares(products / math.sqrt(d), SCALED_EDGES))
        bake.progress(step, len(DIMS), d=d, variance=variances[-1])
    variance, dims = torch.stack(variances), torch.tensor(DIMS, dtype=torch.float64)
    scaled_variance = variance / dims  # Var(x / √d) = Var(x) / d
    normal = normal_shares(SCALED_EDGES)
    distance = (torch.stack(scaled) - normal).abs().sum(dim=-1) / 2

    bake.series("variance", variance, d=DIMS)
    bake.series("scaled_variance", scaled_variance, d=DIMS)
    bake.series("raw_histogram", torch.stack(raw), d=DIMS, score=centres(RAW_EDGES))
    bake.series("scaled_histogram", torch.stack(scaled), d=DIMS, scaled_score=centres(SCALED_EDGES))
    bake.series("normal_histogram", normal, scaled_score=centres(SCALED_EDGES))
    bake.series("distance_to_normal", distance, d=DIMS)
    for d in (1, 16, 128, 512):
        bake.metric(f"variance_{d}", variance[DIMS.index(d)].item())
        bake.metric(f"scaled_variance_{d}", scaled_variance[DIMS.index(d)].item())
    bake.metric("worst_variance_error", (scaled_variance - 1).abs().max().item(), better="lower")


def measure_saturation(bake: Bake, generator: torch.Generator) -> None:
    """Softmax over a few random keys, raw and scaled: mean largest weight, entropy, and size of the gradient."""
    largest, spread, gradient, example = [], [], [], []
    for d in DIMS:
        raw = random_scores(d, bake.parameters["trials"], bake.parameters["num_keys"], generator)
        weights = torch.softmax(torch.stack([raw, raw / math.sqrt(d)]), dim=-1)  # (scaling, trial, key)
        largest.append(weights.amax(dim=-1).mean(dim=-1))
        spread.append(entropy(weights).mean(dim=-1))
        gradient.append(softmax_gradient_norm(weights).mean(dim=-1))
        example.append(weights[:, 0])
    measured = {"largest_weight": largest, "entropy": spread, "gradient_norm": gradient}
    for name, values in measured.items():
        table = torch.stack(values, dim=1)  # (scaling, d)
        bake.series(name, table, scaling=SCALINGS, d=DIMS)
        for row, scaling in enumerate(SCALINGS):
            for d in (1, 16, 128, 512):
                bake.metric(f"{scaling}_{name}_{d}", table[row, DIMS.index(d)].item())
    keys = range(1, bake.parameters["num_keys"] + 1)
    bake.series("example_weights", torch.stack(example, dim=1), scaling=SCALINGS, d=DIMS, key=keys)


def mask_and_add(bake: Bake, generator: torch.Generator) -> None:
    """A batch masked rightly and wrongly; and an untrained additive score for q and k of different sizes."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    parameters = bake.parameters
    valid_lens = torch.tensor(parameters["valid_lens"])
    queries, keys = normal(len(valid_lens), 2, parameters["d"]), normal(len(valid_lens), 6, parameters["d"])
    scores = scaled_dot_product_scores(queries, keys)
    weights, leaking = masked_softmax(scores, valid_lens), softmax_masked_with_zero(scores, valid_lens)
    bake.series("masked_scores", scores)
    bake.series("masked_weights", weights)
    bake.series("zero_masked_weights", leaking)
    padded = ~valid_keys(valid_lens, scores.shape[-1])
    some = (valid_lens > 0) & (valid_lens < scores.shape[-1])  # sequences with padding and with something to read
    for name, each in (("padding_weight", weights), ("padding_weight_with_zero", leaking)):
        on_padding = each.where(padded, 0.0).sum(dim=-1)  # (sequence, query)
        bake.metric(name, on_padding[some].mean().item(), better="lower")
    bake.metric("all_masked_row_sum", weights[valid_lens == 0].sum().item())

    score = AdditiveScore(parameters["query_size"], parameters["key_size"], parameters["num_hiddens"]).double()
    initialise(score, bake.seed)
    additive_lens = torch.tensor(parameters["additive_lens"])
    batch, num_queries, num_keys = len(additive_lens), 3, 5
    unlike_queries = normal(batch, num_queries, parameters["query_size"])
    unlike_keys = normal(batch, num_keys, parameters["key_size"])
    with torch.no_grad():
        additive_scores = score(unlike_queries, unlike_keys)
    additive_weights = masked_softmax(additive_scores, additive_lens)
    bake.series("additive_weights", additive_weights)
    bake.example("dot_product_shapes", shapes(queries=queries, keys=keys, scores=scores))
    hidden = [batch, num_queries, num_keys, parameters["num_hiddens"]]
    additive = shapes(queries=unlike_queries, keys=unlike_keys, scores=additive_scores)
    bake.example("additive_shapes", {**additive, "hidden": hidden})
    bake.probe(
        "attentionScores",
        {
            "queries": queries,
            "keys": keys,
            "valid_lens": valid_lens,
            "additive_queries": unlike_queries,
            "additive_keys": unlike_keys,
            "additive_lens": additive_lens,
            **{f"additive_{name}": weight.detach() for name, weight in score.named_parameters()},
        },
        {
            "scores": scores,
            "weights": weights,
            "additive_scores": additive_scores,
            "additive_weights": additive_weights,
        },
    )


# ---------------------------------------------------------------------------------------------------- stills

SHOWN = (2, 8, 32, 128, 512)
RAW = MARK  # what goes wrong: unscaled scores, a mask that leaks
SHADES = ("#b9c3d6", "#8d9bb8", "#64769b", "#41567f", "#1f345c")  # d grows, ink darkens


def draw_histograms(run: Run, inner: Axes, name: str, axis: str, dims: Sequence[int]) -> None:
    """One outline a size d: the share of draws in each bin."""
    histogram = run.series[name]
    for d in dims:
        color = SHADES[SHOWN.index(d)]
        outline(inner, histogram.coordinates[axis], histogram.at(DIMS.index(d)), color)


def draw_against_d(run: Run, inner: Axes, name: str) -> None:
    """Two curves over d: raw scores in orange, scaled ones in ink."""
    inner.set(xscale="log", xlim=(0.9, 570))
    inner.set_xticks([1, 16, 128, 512], ["1", "16", "128", "512"])
    for row, color in enumerate((RAW, INK)):
        values = run.series[name].at(row)
        curve(inner, DIMS, values, color)
        points(inner, DIMS, values, color)


@dot_product_variance.draw(
    "variance", alt="The larger d, the wider the histogram of dot products; their variance is d.", size=(6.4, 3.0)
)
def draw_variance(run: Run, axes: Axes) -> None:
    card(axes)
    heading(axes, 0.45, 2.8, "q · k of random vectors")
    inner = panel(axes, 0.45, 0.55, 3.2, 2.05)
    inner.set(xlim=(-60, 60), ylim=(0, 0.3), xticks=(-50, 0, 50), yticks=())
    draw_histograms(run, inner, "raw_histogram", "score", SHOWN[1:])
    for d, (x, y) in zip(SHOWN[1:], ((6, 0.2), (11, 0.085), (21, 0.052), (38, 0.025)), strict=True):
        label(inner, x, y, f"d = {d}", SHADES[SHOWN.index(d)] if d > 8 else SOFT)
    axis_name(axes, 2.05, 0.14, "q · k")
    heading(axes, 4.3, 2.8, "variance")
    right = panel(axes, 4.3, 0.55, 1.9, 2.05)
    right.set(xscale="log", yscale="log", xlim=(0.8, 700), ylim=(0.8, 700))
    right.set_xticks([1, 16, 128, 512], ["1", "16", "128", "512"])
    right.set_yticks([1, 16, 128, 512], ["1", "16", "128", "512"])
    dashed(right, (0.8, 700), (0.8, 700))
    points(right, DIMS, run.series["variance"].values, INK, 30)
    label(right, 10, 3.2, "variance = d", SOFT, bold=False)
    axis_name(axes, 5.25, 0.14, "d")


@dot_product_variance.draw(
    "saturation",
    alt="Raw scores: one weight of ten takes all, and both entropy and gradient shrink. Scaled scores: nothing of the "
    "kind.",
)
def draw_saturation(run: Run, axes: Axes) -> None:
    card(axes)
    weights, keys = run.series["example_weights"], range(1, 11)
    for row, (scaling, color) in enumerate(zip(SCALINGS, (RAW, INK), strict=True)):
        write(axes, 0.12, 3.2 - 0.95 * row, scaling, size=SMALL, color=color, bold=True, align="left")
        for place, d in enumerate((1, 16, 128, 512)):
            inner = panel(axes, 0.85 + 1.38 * place, 2.8 - 0.95 * row, 1.2, 0.75)
            inner.set(ylim=(0, 1), yticks=(0, 1) if not place else (), xticks=())
            bars(inner, keys, weights.at(row, DIMS.index(d)), color)
            if row == 0:
                heading(axes, 0.85 + 1.38 * place, 3.8, f"d = {d}")
    means = (
        ("largest_weight", "mean largest weight", (0, 0.5, 1)),
        ("entropy", "mean entropy, nats", (0, 1, 2)),
        ("gradient_norm", "mean size of gradient", (0, 0.2, 0.4)),
    )
    for place, (name, title, levels) in enumerate(means):
        left = 0.4 + 2.05 * place
        heading(axes, left, 1.6, title)
        inner = panel(axes, left, 0.5, 1.75, 0.9)
        inner.set(ylim=(0, 1.08 * max(levels)), yticks=levels)
        draw_against_d(run, inner, name)
        axis_name(axes, left + 0.87, 0.14, "d")


@dot_product_variance.draw(
    "scaled", alt="Divided by the root of d, the histograms of all larger d lie on the normal curve.", size=(6.4, 3.0)
)
def draw_scaled(run: Run, axes: Axes) -> None:
    card(axes)
    heading(axes, 0.45, 2.8, "q · k / √d of the same vectors")
    inner = panel(axes, 0.45, 0.55, 3.9, 2.05)
    inner.set(xlim=(-4, 4), ylim=(0, 0.14), xticks=range(-4, 5, 2), yticks=())
    draw_histograms(run, inner, "scaled_histogram", "scaled_score", SHOWN)
    normal = run.series["normal_histogram"]
    dashed(inner, normal.coordinates["scaled_score"], normal.values, RAW)
    label(inner, 0.5, 0.112, "d = 2", SOFT)
    label(inner, 1.3, 0.05, "d = 32 and more: N(0, 1)", INK)
    axis_name(axes, 2.4, 0.14, "q · k / √d")
    heading(axes, 4.75, 2.8, "variance")
    right = panel(axes, 4.75, 0.55, 1.5, 2.05)
    right.set(xscale="log", xlim=(0.8, 700), ylim=(0, 2), yticks=(0, 1, 2))
    right.set_xticks([1, 16, 512], ["1", "16", "512"])
    points(right, DIMS, run.series["scaled_variance"].values, INK, 30)
    axis_name(axes, 5.5, 0.14, "d")


def draw_batch(
    axes: Axes, left: float, top: float, cell: float, run: Run, name: str, lens: Sequence[int], hatched: bool
) -> None:
    """A batch of maps, one below the other; `hatched` shows padding as masked, else with the weight it got.

    Rows are called q1, q2, …, columns k1, k2, …
    """
    for sequence, valid in enumerate(lens):
        rows = list(run.series[name].rows(sequence))
        below = top - sequence * (len(rows) * cell + 0.12)
        keys = [f"k{j}" for j in range(1, len(rows[0]) + 1)] if sequence == 0 else ()
        heat_map(axes, left, below, cell, rows, queries=[f"q{i}" for i in range(1, len(rows) + 1)], keys=keys)
        for i in range(len(rows)):
            for j in range(valid, len(rows[0])):
                if hatched:
                    hatch(axes, left + j * cell, below - (i + 1) * cell, cell)
                else:
                    corner = (left + j * cell, below - (i + 1) * cell)
                    axes.add_patch(
                        Rectangle(corner, cell, cell, facecolor="none", edgecolor=RAW, linewidth=1.2, zorder=4)
                    )


@dot_product_variance.draw(
    "masking",
    alt="Sequences A, B, C and D have 6, 4, 2 and no keys of their own. Masked with minus infinity, padding weighs "
    "nothing; masked with zero, it takes a large share.",
)
def draw_masking(run: Run, axes: Axes) -> None:
    card(axes)
    lens, cell, top = run.parameters["valid_lens"], 0.35, 3.3
    heading(axes, 1.4, 3.75, "masked with −∞")
    draw_batch(axes, 1.4, top, cell, run, "masked_weights", lens, hatched=True)
    heading(axes, 4.1, 3.75, "masked with 0: the bug", RAW)
    draw_batch(axes, 4.1, top, cell, run, "zero_masked_weights", lens, hatched=False)
    for sequence, valid in enumerate(lens):
        y = top - sequence * (2 * cell + 0.12) - cell
        heading(axes, 0.15, y + 0.1, chr(ord("A") + sequence))
        write(axes, 0.15, y - 0.12, f"{valid} of 6 keys", size=SMALL, color=SOFT, align="left")


@dot_product_variance.draw(
    "additive", alt="A small network scores queries and keys of different sizes; shapes at each step.", size=(6.4, 3.2)
)
def draw_additive(run: Run, axes: Axes) -> None:
    card(axes)
    shape = {name: " × ".join(map(str, size)) for name, size in run.examples["additive_shapes"].items()}
    for y, name, layer, color in ((2.4, "queries", "W_q", QUERY), (1.2, "keys", "W_k", KEY)):
        write(axes, 0.2, y, name, color=color, bold=True, align="left")
        write(axes, 0.2, y - 0.22, shape[name], size=SMALL, color=SOFT, align="left")
        arrow(axes, (1.0, y - 0.08), (1.6, 1.96 if name == "queries" else 1.5), color)
        write(axes, 1.42, 2.24 if name == "queries" else 1.22, layer, size=SMALL, color=color, bold=True)
    write(axes, 2.15, 1.8, "tanh of the sum", bold=True)
    write(axes, 2.15, 1.58, shape["hidden"], size=SMALL, color=SOFT)
    arrow(axes, (2.85, 1.7), (3.35, 1.7), INK)
    write(axes, 3.1, 1.86, "w", size=SMALL, bold=True)
    write(axes, 3.7, 1.8, "scores", bold=True)
    write(axes, 3.7, 1.58, shape["scores"], size=SMALL, color=SOFT)
    arrow(axes, (4.0, 1.7), (4.3, 1.7), INK)
    heading(axes, 4.68, 2.98, "weights")
    draw_batch(axes, 4.68, 2.6, 0.33, run, "additive_weights", run.parameters["additive_lens"], hatched=True)
    axis_name(axes, 0.2, 0.25, "batch × queries × size,  batch × keys × size,  batch × queries × keys", "left")
