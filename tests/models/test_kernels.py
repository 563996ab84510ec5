import math

import numpy as np
import pytest
import torch

from models.attention.kernels import KERNELS

pytestmark = pytest.mark.bake

ORACLES = {
    "gaussian": lambda u: math.exp(-u * u / 2),
    "boxcar": lambda u: 1.0 if abs(u) <= 1 else 0.0,
    "constant": lambda u: 1.0,
    "epanechnikov": lambda u: 1 - u * u if abs(u) <= 1 else 0.0,
    "triangular": lambda u: 1 - abs(u) if abs(u) <= 1 else 0.0,
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_its_formula(name):
    u = np.linspace(-3, 3, 121)
    np.testing.assert_allclose(KERNELS[name](torch.from_numpy(u)), [ORACLES[name](value) for value in u], atol=1e-15)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_even_never_negative_and_one_at_no_distance(name):
    u = torch.linspace(0, 4, 81, dtype=torch.float64)
    kernel = KERNELS[name]
    assert torch.equal(kernel(u), kernel(-u))
    assert (kernel(u) >= 0).all()
    assert kernel(torch.zeros(1)).item() == 1


@pytest.mark.parametrize("name", KERNELS)
def test_a_farther_sample_never_has_more_say(name):
    say = KERNELS[name](torch.linspace(0, 4, 81, dtype=torch.float64))
    assert (say.diff() <= 0).all()
