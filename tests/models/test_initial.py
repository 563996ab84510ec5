"""Initial weights come from the seed and the tensor's name alone."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from models.attention.initial import initialise
from models.attention.streams import Stream

pytestmark = pytest.mark.bake


def network():
    return nn.ModuleDict({"table": nn.Embedding(50, 40), "dense": nn.Linear(40, 30), "norm": nn.LayerNorm(30)}).double()


def test_each_tensor_is_its_own_stream():
    model = network()
    initialise(model, seed=3)
    assert model["table"].weight.flatten().tolist() == Stream(3, "initial/table.weight").normals(2000).tolist()
    bound = math.sqrt(6 / 70)
    assert model["dense"].weight.abs().max() <= bound
    assert model["dense"].weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    assert (model["dense"].bias == 0).all()
    assert (model["norm"].weight == 1).all()


def test_torch_has_no_part_in_it():
    torch.manual_seed(1)
    one = network()
    torch.manual_seed(2)
    other = network()
    initialise(one, seed=3)
    initialise(other, seed=3)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    initialise(other, seed=4)
    assert not torch.equal(one["dense"].weight, other["dense"].weight)
