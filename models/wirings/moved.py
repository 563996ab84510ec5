"""Where an encoder has put the letters: which letter of the source each place of its output tells of."""

from __future__ import annotations

import torch
from torch import Tensor

from models.wirings.encoder_decoder import EncoderDecoder
from models.wirings.strings import ALPHABET


@torch.no_grad()
def told_of(model: EncoderDecoder, source: Tensor) -> Tensor:
    """source: (count, seq) -> (place, letter), the mean over the strings of how far the encoder's output at `place`
    moves when the letter at `letter` becomes another one, the one half the alphabet on; each row sums to 1.

    An encoder that leaves the letters where they are gives a diagonal, one that reverses them an anti-diagonal.
    """
    memory, _ = model.encode(source)
    columns = []
    for letter in range(source.shape[1]):
        changed = source.clone()
        changed[:, letter] = (source[:, letter] + len(ALPHABET) // 2) % len(ALPHABET)
        columns.append((model.encode(changed)[0] - memory).norm(dim=-1).mean(dim=0))
    distances = torch.stack(columns, dim=1)
    return distances / distances.sum(dim=1, keepdim=True)
