"""Weights of int8: what is kept, what it stands for, and that Python, numpy and the page read the same numbers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from msgspec.structs import replace
from test_soundness import error_of, sealed
from toy_site import toy_site

from sitegen import runs
from sitegen.bake.quantise import quantised
from sitegen.errors import RecipeError
from sitegen.runs import text as run_text
from sitegen.train import train
from sitegen.verify import verify

ROOT = Path(__file__).resolve().parent.parent
# Quantises its weights, and also keeps some as they are; a run that needs it reads both.
QUANTISES = """
import numpy as np
from sitegen.recipes import Bake, exact, recipe

MATRIX = np.array([[1.27, -0.635, 0.004], [0, 0, 0], [-254.0, 1.0, 3.0]])

@recipe("small", act=1, seed=0, kept=exact("row", "column"))
def small(bake: Bake) -> None:
    bake.weights(7, {"plain": np.array([[1 / 3]])})
    found = bake.quantised_weights(7, {"matrix": MATRIX, "bias": np.array([0.1, 0.2])})
    bake.series("kept", found["matrix"])

@recipe("reads", act=2, seed=0, needs=("small",))
def reads(bake: Bake) -> None:
    found = bake.need_weights("small", 7)
    bake.example("weights", {name: array.tolist() for name, array in found.items()})
"""


# A product with quantised weights, and the engine that makes it again.
LOOKS = """
import numpy as np
from sitegen.recipes import Bake, recipe

@recipe("looks", act=1, seed=0, reference="models.toy.engine:Product")
def looks(bake: Bake) -> None:
    found = bake.quantised_weights(3, {"w": np.array([[0.3, -0.7], [0.2, 0.9]])})
    bake.probe("product", {"x": [1.0, 2.0]}, {"y": found["w"].astype(float) @ [1.0, 2.0]}, checkpoint=3)
"""
ENGINE = """
import numpy as np

class Product:
    def __init__(self, seed, parameters): ...

    def forward(self, weights, inputs):
        return {"y": weights["w"] @ np.array(inputs["x"])}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = toy_site(tmp_path_factory.mktemp("small"), small=QUANTISES)
    train(site, report=lambda event: None)
    return site


# ---------------------------------------------------------------------------------------------- what is kept


def test_the_largest_of_a_row_is_127_halves_go_to_even_and_a_row_of_zeros_stays_zero():
    rows = np.array([[127.0, 0.5, 1.5, -2.5], [0, 0, -0.0, 0], [-1, 0.25, 0, 1]], np.float32)

    kept, found = quantised(rows, "w")

    assert np.frombuffer(kept.data, np.int8).reshape(3, 4).tolist() == [
        [127, 0, 2, -2],
        [0, 0, 0, 0],
        [-127, 32, 0, 127],
    ]
    assert np.frombuffer(kept.scales, "<f4").tolist() == [1.0, 0.0, float(np.float32(1 / 127))]
    assert found.dtype == np.float32
    assert found[0].tolist() == [127.0, 0.0, 2.0, -2.0]


def test_vectors_and_numbers_stay_float32():
    kept, found = quantised(np.array([0.1, 300.0]), "bias")

    assert (kept.scales, kept.data) == (None, np.float32([0.1, 300]).tobytes())
    assert found.tobytes() == np.float32([0.1, 300]).tobytes()
    assert quantised(np.float64(0.1).reshape(()), "one")[0].shape == ()


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=3), elements=st.floats(-(2.0**99), 2.0**99, width=32)))
def test_no_number_is_off_by_more_than_half_a_level_of_its_row(rows: np.ndarray):
    kept, found = quantised(rows, "w")

    scales = np.frombuffer(kept.scales, "<f4").astype(float).reshape(-1, *[1] * (rows.ndim - 1))
    assert found.shape == rows.shape
    assert (np.abs(found.astype(float) - rows) <= scales * 0.5001 + 1e-44 * 127).all()


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (np.array([[float("nan")]]), "weight 'w' is not finite"),
        (np.array([[1e300]]), "weight 'w' is not finite"),
        (np.array([[1]]), "weight 'w' is of int64"),
    ],
)
def test_what_cannot_be_quantised_is_refused(tensor: np.ndarray, message: str):
    with pytest.raises(RecipeError, match=message):
        quantised(tensor, "w")


@pytest.mark.bake
def test_a_tensor_of_torch_is_kept_as_its_array():
    import torch

    weight = torch.nn.Linear(5, 3).weight
    of_torch, of_numpy = quantised(weight.T, "w"), quantised(weight.detach().numpy().T, "w")

    assert of_torch[0] == of_numpy[0]


# ---------------------------------------------------------------------------------------- and what is read


def test_a_run_tells_where_each_weight_lies_and_other_runs_read_what_was_measured(site: Path):
    run = runs.load(site / "build/runs/small")
    index = json.loads((site / "build/runs/small/run.json").read_bytes())["weights"]
    told = {one["name"]: one for one in index["tensors"]}
    reads = runs.load(site / "build/runs/reads")

    assert told == {
        "plain": {"checkpoint": 7, "name": "plain", "offset": 0, "shape": [1, 1]},
        "matrix": {"checkpoint": 7, "name": "matrix", "offset": 8, "shape": [3, 3], "dtype": "int8", "scale": 17},
        "bias": {"checkpoint": 7, "name": "bias", "offset": 29, "shape": [2], "dtype": "float32"},
    }
    assert run.provenance.dtype == run.weights.dtype == "float64"
    assert reads.examples["weights"] == {
        "plain": [[1 / 3]],
        "matrix": [list(row) for row in run.series["kept"].rows()],
        "bias": [float(np.float32(0.1)), float(np.float32(0.2))],
    }


def test_plain_python_and_the_page_read_the_same_numbers(site: Path):
    folder = site / "build/runs/small"
    run = runs.load(folder)
    found = runs.unpack(run.weights, runs.load_weights(folder, run), 7)
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ readWeights }} from {json.dumps((ROOT / "templates/js/engine/tensor.js").as_uri())};
        const file = readFileSync({json.dumps(str(folder / "weights.bin"))});
        const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
        const run = JSON.parse(readFileSync({json.dumps(str(folder / "run.json"))}, "utf8"));
        const read = [...readWeights(buffer, run.weights, 7)].map(([name, one]) => [name, [...one.data]]);
        process.stdout.write(JSON.stringify(Object.fromEntries(read)));
    """
    try:
        told = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, env=dict(os.environ))
    except FileNotFoundError:
        pytest.skip("node is not here")
    assert told.returncode == 0, told.stderr.decode()

    assert list(found["matrix"]) == run.series["kept"].values
    assert json.loads(told.stdout) == {name: list(flat) for name, flat in found.items()}


def test_a_level_that_changed_is_told_and_so_are_bytes_that_no_number_shows(site: Path):
    folder = site / "build/runs/small"
    run, data = runs.load(folder), (folder / "weights.bin").read_bytes()
    level, scale = bytearray(data), bytearray(data)
    level[9] += 1
    scale[21] = 1  # of the row of zeros

    (first,) = runs.differences(run, run, data, bytes(level))
    (second,) = runs.differences(run, run, data, bytes(scale))

    assert (first.field, first.count) == ("weights.matrix[checkpoint=7, number=1]", 1)
    assert first.largest <= first.allowed
    assert (second.field, second.largest) == ("weights", None)


def test_a_changed_level_is_found_by_a_rebake_and_by_the_other_engine_though_every_digest_was_made_anew(tmp_path: Path):
    site = toy_site(tmp_path, looks=LOOKS, engine=ENGINE)
    train(site, report=lambda event: None)
    folder = site / "build/runs/looks"
    whole = verify(site, checks=("files", "rebake", "parity"), report=lambda event: None)
    data = bytearray((folder / "weights.bin").read_bytes())
    data[1] ^= 1
    (folder / "weights.bin").write_bytes(data)
    sealed(folder, lambda tree: tree["weights"].update(sha256=run_text.sha256(bytes(data))))

    found = verify(site, checks=("files", "rebake", "parity"), report=lambda event: None)

    assert whole.held == ("looks",)
    assert [one.check for one in found.failed] == ["rebake", "parity"]
    assert "weights.w[checkpoint=3, number=1]: " in str(found.failed[0].findings[0])


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"offset": 29}, "weights.tensors.1: weight 'matrix' lies outside of weights.bin, which has 37 bytes"),
        ({"scale": 26}, "weights.tensors.1: scales of 'matrix' lie outside of weights.bin, which has 37 bytes"),
        ({"scale": -1}, "weights.tensors.1: scales of 'matrix' lie outside of weights.bin, which has 37 bytes"),
        ({"dtype": "float32", "shape": [1]}, "weights.tensors.1: weight 'matrix' is of int8 without a scale, or"),
        ({"shape": []}, "weights.tensors.1: weight 'matrix' is one number of int8: it has no rows to scale"),
        ({"dtype": "int4"}, "weights.tensors[1].dtype: invalid enum value 'int4'"),
    ],
)
def test_what_cannot_be_true_of_quantised_weights_is_an_error(site: Path, tmp_path: Path, change: dict, wrong: str):
    run = runs.load(site / "build/runs/small")
    folder = tmp_path / "build/runs/small"
    runs.write(folder, replace(run, digest=""), {"weights.bin": (site / "build/runs/small/weights.bin").read_bytes()})

    sealed(folder, lambda tree: tree["weights"]["tensors"][1].update(change))

    assert error_of(folder).partition(": ")[2].startswith(wrong)
