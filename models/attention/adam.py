"""One training step's last third: gradients are clipped, Adam moves the parameters, and the step size falls."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch.nn import Parameter


def linear_decay(step: int, steps: int, rate: float) -> float:
    """The learning rate of update `step`, counted from 0: from `rate` in a straight line to 0 after `steps` updates."""
    return rate * (1 - step / steps)


def clip_gradients(parameters: Iterable[Parameter], max_norm: float) -> float:
    """Shrinks all gradients by one factor so that their joint norm is at most max_norm. -> the norm before.

    Pascanu et al. 2013, section 3.2; the 1e-6 is torch's.
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = math.sqrt(sum(gradient.square().sum().item() for gradient in gradients))
    factor = min(1.0, max_norm / (norm + 1e-6))
    for gradient in gradients:
        gradient.mul_(factor)
    return norm


class Adam:
    """Adam as torch computes it. Kingma and Ba 2015, algorithm 1.

    The powers of the betas are running products, because libraries disagree on the last bit of `pow`.
    """

    def __init__(self, parameters: Iterable[Parameter], betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8):
        self.parameters = list(parameters)
        self.means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.betas, self.eps = betas, eps
        self.powers = (1.0, 1.0)

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Moves every parameter by its gradient's running mean over the root of its running square, times `rate`."""
        beta1, beta2 = self.betas
        self.powers = (self.powers[0] * beta1, self.powers[1] * beta2)
        size, root = rate / (1 - self.powers[0]), math.sqrt(1 - self.powers[1])
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            gradient = parameter.grad
            assert gradient is not None, "backward reaches every parameter"
            mean.mul_(beta1).add_(gradient, alpha=1 - beta1)
            square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            parameter.sub_(size * mean / (square.sqrt() / root + self.eps))

    def forget_gradients(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None
