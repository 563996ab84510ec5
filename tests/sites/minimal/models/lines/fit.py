"""A slope by gradient descent."""

from sitegen.recipes import Bake, exact, recipe


def slope(points, rate, steps):
    """points: (x, y) pairs -> the weights after each step, the first one 0."""
    weights = [0.0]
    for _ in range(steps):
        gradient = sum((weights[-1] * x - y) * x for x, y in points) / len(points)
        weights.append(weights[-1] - rate * gradient)
    return weights


@recipe("line-fit", act=1, seed=1, parameters={"steps": 4, "rate": 0.5}, loss=exact("step"))
def line_fit(bake: Bake) -> None:
    points = [(0.5, 1.0), (1.0, 2.0), (1.5, 3.0)]
    weights = slope(points, bake.parameters["rate"], bake.parameters["steps"])
    losses = [sum((y - weight * x) ** 2 for x, y in points) / len(points) for weight in weights]
    bake.series("loss", losses, step=list(range(len(weights))))
    bake.metric("slope", weights[-1])
    bake.metric("error", abs(weights[-1] - 2.0), better="lower")


@line_fit.draw("curve", alt="The loss falls.")
def curve(run, axes):
    axes.plot(run.series["loss"].values)
