"""Initial weights from a seed: the same bits on every machine, as none of them passes through a library's log."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from models.attention.streams import Stream


@torch.no_grad()
def initialise(model: nn.Module, seed: int) -> None:
    """Gives each matrix of the model values from the stream "initial/<its name>"; other parameters stay as torch sets
    them, but biases become 0. Embeddings are nearly N(0, 1), the rest Xavier-uniform (Glorot and Bengio 2010, eq. 16).
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding):
            fill(module.weight, Stream(seed, f"initial/{name}.weight").normals(module.weight.numel()))
        if isinstance(module, nn.Linear):
            bound = math.sqrt(6 / (module.in_features + module.out_features))
            uniforms = Stream(seed, f"initial/{name}.weight").uniforms(module.weight.numel())
            fill(module.weight, (2 * uniforms - 1) * bound)
            if module.bias is not None:
                module.bias.zero_()


def fill(parameter: Tensor, values: object) -> None:
    parameter.copy_(torch.as_tensor(values).reshape(parameter.shape))
