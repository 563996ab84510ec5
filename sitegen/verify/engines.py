"""What a recipe's `reference` names, and its twin: the two engines whose answers are compared.

A reference is a class of the site's `models/`, made from a recipe's seed and parameters; it computes in NumPy and
float64. If what it computes is trained, it names its twin, a class that puts the same questions to the torch model.
Arrays pass between the two by name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sitegen.errors import RecipeError
from sitegen.schema import RecipeInfo

Arrays = Mapping[str, Any]  # name -> numpy array


class Reference(Protocol):
    """`forward` is all that a run with a probe needs; with `twin` and `cases` both engines are compared on more inputs.

    The rest belongs to trained models. One that leaves out `loss_and_gradients` is compared forward only, one that
    leaves out `step` not step by step, one that leaves out `recounted` has no decodes.
    """

    twin: str  # "models.package.module:Class"
    steps: int

    def forward(self, weights: Arrays, inputs: Mapping[str, Any]) -> Arrays:
        """Outputs by name."""

    def cases(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Inputs to compare both engines on, and what each is called."""

    def untrained(self) -> Arrays:
        """The weights before the first update, made from the seed."""

    def batch(self, step: int, count: int | None = None) -> Any:
        """What update `step`, counted from 0, learns from, or the first `count` of it."""

    def loss_and_gradients(self, weights: Arrays, batch: Any) -> tuple[float, Arrays]:
        """The loss on a batch and its derivative by each weight that is learned."""

    def optimiser(self) -> Any:
        """The state of the optimiser before the first update."""

    def step(self, weights: Arrays, optimiser: Any, step: int) -> tuple[float, Arrays]:
        """The loss before an update and the weights after it; the optimiser's state moves on."""

    def recounted(self, checkpoints: Mapping[int, Arrays], examples: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
        """Parts of the run, as paths of values, and what they are when made again from its weights."""


class Twin(Protocol):
    """The torch model. It has what its reference has; `training` belongs to `step`."""

    def forward(self, weights: Arrays, inputs: Mapping[str, Any]) -> Arrays: ...

    def loss_and_gradients(self, weights: Arrays, batch: Any) -> tuple[float, Arrays]: ...

    def training(self) -> Iterator[tuple[float, Arrays]]:
        """For t = 0, 1, … the loss and the weights after t updates, as the recipe trains."""

    def opinions(self) -> Iterator[tuple[str, Any, Any]]:
        """What the reference computes, as it does, and as torch's own layers do."""


def reference_of(info: RecipeInfo) -> Reference | None:
    """The reference of a recipe, or None if it names none."""
    if info.reference is None:
        return None
    found: Reference = _made(info.reference, info, "reference")
    return found


def twin_of(reference: Reference, info: RecipeInfo) -> Twin | None:
    """The twin of a reference, or None if it trains nothing."""
    target = getattr(reference, "twin", None)
    if target is None:
        return None
    found: Twin = _made(target, info, "twin")
    return found


def _made(target: str, info: RecipeInfo, what: str) -> Any:
    module, _, name = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        raise RecipeError(f"the {what} {target!r} cannot be imported: {error}", at=info.at) from None
    if found is None:
        raise RecipeError(f"the {what} {target!r} is not there", at=info.at, hint=f"{module} has no {name}")
    return found(info.seed, dict(info.parameters))
