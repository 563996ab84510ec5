"""The encoder in NumPy says what the torch model says, with a causal mask and without."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from models.attention.attention import causal_mask
from models.reference.encoder import MaskedCharacters
from models.wirings.encoder import TransformerEncoder, initialise_encoder

pytestmark = pytest.mark.bake


@pytest.mark.parametrize("causal", [False, True])
def test_both_engines_give_the_same_logits_and_maps(causal):
    model = TransformerEncoder(28, 32, 4, 48, 3, 20).double()
    initialise_encoder(model, 5, embedding_std=0.5)
    tokens = torch.randint(28, (6, 17), generator=torch.Generator().manual_seed(5))
    theirs = model(tokens, causal_mask(17) if causal else None)

    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    ours = MaskedCharacters(5, {"num_heads": 4}).forward(weights, {"tokens": tokens.tolist(), "causal": causal})

    for name, value in theirs._asdict().items():
        np.testing.assert_allclose(ours[name], value.detach().numpy(), rtol=0, atol=1e-12)
