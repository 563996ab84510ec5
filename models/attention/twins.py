"""The torch models as the independent engine sees them: the same questions, answered by torch.

`sitegen verify` puts each question to a class of `models/reference/` and to its twin here. Weights and answers pass
as NumPy arrays under the names of `state_dict`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from models.attention import alignment, garments, opinions, reversal
from models.attention.attention import padding_mask
from models.attention.fashion_mnist import SUBSET, load_subset

Arrays = Mapping[str, NDArray[Any]]
Parameters = Mapping[str, Any]


class Twin:
    """What all twins share. A subclass makes `model`, and says how it predicts, what its loss is, how it trains."""

    model: nn.Module

    def load(self, weights: Arrays) -> None:
        self.model.load_state_dict({name: torch.from_numpy(np.array(value)) for name, value in weights.items()})

    def weights(self) -> dict[str, NDArray[Any]]:
        """A copy of the model's weights, in float64."""
        return {name: value.numpy().astype(np.float64) for name, value in self.model.state_dict().items()}

    @torch.no_grad()
    def forward(self, weights: Arrays, inputs: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """The model's outputs by name."""
        self.load(weights)
        return {name: value.numpy() for name, value in self.predict(inputs).items()}

    def loss_and_gradients(self, weights: Arrays, batch: Any) -> tuple[float, dict[str, NDArray[Any]]]:
        """The loss on a batch of the engine's, and what autograd says of it."""
        self.load(weights)
        self.model.zero_grad()
        loss = self.loss(batch)
        loss.backward()
        named = self.model.named_parameters()
        return loss.item(), {name: value.grad.numpy().copy() for name, value in named if value.grad is not None}

    def training(self) -> Iterator[tuple[float, dict[str, NDArray[Any]]]]:
        """The recipe's own training: for t = 0, 1, … the loss and the weights after t updates."""
        for loss in self.updates():
            yield loss, self.weights()

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        """(what, as `models/reference/` computes it, as torch's own layers do) of what this model is built from."""
        raise NotImplementedError

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        raise NotImplementedError

    def loss(self, batch: Any) -> Tensor:
        raise NotImplementedError

    def updates(self) -> Iterator[float]:
        raise NotImplementedError


class Reverser(Twin):
    """The Transformer that reverses digits."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.parameters = seed, parameters
        sizes = ("num_hiddens", "num_heads", "ffn_num_hiddens", "num_blocks")
        self.model = reversal.reverser(seed, **{name: parameters[name] for name in sizes})

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        source, given = (torch.as_tensor(inputs[name]) for name in ("source", "inputs"))
        lens = inputs.get("source_lens")
        mask = None if lens is None else padding_mask(torch.as_tensor(lens), source.shape[1])
        return self.model(source, given, mask)._asdict()

    def loss(self, batch: Any) -> Tensor:
        return reversal.teacher_forced_loss(self.model, torch.from_numpy(batch.source))

    def updates(self) -> Iterator[float]:
        given = self.parameters
        return reversal.train(
            self.model, self.seed, steps=given["steps"], batch_size=given["batch_size"],
            learning_rate=given["learning_rate"], max_norm=given["clip"],
        )  # fmt: skip

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        yield from opinions.on_attention()
        yield from opinions.on_encoder_block()


class Aligner(Twin):
    """The additive score that learns to align."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.parameters = parameters
        sizes = ("num_hiddens", "meaning_size", "sharpness")
        self.model = alignment.untrained(seed, **{name: parameters[name] for name in sizes})

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        logits, weights = self.model(inputs["source"], inputs["written"])
        return {"logits": logits, "weights": weights}

    def loss(self, batch: Any) -> Tensor:
        places = tuple(batch.source.index(word) for word in batch.target)
        return self.model.loss(alignment.Pair(batch.source, places))[0]

    def updates(self) -> Iterator[float]:
        pair = alignment.pair(alignment.TRAINED, alignment.CROSSED)
        given = self.parameters
        losses = alignment.train(self.model, pair, steps=given["steps"], learning_rate=given["learning_rate"])
        return (loss for loss, _ in losses)

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        yield from opinions.on_loss()


class VisionTransformer(Twin):
    """The vision Transformer that recognises garments."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.parameters = seed, parameters
        self.model = garments.classifier(seed, **{name: parameters[name] for name in garments.SIZES})

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        logits, attention = self.model(torch.as_tensor(inputs["images"]))
        return {"logits": logits, "attention": attention, "cls_attention": attention[:, :, :, 0]}

    def loss(self, batch: Any) -> Tensor:
        logits = self.model(torch.from_numpy(batch.images)).logits
        return cross_entropy(logits, torch.from_numpy(batch.labels), label_smoothing=self.parameters["label_smoothing"])

    def updates(self) -> Iterator[float]:
        schedule = ("steps", "batch_size", "learning_rate", "weight_decay", "label_smoothing")
        training = garments.tensors(load_subset(SUBSET).training)
        return garments.train(self.model, training, self.seed, **{name: self.parameters[name] for name in schedule})

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        yield from opinions.on_gelu()
        yield from opinions.on_smoothed_loss()
