"""Two ways to learn from bare text, and one training for both: hide letters, or hide all that comes after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from models.attention.adam import Adam
from models.attention.attention import causal_mask
from models.wirings.encoder import TransformerEncoder
from models.wirings.text import Masked

Objective = Callable[[TransformerEncoder, Masked], Tensor]


def masked_loss(model: TransformerEncoder, batch: Masked) -> Tensor:
    """The mean of −log p(hidden letter | all that is shown) over the hidden letters. Devlin et al. 2018, section 3.1.

    Where nothing is hidden there is nothing to learn, so only hidden letters are asked for.
    """
    return cross_entropy(model.logits_at(batch.inputs, batch.hidden), batch.targets)


def causal_loss(model: TransformerEncoder, batch: Masked) -> Tensor:
    """The mean of −log p(letter | all letters before it) over the same letters; before them nothing is hidden.

    A causal model could learn from all letters at once. Asked for these alone, it has as much to learn from as the
    other, so that what is left between the two is what each may see.
    """
    mask = causal_mask(batch.windows.shape[1])
    return cross_entropy(model.logits_at(batch.before, batch.hidden, mask), batch.targets)


class Training:
    """A model on its way. `state` is all that decides how it goes on, so that a training can end and begin again."""

    def __init__(
        self, model: TransformerEncoder, objective: Objective, batch: Callable[[int], Masked], learning_rate: float
    ) -> None:
        """`batch` gives what update 0, 1, … learns from."""
        self.model, self.objective, self.batch, self.learning_rate = model, objective, batch, learning_rate
        self.adam = Adam(model.parameters())
        self.losses: list[float] = []

    @property
    def step(self) -> int:
        """Updates made so far."""
        return len(self.losses)

    def update(self) -> float:
        """One update on the next batch. -> the loss before it."""
        loss = self.objective(self.model, self.batch(self.step))
        self.adam.forget_gradients()
        loss.backward()
        self.adam.step(self.learning_rate)
        self.losses.append(loss.item())
        return self.losses[-1]

    def state(self) -> dict[str, Any]:
        """Weights, the optimiser's running means and powers, and the losses, under flat names."""
        found: dict[str, Any] = {"losses": list(self.losses), "powers": list(self.adam.powers)}
        for name, parameter, mean, square in self._slots():
            found |= {f"weights.{name}": parameter.detach(), f"means.{name}": mean, f"squares.{name}": square}
        return found

    @torch.no_grad()
    def restore(self, state: Mapping[str, Any]) -> None:
        """The reverse of `state`."""
        self.losses = list(state["losses"])
        first, second = state["powers"]
        self.adam.powers = (first, second)
        for name, parameter, mean, square in self._slots():
            for kind, tensor in (("weights", parameter), ("means", mean), ("squares", square)):
                tensor.copy_(torch.as_tensor(state[f"{kind}.{name}"]))

    def _slots(self) -> zip[tuple[str, torch.nn.Parameter, Tensor, Tensor]]:
        names = [name for name, _ in self.model.named_parameters()]
        return zip(names, self.adam.parameters, self.adam.means, self.adam.squares, strict=True)
