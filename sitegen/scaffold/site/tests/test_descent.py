"""Gradient descent finds the line that least squares gives at once, and goes downhill all the way."""

import pytest

torch = pytest.importorskip("torch")
descent = pytest.importorskip("models.lines.descent")


def test_each_step_goes_downhill():
    x, y = descent.points(seed=7)

    errors = [error.item() for _, _, error in descent.descend(x, y, steps=40, learning_rate=0.2)]

    assert errors == sorted(errors, reverse=True)


def test_with_enough_steps_it_is_the_best_line():
    x, y = descent.points(seed=3)

    *_, (slope, intercept, _) = descent.descend(x, y, steps=400, learning_rate=0.2)

    torch.testing.assert_close(torch.stack([slope, intercept]), torch.stack(descent.least_squares(x, y)))


def test_with_a_learning_rate_of_two_each_step_trebles_the_distance_of_the_intercept():
    x, y = descent.points(seed=7)
    _, best = descent.least_squares(x, y)

    distances = [(b - best).item() for _, b, _ in descent.descend(x, y, steps=3, learning_rate=2.0)]

    assert distances == pytest.approx([distances[0] * (-3) ** step for step in range(4)])
