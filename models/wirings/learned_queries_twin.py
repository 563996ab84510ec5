"""The reader of labelled digits as the independent engine of `models/reference/` sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from models.attention import opinions
from models.attention.twins import Parameters, Twin
from models.wirings import labelled_digits
from models.wirings.twins import on_gated_ffn, on_rms_norm


class LabelReader(Twin):
    """The Perceiver whose latents look up digits."""

    def __init__(self, seed: int, parameters: Parameters) -> None:
        self.seed, self.parameters = seed, parameters
        self.model = labelled_digits.reader(seed, **{name: parameters[name] for name in labelled_digits.SIZES})

    def predict(self, inputs: Mapping[str, Any]) -> dict[str, Tensor]:
        return self.model(*(torch.as_tensor(inputs[name]) for name in ("labels", "digits")))._asdict()

    def loss(self, batch: Any) -> Tensor:
        given = labelled_digits.Tables(torch.as_tensor(batch.labels), torch.as_tensor(batch.digits))
        return labelled_digits.lookup_loss(self.model, given)

    def updates(self) -> Iterator[float]:
        given = self.parameters
        return labelled_digits.train(
            self.model, self.seed, steps=given["steps"], batch_size=given["batch_size"],
            learning_rate=given["learning_rate"], max_norm=given["clip"],
        )  # fmt: skip

    def opinions(self) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
        yield from opinions.on_attention()
        yield from on_rms_norm()
        yield from on_gated_ffn()
