"""Which letter a place of the encoder's output tells of: its own where nothing is moved, its mirror where all is."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from models.wirings.moved import told_of
from models.wirings.reverse_strings_deep import mirrored_half
from models.wirings.strings import batch

pytestmark = pytest.mark.bake


class Encoder:
    """Writes each letter's number into the place that `order` gives it."""

    def __init__(self, order):
        self.order = order

    def encode(self, source):
        return source[:, self.order, None].double(), None


@pytest.mark.parametrize(
    ("order", "expected"),
    [(torch.arange(12), torch.eye(12)), (torch.arange(12).flip(0), torch.eye(12).flip(0))],
    ids=["kept", "reversed"],
)
def test_each_place_tells_of_the_letter_that_was_put_there(order, expected):
    assert_close(told_of(Encoder(order), batch(0, 0, 8)), expected.double())


def test_the_other_half_is_told_of_wholly_when_all_is_reversed():
    assert mirrored_half(torch.eye(12)) == 0
    assert mirrored_half(torch.eye(12).flip(0)) == 1
