"""The weights before any training, made from the seed: each matrix from the stream "initial/<its name>"."""

from __future__ import annotations

import math

import numpy as np

from models.reference import streams
from models.reference.arrays import Array

Table = dict[str, Array]


def embedding(seed: int, name: str, rows: int, num_hiddens: int) -> Table:
    """Nearly normal numbers of variance 1: (rows, num_hiddens)."""
    values = streams.normals(seed, f"initial/{name}.weight", rows * num_hiddens)
    return {f"{name}.weight": values.reshape(rows, num_hiddens)}


def linear(seed: int, name: str, inputs: int, outputs: int, bias: bool) -> Table:
    """Uniform from −b to b with b = √(6 / (inputs + outputs)), (outputs, inputs); a bias is 0.

    Glorot and Bengio 2010, eq. 16.
    """
    uniforms = streams.uniforms(seed, f"initial/{name}.weight", inputs * outputs).reshape(outputs, inputs)
    bound = math.sqrt(6 / (inputs + outputs))
    table = {f"{name}.weight": (2 * uniforms - 1) * bound}
    return {**table, f"{name}.bias": np.zeros(outputs)} if bias else table


def norm(name: str, num_hiddens: int) -> Table:
    """Nothing is scaled or shifted yet."""
    return {f"{name}.weight": np.ones(num_hiddens), f"{name}.bias": np.zeros(num_hiddens)}


def attention(seed: int, name: str, num_hiddens: int) -> Table:
    """Four matrices without biases."""
    parts = (linear(seed, f"{name}.{each}", num_hiddens, num_hiddens, False) for each in ("W_q", "W_k", "W_v", "W_o"))
    return {key: value for part in parts for key, value in part.items()}


def ffn(seed: int, name: str, num_hiddens: int, ffn_num_hiddens: int) -> Table:
    """Out to ffn_num_hiddens and back."""
    return {
        **linear(seed, f"{name}.dense1", num_hiddens, ffn_num_hiddens, True),
        **linear(seed, f"{name}.dense2", ffn_num_hiddens, num_hiddens, True),
    }
