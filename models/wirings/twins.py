"""The torch models of this chapter as the independent engine of `models/reference/` sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.attention import opinions
from models.attention.reversal import teacher_forced_loss
from models.attention.twins import Parameters, Twin
from models.reference import blocks
from models.wirings import strings


class StringReverser(Twin):
    """The encoder–decoder that reverses strings."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.parameters = seed, parameters
        self.model = strings.reverser(seed, **{name: parameters[name] for name in strings.SIZES})

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        names = ("source", "inputs", "source_valid", "target_valid")
        given = (None if name not in inputs else torch.as_tensor(inputs[name]) for name in names)
        return self.model(*given)._asdict()

    def loss(self, batch: Any) -> Tensor:
        return teacher_forced_loss(self.model, torch.from_numpy(batch.source))

    def updates(self) -> Iterator[float]:
        given = self.parameters
        return strings.train(
            self.model, self.seed, steps=given["steps"], batch_size=given["batch_size"],
            learning_rate=given["learning_rate"], max_norm=given["clip"],
        )  # fmt: skip

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        yield from opinions.on_attention()
        yield from on_rms_norm()
        yield from on_gated_ffn()


@torch.no_grad()
def on_rms_norm() -> Iterator[opinions.Opinion]:
    """torch.nn.RMSNorm."""
    X = opinions.drawn("inputs", 8, 7, 16)
    table = {"norm.weight": 1 + 0.1 * opinions.drawn("gamma", 16)}
    norm = nn.RMSNorm(16, eps=1e-6, dtype=torch.float64)
    norm.weight.copy_(opinions.tensor(table["norm.weight"]))
    yield "RMSNorm", blocks.rms_norm(X, table, "norm")[0], norm(opinions.tensor(X)).numpy()


def on_gated_ffn() -> Iterator[opinions.Opinion]:
    """torch.nn.functional.silu and linear; and the gradient by what enters, as autograd has it."""
    X = opinions.drawn("inputs", 8, 7, 16)
    shapes = {"W_gate": (32, 16), "W_up": (32, 16), "W_down": (16, 32)}
    table = {f"ffn.{name}.weight": opinions.drawn(name, *shape) / 4 for name, shape in shapes.items()}
    gate, up, down = (opinions.tensor(table[f"ffn.{name}.weight"]) for name in shapes)
    given = opinions.tensor(X).requires_grad_()
    theirs = functional.linear(functional.silu(functional.linear(given, gate)) * functional.linear(given, up), down)
    theirs.sum().backward()
    Y, back = blocks.gated_ffn(X, table, "ffn")
    assert given.grad is not None, "backward reaches its leaf"
    yield "gated FFN", Y, theirs.detach().numpy()
    yield "gated FFN's derivative", back(np.ones_like(Y), {}), given.grad.numpy()
