"""Gradient descent fits a straight line to forty noisy points."""

from collections.abc import Iterator

import torch
from torch import Tensor

from sitegen.recipes import Bake, exact, recipe
from sitegen.schema import Run


def points(seed: int) -> tuple[Tensor, Tensor]:
    """x and y, each (40,): along a line of slope 2, pushed off it at random."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.linspace(-1, 1, 40, dtype=torch.float64)
    return x, 2 * x + 0.1 * torch.randn(40, generator=generator, dtype=torch.float64)


def descend(x: Tensor, y: Tensor, steps: int, learning_rate: float) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Slope, intercept and mean squared error at the start and after each step."""
    a, b = torch.zeros(2, dtype=torch.float64, requires_grad=True).unbind()
    for step in range(steps + 1):
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        error = ((a * x + b - y) ** 2).mean()
        yield a, b, error
        if step < steps:
            da, db = torch.autograd.grad(error, (a, b))
            a, b = a - learning_rate * da, b - learning_rate * db


def least_squares(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Slope and intercept of the best line, at once."""
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return slope, y.mean() - slope * x.mean()


@recipe(
    "fit-line",
    act=1,
    seed=7,
    parameters={"steps": 40, "learning_rate": 0.2},
    headline="error_last",
    slope=exact("step"),
    intercept=exact("step"),
    error=exact("step"),
)
def fit_line(bake: Bake) -> None:
    x, y = points(bake.seed)
    steps = bake.parameters["steps"]
    history = []
    for step, (slope, intercept, error) in enumerate(descend(x, y, steps, bake.parameters["learning_rate"])):
        history.append((slope.item(), intercept.item(), error.item()))
        bake.weights(step, {"slope": slope.detach(), "intercept": intercept.detach()})
        bake.progress(step, steps, error=error)

    slopes, intercepts, errors = zip(*history, strict=True)
    bake.series("slope", slopes)
    bake.series("intercept", intercepts)
    bake.series("error", errors)
    bake.example("points", {"x": x.tolist(), "y": y.tolist()})

    best_slope, _ = least_squares(x, y)
    bake.metric("error_first", errors[0], better="lower")
    bake.metric("error_last", errors[-1], better="lower")
    bake.metric("slope", slopes[-1])
    bake.metric("best_slope", best_slope)
    bake.metric("gap", abs(slopes[-1] - best_slope), better="lower")


@fit_line.draw("fall", size=(6.4, 4.4), alt="The line turns from flat to steep until it lies along the points.")
def fall(run: Run, axes) -> None:
    points = run.examples["points"]
    axes.scatter(points["x"], points["y"], s=14, color="#8a857a")
    for step, shade in ((0, 0.25), (2, 0.4), (5, 0.55), (10, 0.7), (40, 1.0)):
        slope, intercept = (run.series[name].values[step] for name in ("slope", "intercept"))
        axes.plot((-1, 1), (intercept - slope, intercept + slope), color="#a3341f", alpha=shade)
        axes.annotate(f"{step}", (1, intercept + slope), xytext=(6, 0), textcoords="offset points", va="center")
    axes.set(xlabel="x", ylabel="y")
    axes.set_title("the line after so many steps", fontsize="medium", loc="right")
    axes.spines[["top", "right"]].set_visible(False)
