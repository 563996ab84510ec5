import math

import pytest
import torch

from models.attention.entropy import entropy

pytestmark = pytest.mark.bake


def test_a_row_with_one_weight_has_no_entropy_and_equal_weights_have_the_log_of_their_number():
    weights = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]], dtype=torch.float64)
    torch.testing.assert_close(entropy(weights), torch.tensor([0.0, math.log(4)], dtype=torch.float64))
