"""Kernel regression as attention: the samples answer for the query, each by how near it lies, and nothing is trained.

Nadaraya (1964) and Watson (1964) estimate a curve at a query x as the mean of the samples' y, weighted by a kernel of
the distance. Read x as the query, the samples' x as keys and their y as values, and it is attention with a fixed score.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from models.attention.kernels import KERNELS, Kernel
from models.attention.streams import Stream
from sitegen.recipes import Bake, drawn, exact, recipe


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
