"""What a worker records, refuses, draws and finds; and that nothing of its caller's environment enters."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from toy_site import PACE, WALK, command, recipes_of, toy_site, tree

from sitegen import pins, runs
from sitegen.bake.data import find
from sitegen.bake.process import way_told
from sitegen.bake.recorder import Recorder
from sitegen.errors import DataError, Findings, RecipeError
from sitegen.schema import Array, Location, Metric, Output, Probe, RecipeInfo, Series
from sitegen.train import train


@pytest.fixture
def bake(tmp_path: Path) -> Recorder:
    """A recorder of a recipe with one series of each kind; progress goes to `bake.told`."""
    outputs = {
        "loss": Output(("step",)),
        "map": Output(("checkpoint", "query", "key"), "drawn"),
        "seconds": Output(("step",), "never"),
    }
    info = RecipeInfo(
        name="walk", act=1, seed=3, parameters={"steps": 4}, outputs=outputs, needs=("other",), reference=None,
        long=False, chapter="first", module="models.toy.walk", function="walk", pictures={},
        at=Location("models/toy/walk.py", 1),
    )  # fmt: skip
    return Recorder(info, tmp_path, lambda *told: None)


# --------------------------------------------------------------------------------------------------- series


def test_a_series_keeps_its_numbers_and_coordinates(bake: Recorder):
    bake.series("loss", [0.1, 2], step=range(1, 3))

    assert bake.found_series == {"loss": Series(("step",), {"step": [1, 2]}, (2,), "exact", [0.1, 2])}


def test_a_drawn_series_keeps_six_digits_and_axes_without_coordinates_are_counted(bake: Recorder):
    bake.series("map", [[[1 / 3, 123456789.0], [-1e-30, -0.0]]], checkpoint=[600], query=["a", "b"])

    labels = {"checkpoint": [600], "query": ["a", "b"], "key": [0, 1]}
    axes = ("checkpoint", "query", "key")
    values = [0.333333, 123457000.0, -1e-30, 0.0]
    assert bake.found_series["map"] == Series(axes, labels, (1, 2, 2), "drawn", values)
    assert str(bake.found_series["map"].values[3]) == "0.0"


def test_seconds_are_kept_apart(bake: Recorder):
    bake.series("seconds", [0.5])

    assert (bake.found_series, list(bake.never_compared)) == ({}, ["seconds"])
    assert sorted(bake.missing()) == ["loss", "map"]


@pytest.mark.parametrize(
    ("name", "values", "coordinates", "message"),
    [
        ("los", [1], {}, "series 'los' is not declared"),
        ("loss", [1], {"steps": [1]}, "series 'loss' has no axis 'steps'"),
        ("loss", [[1]], {}, "series 'loss' has 2 axes, shape (1, 1), not 1"),
        ("loss", [1, 2], {"step": [1]}, "series 'loss' has 2 values along 'step', but 1 coordinates"),
        ("loss", [], {}, "series 'loss' is empty, shape (0,)"),
        ("map", [[[1, 2], [3]]], {}, "series 'map' is ragged: rows of [1, 2] values"),
        ("loss", ["one"], {}, "series 'loss' holds a str"),
        ("loss", [1.0, float("nan")], {"step": [136, 137]}, "series 'loss' is nan at step 137"),
        ("map", [[[1, 2], [3, float("-inf")]]], {"key": "xy"}, "coordinates of 'key' are not a flat list"),
        ("map", [[[1, 2], [float("-inf"), 3]]], {"query": ["a", "b"]},
         "series 'map' is -inf at checkpoint 0, query b, key 0"),
    ],
)  # fmt: skip
def test_a_wrong_series_is_refused(bake: Recorder, name: str, values: list, coordinates: dict, message: str):
    with pytest.raises(RecipeError) as caught:
        bake.series(name, values, **coordinates)

    assert caught.value.message == message
    assert caught.value.hint


def test_a_series_is_recorded_once(bake: Recorder):
    bake.series("loss", [1])

    with pytest.raises(RecipeError, match="recorded twice"):
        bake.series("loss", [1])


# ---------------------------------------------------------------------------------------- everything else


def test_metrics_examples_and_the_probe_are_recorded(bake: Recorder):
    bake.metric("top", 3, unit="m", better="higher")
    bake.example("words", {"a": (1, "b")})
    bake.probe("walk", {"x": [1, [2]]}, {"y": [[1.0], [2.0]]}, checkpoint=4)

    assert bake.metrics == {"top": Metric(3, "m", "higher")}
    assert bake.examples == {"words": {"a": [1, "b"]}}
    assert bake.found_probe == Probe("walk", 4, {"x": [1, [2]]}, {"y": Array((2, 1), [1.0, 2.0])})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda bake: bake.metric("top", float("inf")), "metric 'top' is inf"),
        (lambda bake: bake.metric("top", [1, 2]), "metric 'top' has shape (2,)"),
        (lambda bake: bake.metric("top", 1, better="up"), "better='up' of metric 'top'"),
        (lambda bake: bake.progress(137, 600, loss=float("nan")), "'loss' is nan at step 137"),
        (lambda bake: bake.example("words", {1: 2}), "example 'words' has a key that is no text"),
        (lambda bake: bake.example("words", object()), "example 'words' holds a object"),
        (lambda bake: bake.probe("f", {}, {"y": [float("nan")]}), "probe output 'y' is not finite"),
        (lambda bake: bake.need("othr"), "run 'othr' is not declared as a need"),
    ],
)
def test_what_cannot_be_recorded_is_refused(bake: Recorder, call, message: str):
    with pytest.raises(RecipeError) as caught:
        call(bake)

    assert caught.value.message == message
    assert caught.value.hint


def test_parameters_are_read_only(bake: Recorder):
    assert (bake.seed, dict(bake.parameters)) == (3, {"steps": 4})
    with pytest.raises(TypeError):
        bake.parameters["steps"] = 5


@pytest.mark.bake
def test_weights_keep_every_bit_whatever_their_strides(bake: Recorder):
    import torch

    square = torch.tensor([[1.0, 2.0], [3.0, 1 / 3]], dtype=torch.float64, requires_grad=True)
    bake.weights(600, {"turned": square.T})
    bake.weights(0, {"scalar": torch.tensor(-0.5, dtype=torch.float64)})

    contents, data, dtype = bake.packed_weights()

    assert [(tensor.checkpoint, tensor.name, tensor.shape, tensor.offset) for tensor in contents] == [
        (0, "scalar", (), 0),
        (600, "turned", (2, 2), 8),
    ]
    assert (dtype, data) == ("float64", torch.tensor([-0.5, 1, 3, 2, 1 / 3], dtype=torch.float64).numpy().tobytes())


@pytest.mark.bake
def test_weights_of_two_dtypes_or_not_finite_are_refused(bake: Recorder):
    import torch

    with pytest.raises(RecipeError, match="weight 'b' at checkpoint 1: dtypes float32, float64"):
        bake.weights(1, {"a": torch.ones(1, dtype=torch.float64), "b": torch.ones(1)})
    with pytest.raises(RecipeError, match="weight 'a' is not finite"):
        Recorder(bake._info, Path(), print).weights(1, {"a": torch.tensor([float("nan")])})


@pytest.mark.bake
@pytest.mark.parametrize(("declared", "told"), [(None, "float32"), ("float64", "float64")])
def test_a_run_says_the_dtype_it_was_computed_in_though_its_weights_are_rounded_and_its_series_widened(
    bake: Recorder, declared: str | None, told: str
):
    import torch

    bake = Recorder(replace(bake._info, dtype=declared), Path(), print)
    bake.series("loss", torch.ones(2, dtype=torch.float64), step=range(2))
    bake.quantised_weights(1, {"a": torch.ones(1, 1)})

    assert bake.dtype == told


def test_weights_of_another_dtype_than_declared_are_refused(bake: Recorder):
    import numpy as np

    with pytest.raises(RecipeError, match="weight 'a' at checkpoint 0: dtypes float32, float64"):
        Recorder(replace(bake._info, dtype="float32"), Path(), print).weights(0, {"a": np.ones(1)})


def test_a_weight_is_recorded_once_at_a_checkpoint_in_whatever_form(bake: Recorder):
    import numpy as np

    bake.weights(1, {"a": np.ones(1)})
    bake.quantised_weights(1, {"b": np.ones((1, 1))})

    with pytest.raises(RecipeError, match="weight 'b' at checkpoint 1 is recorded twice"):
        bake.weights(1, {"b": np.ones(1)})
    with pytest.raises(RecipeError, match="weight 'a' at checkpoint 1 is recorded twice"):
        bake.quantised_weights(1, {"a": np.ones(1)})


# ----------------------------------------------------------------------------------------------------- data

CONTENT = b"forty numbers"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for data; the cache is under it, and SITEGEN_DATA is not set."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SITEGEN_DATA", raising=False)
    return tmp_path


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("given", ["given", "given/n.bin"])
def test_data_are_taken_from_the_folder_or_file_given(places: Path, monkeypatch: pytest.MonkeyPatch, given: str):
    path = put(places / "given" / "n.bin")
    monkeypatch.setenv("SITEGEN_DATA", str(places / given))

    assert find("n.bin", sha256=SHA256, url=None, also=()) == path


def test_data_are_taken_from_other_places(places: Path):
    path = put(places / "system" / "n.bin")

    assert find("n.bin", sha256=SHA256, url=None, also=(places / "nowhere", places / "system")) == path


def test_data_are_fetched_once_and_then_come_from_the_cache(places: Path):
    source = put(places / "far" / "n.bin")

    first = find("n.bin", sha256=SHA256, url=source.as_uri(), also=())
    source.unlink()

    assert first.read_bytes() == CONTENT
    assert first.is_relative_to(places / "cache" / "sitegen")
    assert find("n.bin", sha256=SHA256, url=source.as_uri(), also=()) == first


def test_a_fetched_file_with_another_sha256_never_counts(places: Path):
    source = put(places / "far" / "n.bin", b"other")
    other = hashlib.sha256(b"other").hexdigest()

    with pytest.raises(DataError, match=f"gave a file with sha256 {other}, not {SHA256}"):
        find("n.bin", sha256=SHA256, url=source.as_uri(), also=())

    assert [path for path in (places / "cache").rglob("*") if path.is_file()] == []


def test_a_changed_file_names_both_sums(places: Path):
    path = put(places / "system" / "n.bin", b"other")

    with pytest.raises(DataError) as caught:
        find("n.bin", sha256=SHA256, url=None, also=(path,))

    assert caught.value.message == (
        f"data file 'n.bin' is not the right one: its sha256 is {SHA256}, "
        f"but {path} has sha256 {hashlib.sha256(b'other').hexdigest()}"
    )


def test_a_missing_file_says_what_and_where(places: Path):
    with pytest.raises(DataError) as caught:
        find("n.bin", sha256=SHA256, url=None, also=(places / "system",))

    assert caught.value.message == f"data file 'n.bin' (sha256 {SHA256}) is missing"
    assert "set SITEGEN_DATA to a folder that holds n.bin" in caught.value.hint
    assert str(places / "system") in caught.value.hint


def test_a_site_that_cannot_be_reached_says_where_to_put_the_file(places: Path):
    with pytest.raises(DataError, match=r"is missing, and file:///nowhere/n.bin cannot be fetched: ") as caught:
        find("n.bin", sha256=SHA256, url="file:///nowhere/n.bin", also=())

    assert "SITEGEN_DATA" in caught.value.hint


# ------------------------------------------------------------------------------------------------ the worker

TRAINS = """
import os
import sys

import numpy
import torch

from sitegen.recipes import Bake, drawn, exact, recipe


@recipe("trains", act=1, seed=5, parameters={"steps": 40}, loss=exact("step"), map=drawn("row", "column"))
def trains(bake: Bake) -> None:
    print('{"event": "error"}')
    os.write(1, b"noise\\n")
    x = torch.randn(64, 32)
    net = torch.nn.Sequential(torch.nn.Linear(32, 48), torch.nn.Tanh(), torch.nn.Linear(48, 1))
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for step in range(40):
        loss = torch.nn.functional.mse_loss(net(x).squeeze(1), torch.exp(torch.sin(x.sum(1))))
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
        bake.progress(step + 1, 40, loss=loss)
    bake.series("loss", losses, step=range(40))
    bake.series("map", torch.softmax(x[:3] @ x[:3].T, 1))
    bake.metric("threads", torch.get_num_threads())
    bake.metric("order", hash("a text") % 1000)
    bake.metric("random", numpy.random.rand())
    bake.example("path", [name for name in sys.path if "junk" in name])
    bake.weights(40, dict(net.named_parameters()))


@trains.draw("loss", alt="It falls.", size=(3, 2))
def draw_loss(run, axes) -> None:
    axes.plot(run.series["loss"].coordinates["step"], run.series["loss"].values)
    axes.set_title("Größe $x^2$")


@trains.draw("two", alt="Two.", size=(4, 2), subplots=(1, 2))
def draw_two(run, axes) -> None:
    axes[0].imshow([list(row) for row in run.series["map"].rows()])
"""
HOSTILE = {
    "OMP_NUM_THREADS": "2",
    "MKL_NUM_THREADS": "2",
    "MKL_CBWR": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "PYTHONHASHSEED": "77",
    "PYTHONOPTIMIZE": "2",
    "TZ": "Asia/Kathmandu",
    "LANG": "tr_TR.UTF-8",
    "LC_ALL": "tr_TR.UTF-8",
    "MPLBACKEND": "svg",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2_Usable",
    "TORCH_DEVICE": "cuda",
}


@pytest.mark.bake
def test_a_hostile_environment_gives_the_same_bytes(tmp_path: Path):
    site = toy_site(tmp_path / "site", trains=TRAINS)
    train(site, report=lambda event: None)
    before = {name: content for name, (content, _) in tree(site / "build").items()}
    run = runs.load(site / "build/runs/trains")
    junk = tmp_path / "junk"
    put(junk / "matplotlibrc", b"axes.facecolor: red\nfont.size: 30\nsavefig.dpi: 9\n")
    put(junk / "sitecustomize.py", b"import os; os.environ['OMP_NUM_THREADS'] = '2'\n")
    put(junk / "torch.py", b"raise SystemExit('junk')\n")
    wild = {"MATPLOTLIBRC": str(junk / "matplotlibrc"), "MPLCONFIGDIR": str(junk), "PYTHONPATH": str(junk)}

    program = (
        "import os, sys; os.environ.update(eval(sys.argv[1])); os.chdir(sys.argv[2]);"
        "from sitegen.train import train; import pathlib;"
        "train(pathlib.Path(sys.argv[3]), force=True, report=lambda event: None)"
    )
    call = [sys.executable, "-c", program, repr(HOSTILE | wild), str(junk), str(site)]
    subprocess.run(call, check=True, timeout=120)

    assert {name: content for name, (content, _) in tree(site / "build").items()} == before
    assert run.metrics["threads"].value == 1
    assert run.examples["path"] == []
    assert run.provenance.dtype == "float32"
    assert run.provenance.versions == pins.VERSIONS
    assert (run.images["loss"].width, run.images["loss"].height) == (600, 400)
    assert run.images["two"].alt == "Two."


@pytest.mark.bake
def test_a_picture_holds_nothing_of_the_machine(tmp_path: Path):
    from test_runs import a_run

    from sitegen.bake.pictures import draw
    from sitegen.recipes import Picture

    def picture(run, axes):
        axes.plot(run.series["height"].values)

    png = draw(a_run(), {"map": Picture("map", "It rises.", picture, (2, 1), None)}, ())["map"]

    chunks, position = [], 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4])
        chunks.append(png[position + 4 : position + 8])
        position += length + 12
    assert set(chunks) == {b"IHDR", b"pHYs", b"IDAT", b"IEND"}


def test_a_declared_series_that_is_missing_fails_the_bake(tmp_path: Path):
    recorded = '    bake.series("height", heights, step=range(bake.parameters["steps"]))\n'
    site = toy_site(tmp_path, pace=PACE, walk=WALK.replace(recorded, ""))

    with pytest.raises(Findings, match=r"models/toy/walk\.py:7: series 'height' declared but never recorded"):
        train(site, report=lambda event: None)


def test_a_module_that_changes_while_it_is_baked_is_not_taken(tmp_path: Path):
    edits = """
        from pathlib import Path
        from sitegen.recipes import Bake, recipe

        @recipe("edits", act=1, seed=0)
        def edits(bake: Bake) -> None:
            with open(__file__, "a") as file:
                file.write("X = 1\\n")
    """
    site = toy_site(tmp_path, edits=edits)

    with pytest.raises(Findings, match="its source was edited while it was baked"):
        train(site, report=lambda event: None)


def test_times_are_in_no_digest(tmp_path: Path):
    site = toy_site(tmp_path)
    train(site, report=lambda event: None)

    folder = site / "build/runs/walk"
    run, timings = runs.load(folder), json.loads((folder / "timings.json").read_bytes())

    assert list(run.series) == ["height"]
    assert timings["series"]["seconds"]["values"] == [0.5] * 4
    assert timings["seconds"] >= 0


def test_of_a_long_way_to_an_error_its_beginning_and_its_end_are_told():
    lines = [Location("models/a.py", 3), *(Location("models/a.py", line) for line in (7, 8) * 500)]
    many = [Location("models/a.py", line) for line in range(1, 101)]

    assert way_told(lines) == "models/a.py:3, models/a.py:7, models/a.py:8"
    told = [f"models/a.py:{line}" for line in (1, 2, 3, 4, 97, 98, 99, 100)]
    assert way_told(many) == ", ".join([*told[:4], "… (92 more)", *told[4:]])


def test_a_worker_without_its_environment_refuses(tmp_path: Path):
    import msgspec

    site = toy_site(tmp_path)
    job = {"site_dir": str(site), "staged": str(tmp_path), "info": recipes_of(site)["walk"], "nonce": "n"}
    call = [sys.executable, "-m", "sitegen.bake"]
    environment = {**os.environ, "PYTHONPATH": pins.worker_environment({"HOME": "/"})["PYTHONPATH"]}

    with subprocess.Popen(call, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(msgspec.json.encode(job) + b"\n")
        worker.stdin.flush()
        told = json.loads(worker.stdout.readline().removeprefix(b"n "))
        code = worker.wait(timeout=30)

    assert (code, told["event"], told["hint"]) == (1, "error", "bake with: sitegen train")
    assert "ATEN_CPU_CAPABILITY" in told["message"]


def test_packages_that_are_not_the_pinned_ones_refuse_to_bake(monkeypatch: pytest.MonkeyPatch):
    from sitegen.bake.worker import check_versions
    from sitegen.errors import BakeError

    check_versions()
    monkeypatch.setattr(pins, "VERSIONS", {"numpy": "0.1"})
    with pytest.raises(BakeError, match=r"numpy .* is installed, but runs are baked with 0.1"):
        check_versions()
    monkeypatch.setattr(pins, "VERSIONS", {"numpy-of-nowhere": "0.1"})
    with pytest.raises(BakeError, match=r"numpy-of-nowhere is not installed\n.*: make train"):
        check_versions()


def test_a_bake_from_another_folder_is_the_same(tmp_path: Path):
    site = toy_site(tmp_path / "site")
    train(site, report=lambda event: None)
    before = tree(site / "build")

    done = subprocess.run(command("train", "--force", "--site", "site"), cwd=tmp_path, check=False)

    assert done.returncode == 0
    assert tree(site / "build") == before


def test_a_headline_that_is_no_metric_fails_the_bake(tmp_path: Path):
    site = toy_site(tmp_path, pace=PACE, walk=WALK.replace("act=1,", 'act=1, headline="tpo",'))

    with pytest.raises(Findings, match=r"headline 'tpo' is no metric that was recorded\n.*did you mean 'top'"):
        train(site, report=lambda event: None)
