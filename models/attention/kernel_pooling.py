"""Kernel regression as attention: the samples answer for the query, each by how near it lies, and nothing is trained.

Nadaraya (1964) and Watson (1964) estimate a curve at a query x as the mean of the samples' y, weighted by a kernel of
the distance. Read x as the query, the samples' x as keys and their y as values, and it is attention with a fixed score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from matplotlib.axes import Axes
from torch import Tensor

from models.attention.charts import OTHERS, axis_name, bars, dashed, heading, label, panel, points, raster
from models.attention.drawing import INK, KEY, QUERY, SMALL, SOFT, VALUE, card, curve, write
from models.attention.kernels import KERNELS, Kernel
from models.attention.streams import Stream
from sitegen.recipes import Bake, drawn, exact, recipe
from sitegen.schema import Run


def truth(x: Tensor) -> Tensor:
    """The curve that the samples follow: y = 2 sin x + x."""
    return 2 * torch.sin(x) + x


def noisy_samples(seed: int, count: int, domain: tuple[float, float], noise: float) -> tuple[Tensor, Tensor]:
    """-> x (sample,), uniform on the domain, in rising order, and y (sample,) = truth(x) + noise · N(0, 1)."""
    low, high = domain
    x, _ = torch.from_numpy(low + (high - low) * Stream(seed, "samples").uniforms(count)).sort()
    return x, truth(x) + noise * torch.from_numpy(Stream(seed, "noise").normals(count))


def kernel_scores(queries: Tensor, keys: Tensor, kernel: Kernel, width: float) -> Tensor:
    """(query,), (key,) -> (query, key), all ≥ 0: the kernel of the distance, measured in widths."""
    return kernel((queries[:, None] - keys[None, :]) / width)


def pooling_weights(scores: Tensor) -> tuple[Tensor, Tensor]:
    """(query, key) -> weights (query, key) and defined (query,).

    Each row is divided by its sum. A query with an empty window has nothing to divide: there the estimate is not 0 but
    undefined, which `defined` tells; its weights are given as 0 so that they can be stored and drawn.
    """
    total = scores.sum(dim=-1, keepdim=True)
    defined = total > 0
    return torch.where(defined, scores / total.where(defined, 1.0), 0.0), defined.squeeze(-1)


def kernel_pooling(
    queries: Tensor, keys: Tensor, values: Tensor, kernel: Kernel, width: float
) -> tuple[Tensor, Tensor, Tensor]:
    """f(x) = Σᵢ K((x − xᵢ)/σ) yᵢ / Σⱼ K((x − xⱼ)/σ): (query,), (key,), (key,) -> estimates (query,), weights
    (query, key), defined (query,). Nadaraya 1964; Watson 1964."""
    weights, defined = pooling_weights(kernel_scores(queries, keys, kernel, width))
    return weights @ values, weights, defined


def leave_one_out(keys: Tensor, values: Tensor, kernel: Kernel, width: float) -> tuple[Tensor, Tensor]:
    """Each sample estimated from all the others: (key,), (key,) -> estimates (key,), defined (key,).

    It needs no truth: a reader with only the samples can compute it, and choose the width by it.
    """
    scores = kernel_scores(keys, keys, kernel, width).fill_diagonal_(0.0)
    weights, defined = pooling_weights(scores)
    return weights @ values, defined


def mean_absolute_error(estimates: Tensor, targets: Tensor, defined: Tensor) -> float:
    """The mean of |estimate − target| over the places where an estimate is defined; there must be one."""
    return (estimates - targets)[defined].abs().mean().item()


def best_width(widths: Sequence[float], errors: Sequence[float], coverage: Sequence[float]) -> tuple[float, float]:
    """The width of least error, and that error, among the widths that leave no gap."""
    error, width = min((e, w) for w, e, c in zip(widths, errors, coverage, strict=True) if c == 1)
    return width, error


NAMES = tuple(KERNELS)
WIDTHS = tuple(float(f"{0.05 * 10 ** (step / 10):.4g}") for step in range(21))  # ten a decade, 0.05 … 0.5 … 5
QUERIES = tuple(step / 20 for step in range(101))  # 0, 0.05, …, 5
OFFSETS = tuple(step / 20 for step in range(-60, 61))  # u from −3 to 3


@recipe(
    "kernel-pooling",
    act=2,
    seed=2,  # the number of the act
    reference="models.reference.lookups:KernelPooling",
    headline="gaussian_error",
    parameters={"num_samples": 40, "low": 0.0, "high": 5.0, "noise": 1.0, "width": 0.5, "query": 2.5},
    sample_x=exact("sample"),
    sample_y=exact("sample"),
    truth=drawn("query"),
    kernel_shapes=drawn("kernel", "u"),
    weights=drawn("kernel", "query", "sample"),
    fit=drawn("kernel", "width", "query"),
    defined=exact("kernel", "width", "query"),
    coverage=exact("kernel", "width"),
    error=exact("kernel", "width"),
    loo_error=exact("kernel", "width"),
    loo_coverage=exact("kernel", "width"),
)
def pooling(bake: Bake) -> None:
    """Fit the same 40 samples with five kernels and 21 widths, and score each fit with the truth and without it."""
    parameters = bake.parameters
    domain = (parameters["low"], parameters["high"])
    x, y = noisy_samples(bake.seed, parameters["num_samples"], domain, parameters["noise"])
    queries = torch.tensor(QUERIES, dtype=torch.float64)
    target = truth(queries)
    width, query = parameters["width"], QUERIES.index(parameters["query"])

    samples = range(len(x))
    bake.series("sample_x", x, sample=samples)
    bake.series("sample_y", y, sample=samples)
    bake.series("truth", target, query=QUERIES)
    u = torch.tensor(OFFSETS, dtype=torch.float64)
    bake.series("kernel_shapes", torch.stack([kernel(u) for kernel in KERNELS.values()]), kernel=NAMES, u=OFFSETS)
    maps = torch.stack([kernel_pooling(queries, x, y, kernel, width)[1] for kernel in KERNELS.values()])
    bake.series("weights", maps, kernel=NAMES, query=QUERIES, sample=samples)

    fits, masks, errors, loo_errors, loo_coverages = [], [], [], [], []
    for kernel in KERNELS.values():
        for each in WIDTHS:
            estimates, _, defined = kernel_pooling(queries, x, y, kernel, each)
            fits.append(estimates)
            masks.append(defined)
            errors.append(mean_absolute_error(estimates, target, defined))
            estimates, defined = leave_one_out(x, y, kernel, each)
            loo_errors.append(mean_absolute_error(estimates, y, defined))
            loo_coverages.append(defined.double().mean().item())
    shape = (len(NAMES), len(WIDTHS))
    fit = torch.stack(fits).unflatten(0, shape)  # (kernel, width, query)
    mask = torch.stack(masks).unflatten(0, shape)
    tables = {
        "coverage": mask.double().mean(dim=-1),
        "error": torch.tensor(errors, dtype=torch.float64).view(shape),
        "loo_error": torch.tensor(loo_errors, dtype=torch.float64).view(shape),
        "loo_coverage": torch.tensor(loo_coverages, dtype=torch.float64).view(shape),
    }
    axes = {"kernel": NAMES, "width": WIDTHS}
    bake.series("fit", fit, **axes, query=QUERIES)
    bake.series("defined", mask.long(), **axes, query=QUERIES)
    for name, table in tables.items():
        bake.series(name, table, **axes)

    given = WIDTHS.index(width)
    for row, name in enumerate(NAMES):
        error, coverage = tables["error"][row].tolist(), tables["coverage"][row].tolist()
        bake.metric(f"{name}_error", error[given], better="lower")
        if name == "constant":  # all widths alike: none is best
            continue
        bake.metric(f"{name}_error_narrow", error[0], better="lower")
        bake.metric(f"{name}_error_wide", error[-1], better="lower")
        bake.metric(f"{name}_gap_share", 1 - coverage[0], better="lower")
        chosen, least = best_width(WIDTHS, error, coverage)
        bake.metric(f"{name}_best_width", chosen)
        bake.metric(f"{name}_best_error", least, better="lower")
        loo_error, loo_coverage = tables["loo_error"][row].tolist(), tables["loo_coverage"][row].tolist()
        chosen, least = best_width(WIDTHS, loo_error, loo_coverage)
        bake.metric(f"{name}_loo_width", chosen)
        bake.metric(f"{name}_loo_error", least, better="lower")
        bake.metric(f"{name}_error_at_loo_width", error[WIDTHS.index(chosen)], better="lower")
    bake.metric("largest_weight", maps[NAMES.index("gaussian"), query].max().item())

    estimates = {name: fit[row, given, query].item() for row, name in enumerate(NAMES)}
    bake.example("one_query", {"x": QUERIES[query], "truth": target[query].item(), "estimates": estimates})
    asked = torch.arange(0, 5.5, 0.5, dtype=torch.float64)
    bake.probe(
        "kernelPooling",
        {"queries": asked, "keys": x, "values": y, "kernels": list(NAMES), "width": width},
        {"estimates": torch.stack([kernel_pooling(asked, x, y, kernel, width)[0] for kernel in KERNELS.values()])},
    )


# ---------------------------------------------------------------------------------------------------- stills

SHOWN = ("gaussian", "boxcar", "constant", "epanechnikov")


def plane(run: Run, axes: Axes, left: float, bottom: float, width: float, height: float) -> Axes:
    """Where samples and curves are drawn, wide enough for both."""
    inner = panel(axes, left, bottom, width, height)
    y = [*run.series["sample_y"].values, *run.series["truth"].values]
    inner.set(xlim=(-0.1, 5.1), ylim=(min(y) - 0.4, max(y) + 0.4), xticks=range(6), yticks=(0, 2, 4))
    return inner


def draw_fit(run: Run, inner: Axes, kernel: str, width: float) -> None:
    """A fitted curve, broken where it is undefined."""
    at = (NAMES.index(kernel), run.series["fit"].coordinates["width"].index(width))
    fit, defined = run.series["fit"].at(*at), run.series["defined"].at(*at)
    curve(inner, QUERIES, [y if known else math.nan for y, known in zip(fit, defined, strict=True)], VALUE)


def draw_samples(run: Run, inner: Axes, color: str = OTHERS, size: float = 14) -> None:
    points(inner, run.series["sample_x"].values, run.series["sample_y"].values, color, size)


@pooling.draw("samples", alt="Noisy samples scatter around a rising wave.", size=(6.4, 3.4))
def draw_data(run: Run, axes: Axes) -> None:
    card(axes)
    inner = plane(run, axes, 0.5, 0.45, 5.6, 2.75)
    dashed(inner, QUERIES, run.series["truth"].values)
    draw_samples(run, inner, INK, 22)
    label(inner, 0.5, 2.6, "2 sin x + x", SOFT, align="right", bold=False)
    axis_name(axes, 3.3, 0.12, "x")
    axis_name(axes, 0.2, 1.8, "y")


@pooling.draw("one-query", alt="Samples near the query are large, far ones small; their mean is the estimate.")
def draw_one_query(run: Run, axes: Axes) -> None:
    card(axes)
    query = run.parameters["query"]
    inner = plane(run, axes, 0.5, 1.35, 5.6, 2.4)
    weights = run.series["weights"].at(NAMES.index("gaussian"), QUERIES.index(query))
    x, y = run.series["sample_x"].values, run.series["sample_y"].values
    dashed(inner, QUERIES, run.series["truth"].values)
    inner.scatter(x, y, s=[4 + 900 * weight for weight in weights], color=VALUE, alpha=0.75, linewidths=0, zorder=3)
    estimate = run.examples["one_query"]["estimates"]["gaussian"]
    inner.axvline(query, color=QUERY, linewidth=1.2)
    inner.plot([query], [estimate], marker="D", color=QUERY, markersize=6, zorder=4)
    label(inner, query + 0.08, 0, f"query {query}", QUERY)
    label(inner, query + 0.12, estimate - 0.4, "estimate", QUERY)
    below = panel(axes, 0.5, 0.45, 5.6, 0.7)
    below.set(xlim=(-0.1, 5.1), ylim=(0, max(weights) * 1.1), xticks=range(6), yticks=())
    below.vlines(x, 0, weights, color=INK, linewidth=2)
    below.axvline(query, color=QUERY, linewidth=1.2)
    label(below, 0, max(weights) * 0.8, "weight of each sample", SOFT, bold=False)
    axis_name(axes, 3.3, 0.12, "x")


@pooling.draw("kernels", alt="Four kernels, and the curve that each fits to the same samples.", size=(6.4, 3.3))
def draw_kernels(run: Run, axes: Axes) -> None:
    card(axes)
    shapes = run.series["kernel_shapes"]
    for place, name in enumerate(SHOWN):
        left = 0.35 + 1.52 * place
        heading(axes, left, 3.1, name.capitalize() if name != "gaussian" else "Gaussian")
        above = panel(axes, left, 2.2, 1.35, 0.75)
        above.set(xlim=(-3, 3), ylim=(0, 1.1), xticks=(-2, 0, 2), yticks=())
        above.fill_between(OFFSETS, shapes.at(NAMES.index(name)), color=INK, alpha=0.1, linewidth=0)
        curve(above, OFFSETS, shapes.at(NAMES.index(name)))
        inner = plane(run, axes, left, 0.42, 1.35, 1.4)
        inner.set(yticks=() if place else (0, 2, 4), xticks=(0, 5))
        draw_samples(run, inner, OTHERS, 8)
        dashed(inner, QUERIES, run.series["truth"].values)
        draw_fit(run, inner, name, run.parameters["width"])
        axis_name(axes, left + 0.67, 0.1, f"error {run.metrics[f'{name}_error'].value:.2f}")


DARKEST = 0.25  # the ramp ends here: Epanechnikov's few larger weights are cut


@pooling.draw(
    "maps",
    alt="Queries by samples: a soft band, a hard band, an even grey, a narrow band. Below each, the row of one query.",
    size=(6.4, 3.9),
)
def draw_maps(run: Run, axes: Axes) -> None:
    card(axes)
    weights, query = run.series["weights"], run.parameters["query"]
    count = len(run.series["sample_x"].values)
    for place, name in enumerate(SHOWN):
        left = 0.5 + 1.48 * place
        heading(axes, left, 3.72, name.capitalize() if name != "gaussian" else "Gaussian")
        inner = raster(axes, left, 1.5, 1.32, 2.05, list(weights.rows(NAMES.index(name))), high=DARKEST,
                       extent=(0.5, count + 0.5, 5.025, -0.025))  # fmt: skip
        inner.set(xticks=(), yticks=() if place else range(6))
        inner.axhline(query, color=QUERY, linewidth=1)
        below = panel(axes, left, 0.62, 1.32, 0.7)
        below.set(xlim=(0.5, count + 0.5), ylim=(0, DARKEST), xticks=(1, 20, 40), yticks=())
        row = weights.at(NAMES.index(name), QUERIES.index(query))
        bars(below, range(1, count + 1), row, INK, width=0.8)
        write(axes, left + 0.66, 0.27, "samples", size=SMALL, color=KEY, bold=True)
    write(axes, 0.14, 2.52, "queries", size=SMALL, color=QUERY, bold=True, rotation=90)
    write(axes, 0.14, 0.97, f"query {query}", size=SMALL, color=QUERY, bold=True, rotation=90)


@pooling.draw(
    "width",
    alt="A narrow width chases the noise, a wide one flattens the curve; the error is least between. A narrow boxcar "
    "finds no sample at nearly half of the queries, and its curve has gaps there.",
)
def draw_width(run: Run, axes: Axes) -> None:
    card(axes)
    best = run.metrics["gaussian_best_width"].value
    shown = [("gaussian", WIDTHS[0]), ("gaussian", best), ("gaussian", WIDTHS[-1]), ("boxcar", WIDTHS[0])]
    for place, (kernel, width) in enumerate(shown):
        left = 0.4 + 1.5 * place
        heading(axes, left, 3.8, f"{'Boxcar' if kernel == 'boxcar' else 'Gaussian'}, {width:.2g}")
        inner = plane(run, axes, left, 2.35, 1.3, 1.25)
        inner.set(yticks=() if place else (0, 2, 4), xticks=(0, 5))
        draw_samples(run, inner, OTHERS, 8)
        dashed(inner, QUERIES, run.series["truth"].values)
        draw_fit(run, inner, kernel, width)
        if kernel == "boxcar":
            mark_gaps(run, inner, kernel, width)
    inner = panel(axes, 0.45, 0.5, 5.8, 1.3)
    gaussian_row = NAMES.index("gaussian")
    errors = {"error": VALUE, "loo_error": INK}
    values = {name: run.series[name].at(gaussian_row) for name in errors}
    inner.set(xscale="log", xlim=(WIDTHS[0] * 0.93, WIDTHS[-1] * 1.07), ylim=(0.38, 0.76), yticks=(0.4, 0.5, 0.6, 0.7))
    inner.set_xticks([0.05, 0.1, 0.5, 1, 5], ["0.05", "0.1", "0.5", "1", "5"])
    for name, color in errors.items():
        curve(inner, WIDTHS, values[name], color)
        least = min(values[name])
        points(inner, [WIDTHS[values[name].index(least)]], [least], color, 34)
    boxcar, covered = (run.series[name].at(NAMES.index("boxcar")) for name in ("error", "coverage"))
    whole = covered.index(1)  # from this width on the boxcar's fit has no gap
    curve(inner, WIDTHS[whole:], boxcar[whole:], OTHERS)
    inner.plot(WIDTHS[: whole + 1], boxcar[: whole + 1], color=OTHERS, linewidth=1.5, linestyle=(0, (1, 1.5)))
    label(inner, 0.62, 0.43, f"error against the truth, best at {best:.2f}", VALUE)
    label(inner, 0.051, 0.72, f"leave-one-out error, best at {run.metrics['gaussian_loo_width'].value:.2f}", INK)
    gaps = "boxcar against the truth, dotted where its fit has gaps"
    label(inner, WIDTHS[-1], 0.735, gaps, SOFT, "right", bold=False)
    axis_name(axes, 3.35, 0.14, "width of the kernel: the Gaussian, and in grey the boxcar")
    heading(axes, 0.45, 1.97, "mean absolute error")


def mark_gaps(run: Run, inner: Axes, kernel: str, width: float) -> None:
    """Strokes along the axis where no sample is in the window."""
    defined = run.series["defined"].at(NAMES.index(kernel), WIDTHS.index(width))
    empty = [query for query, known in zip(QUERIES, defined, strict=True) if not known]
    low = inner.get_ylim()[0]
    inner.plot(empty, [low + 0.1] * len(empty), linestyle="none", marker="|", color=KEY, markersize=5)
    label(inner, QUERIES[-1], low + 0.55, "no sample", KEY, align="right")
