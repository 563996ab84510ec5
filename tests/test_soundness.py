"""Runs that were tampered with, digest and all: told with their line, never loaded."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_runs import PNG, WEIGHTS, a_run, error_of, sealed

from sitegen import runs
from sitegen.runs import text as run_text

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = "lies outside of weights.bin, which has 24 bytes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "build" / "runs" / "walk"
    runs.write(folder, a_run(), {"map.png": PNG, "weights.bin": WEIGHTS})
    return folder


def text_of(folder: Path) -> str:
    return (folder / "run.json").read_bytes().decode()


@pytest.mark.parametrize("between", ["\u2028", "\u0085", "\x0b", "\u00a0", "\n\u2028  "])
@pytest.mark.parametrize("beside", ['"It rises.', 'rises."'])
def test_a_space_of_any_kind_in_a_text_changes_the_digest(folder: Path, between: str, beside: str):
    text = text_of(folder)
    tampered = text.replace(beside, beside[0] + between + beside[1:])

    assert tampered != text
    assert run_text.digest_of_text(tampered) != run_text.digest_of_text(text)


def test_the_page_takes_the_digest_of_the_same_text(folder: Path):
    text = text_of(folder)
    more = text.replace("\n", '\n "digest":"' + "0" * 64 + '",\n', 1)
    script = f"""
        import {{ canonical }} from {json.dumps((ROOT / "templates/js/verify.js").as_uri())};
        process.stdout.write(JSON.stringify({json.dumps([text, more])}.map(canonical)));
    """
    try:
        told = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, env=dict(os.environ))
    except FileNotFoundError:
        pytest.skip("node is not here")
    assert told.returncode == 0, told.stderr.decode()

    assert [run_text.sha256(each.encode()) for each in json.loads(told.stdout)] == [
        run_text.digest_of_text(text),
        run_text.digest_of_text(more),
    ]


@pytest.mark.parametrize("key", ['"act"', '"\\u0061ct"'])
def test_a_key_that_stands_twice_is_an_error(folder: Path, key: str):
    (folder / "run.json").write_text(text_of(folder).replace("{\n", f"{{\n {key}:9,\n", 1), encoding="utf-8")

    assert error_of(folder) == "build/runs/walk/run.json:3: the key 'act' stands twice"


@pytest.mark.parametrize("deep", ["[" * 200_000, '{"a":' * 5000, "[" * 3000 + "]" * 3000])
def test_deep_nesting_is_an_error(folder: Path, deep: str):
    (folder / "run.json").write_text(text_of(folder).replace('"act":1', f'"act":{deep}'), encoding="utf-8")

    assert error_of(folder) == "build/runs/walk/run.json:2: nested deeper than 100 levels"


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        ("series height values", [1.0], "series.height: shape [2] holds 2 values, but there are 1"),
        ("series height shape", [3], "series.height: axis 'step' is 3 long, but has 2 coordinates"),
        ("series height shape", [-2], "series.height: axis 'step' is -2 long, but has 2 coordinates"),
        ("series height shape", [2, 1], "series.height: 1 axes, but a shape of 2 lengths"),
        ("series height coordinates", {}, "series.height: axis 'step' is 2 long, but has 0 coordinates"),
        ("probe outputs y shape", [-2], "probe.outputs.y: a negative length: [-2]"),
        ("probe outputs y shape", [1], "probe.outputs.y: shape [1] holds 1 values, but there are 2"),
        ("images map width", 0, "images.map: a picture cannot be 0 by 3 pixels"),
        ("images map height", -1, "images.map: a picture cannot be 4 by -1 pixels"),
        ("images map file", "a/map.png", "images.map: 'a/map.png' is no file name: files lie beside run.json"),
        ("images map file", "..", "images.map: '..' is no file name: files lie beside run.json"),
        ("images map file", "a\0", "images.map: 'a\\x00' is no file name: files lie beside run.json"),
        ("weights file", "../w", "weights.file: '../w' is no file name: files lie beside run.json"),
        ("weights tensors 1 offset", 17, f"weights.tensors.1: weight 'b' {OUTSIDE}"),
        ("weights tensors 0 offset", -1, f"weights.tensors.0: weight 'w' {OUTSIDE}"),
        ("weights tensors 0 shape", [-2], "weights.tensors.0: weight 'w' has a negative length: [-2]"),
    ],
)  # fmt: skip
def test_what_cannot_be_true_is_an_error_with_its_line(folder: Path, path: str, value: Any, wrong: str):
    *way, last = [int(part) if part.isdigit() else part for part in path.split()]

    def change(tree: Any) -> None:
        for part in way:
            tree = tree[part]
        tree[last] = value

    sealed(folder, change)

    place, _, message = error_of(folder).partition(": ")
    assert message == wrong
    assert int(place.rpartition(":")[2]) > 1
