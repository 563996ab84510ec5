"""From gradients to the next weights: clipping, Adam, a falling rate, and weights that shrink."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from models.reference.arrays import Array, Gradients, Weights


def falling_rate(step: int, steps: int, rate: float) -> float:
    """`rate` at step 0, in a straight line to 0 at `steps`."""
    return rate * (steps - step) / steps


def clipped(gradients: Gradients, max_norm: float) -> Gradients:
    """All gradients times min(1, max_norm / (‖all of them‖ + 10⁻⁶)). Pascanu et al. 2013."""
    norm = math.sqrt(sum(float((gradient * gradient).sum()) for gradient in gradients.values()))
    shrink = min(1.0, max_norm / (norm + 1e-6))
    return {name: gradient * shrink for name, gradient in gradients.items()}


@dataclass
class Adam:
    """m and v are running means of the gradient and of its square, and θ falls by rate · m̂ / (√v̂ + ε), where the hats
    divide by 1 − βᵗ, what the means have seen so far. βᵗ is a product that grows by one factor a step.
    Kingma and Ba 2015.
    """

    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    power1: float = 1.0
    power2: float = 1.0
    m: dict[str, Array] = field(default_factory=dict)
    v: dict[str, Array] = field(default_factory=dict)

    def update(self, weights: Weights, gradients: Gradients, rate: float) -> dict[str, Array]:
        """The weights after one step; those without a gradient are as they were."""
        self.power1 *= self.beta1
        self.power2 *= self.beta2
        moved = dict(weights)
        for name, gradient in gradients.items():
            m = self.beta1 * self.m.get(name, 0.0) + (1 - self.beta1) * gradient
            v = self.beta2 * self.v.get(name, 0.0) + (1 - self.beta2) * gradient**2
            self.m[name], self.v[name] = m, v
            unbiased_m, unbiased_v = m / (1 - self.power1), v / (1 - self.power2)
            moved[name] = weights[name] - rate * unbiased_m / (np.sqrt(unbiased_v) + self.eps)
        return moved


def shrunk(weights: Weights, names: tuple[str, ...], share: float) -> dict[str, Array]:
    """Decoupled weight decay: the named weights lose a share of themselves. Loshchilov and Hutter 2019."""
    return {name: value * (1 - share) if name in names else value for name, value in weights.items()}
