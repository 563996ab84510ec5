"""Runs as files: read, verified, written whole, compared with their recipes."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace
from toy_site import PACE, RUN, WALK, recipes_of, toy_site, write_module

from sitegen import pins, runs
from sitegen.closure import Sources
from sitegen.errors import RunError
from sitegen.runs import text as run_text
from sitegen.runs.definitions import definitions_file, load_definitions, write_definitions
from sitegen.runs.files import replace_file
from sitegen.runs.json_schema import json_schema
from sitegen.schema import Array, Image, Metric, Output, Probe, Provenance, Run, Series, Tensor, Weights

ROOT = Path(__file__).resolve().parent.parent
PNG = b"\x89PNG of a walk"
WEIGHTS = struct.pack("<3d", 1.5, -2.0, 1 / 3)


def a_run(name: str = "walk") -> Run:
    return Run(
        format=1,
        run=name,
        chapter="first-steps",
        act=1,
        seed=3,
        parameters={"steps": 2},
        outputs={"height": Output(("step",))},
        metrics={"top": Metric(0.1, "m", "higher"), "falls": Metric(0)},
        series={"height": Series(("step",), {"step": [0, 1]}, (2,), "exact", [0.30000000000000004, 1e-07])},
        examples={"words": ["Größe", {"a": None}]},
        images={"map": Image("map.png", run_text.sha256(PNG), 4, 3, "It rises.")},
        weights=Weights(
            "weights.bin",
            run_text.sha256(WEIGHTS),
            "float64",
            [Tensor(0, "w", (2,), 0), Tensor(2, "b", (), 16)],
        ),
        probe=Probe("walk", 2, {"x": [1, 2]}, {"y": Array((2,), [0.5, 0.25])}),
        provenance=Provenance("models.toy.walk:walk", {}, {}, {}, {}, {}, 1, "float64", "linux-x86_64-v3"),
        digest="",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run that was written."""
    folder = tmp_path / "build" / "runs" / "walk"
    runs.write(folder, a_run(), {"map.png": PNG, "weights.bin": WEIGHTS}, {"seconds": 1.5})
    return folder


def error_of(folder: Path) -> str:
    with pytest.raises(RunError) as caught:
        runs.load(folder)
    assert caught.value.hint
    return f"{caught.value.at}: {caught.value.message}"


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "run.json"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def sealed(folder: Path, change) -> None:
    """Edit run.json as one who also mends its digest."""
    path = folder / "run.json"
    tree = json.loads(path.read_bytes())
    change(tree)
    tree["digest"] = run_text.digest(tree)
    path.write_text(run_text.laid_out(tree), encoding="utf-8")


def line_with(folder: Path, words: str) -> int:
    lines = (folder / "run.json").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


# ------------------------------------------------------------------------------------------- write and read


def test_a_run_comes_back_as_it_was_written(folder: Path):
    run = runs.load(folder)

    assert replace(run, digest="") == a_run()
    assert len(run.digest) == 64
    assert runs.load_all(folder.parents[2]) == ({"walk": run}, {})


def test_the_digest_is_that_of_the_canonical_json_without_it(folder: Path):
    tree = json.loads((folder / "run.json").read_bytes())

    digest = tree.pop("digest")

    canonical = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert digest == run_text.sha256(canonical.encode()) == runs.load(folder).digest


def test_a_line_holds_a_series_or_a_metric_whole(folder: Path):
    lines = (folder / "run.json").read_text(encoding="utf-8").splitlines()

    assert '  "falls":{"better":null,"unit":null,"value":0},' in lines
    assert [line.split(":")[0].strip() for line in lines if "0.30000000000000004" in line] == ['"height"']
    assert '   {"checkpoint":2,"name":"b","offset":16,"shape":[]}' in lines
    assert max(map(len, lines)) < 160


def test_other_line_ends_and_layouts_are_the_same_run(folder: Path):
    run = runs.load(folder)
    path = folder / "run.json"

    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert runs.load(folder) == run
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=4), encoding="utf-8")
    assert runs.load(folder) == run


def test_the_same_run_gives_the_same_bytes_whatever_its_order(tmp_path: Path, folder: Path):
    turned = replace(a_run(), metrics=dict(reversed(a_run().metrics.items())))

    runs.write(tmp_path / "other" / "walk", turned, {"map.png": PNG, "weights.bin": WEIGHTS}, {})

    assert (tmp_path / "other/walk/run.json").read_bytes() == (folder / "run.json").read_bytes()


def test_a_number_that_is_not_finite_is_never_written(tmp_path: Path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        runs.write(tmp_path / "walk", replace(a_run(), metrics={"top": Metric(float("nan"))}), {})


# ---------------------------------------------------------------------------------------------- bad files


def test_a_missing_run_says_how_to_bake_it(tmp_path: Path):
    with pytest.raises(RunError) as caught:
        runs.load(tmp_path / "build/runs/stroll")

    assert str(caught.value) == (
        "build/runs/stroll/run.json: run 'stroll' is not baked\n  hint: bake it: sitegen train --run stroll"
    )


def test_a_half_written_run_has_a_line(folder: Path):
    path = folder / "run.json"
    path.write_bytes(path.read_bytes()[:420])

    number = path.read_bytes().count(b"\n") + 1

    assert error_of(folder).startswith(f"build/runs/walk/run.json:{number}: not valid JSON: ")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b'{"format":"1"}', b"null", b"{}"])
def test_what_is_no_run_at_all_is_an_error(folder: Path, content: bytes):
    (folder / "run.json").write_bytes(content)

    assert error_of(folder).startswith("build/runs/walk/run.json:1: ")


def test_a_hand_edited_number_is_caught(folder: Path):
    edit(folder, '"value":0.1', '"value":0.2')

    number = line_with(folder, '"digest"')

    assert error_of(folder) == (
        f"build/runs/walk/run.json:{number}: digest mismatch: the file was changed after it was baked"
    )


def test_a_wrong_type_has_its_path_and_line(folder: Path):
    sealed(folder, lambda tree: tree["metrics"]["top"].update(value="high"))

    number = line_with(folder, '"high"')

    assert error_of(folder) == (
        f"build/runs/walk/run.json:{number}: metrics.top.value: expected 'int | float', got 'str'"
    )


def test_a_wrong_type_in_a_list_has_its_index(folder: Path):
    sealed(folder, lambda tree: tree["weights"]["tensors"][1].update(offset=None))

    number = line_with(folder, '"offset":null')

    message = "weights.tensors[1].offset: expected 'int', got 'null'"
    assert error_of(folder) == f"build/runs/walk/run.json:{number}: {message}"


@pytest.mark.parametrize(
    ("number", "what"),
    [("71e999", "number out of range"), ("-1e400", "number out of range"), ("9" * 5000, "integer value out of range")],
)
def test_a_number_that_no_machine_holds_has_its_path_and_line(folder: Path, number: str, what: str):
    sealed(folder, lambda tree: tree["examples"].update(walks=["TOO LARGE", 2]))
    edit(folder, '"TOO LARGE"', number)

    line = line_with(folder, number)

    assert error_of(folder) == f"build/runs/walk/run.json:{line}: examples.walks[0]: {what}"


def test_a_missing_member_is_named_with_its_place(folder: Path):
    sealed(folder, lambda tree: tree["series"]["height"].pop("shape"))

    number = line_with(folder, '"height":{"axes":["step"],"coordinates"')

    assert error_of(folder) == f"build/runs/walk/run.json:{number}: series.height has no 'shape'"


def test_a_format_of_the_future_says_to_update(folder: Path):
    sealed(folder, lambda tree: tree.update(format=2))

    with pytest.raises(RunError, match="format 2 is unknown: this sitegen reads format 1") as caught:
        runs.load(folder)

    assert caught.value.hint == "update sitegen"


def test_a_run_in_the_wrong_folder_is_caught(folder: Path):
    moved = folder.rename(folder.with_name("stroll"))

    assert "this is the run 'walk', but its folder is called 'stroll'" in error_of(moved)


@pytest.mark.parametrize("name", ["map.png", "weights.bin"])
def test_changed_and_missing_files_beside_it_are_caught(folder: Path, name: str):
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert f"build/runs/walk/{name} was changed after it was baked" in error_of(folder)

    path.unlink()
    assert f": build/runs/walk/{name} is missing" in error_of(folder)


@pytest.mark.parametrize("name", ["run.json", "weights.bin", "map.png"])
def test_what_may_not_be_read_is_told_as_such_and_not_as_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    _refuse_to_read(monkeypatch, name)

    with pytest.raises(RunError, match="cannot be read: Permission denied") as caught:
        runs.load(folder)

    assert str(caught.value.at) == f"build/runs/walk/{name}"
    assert "chmod -R u+rwX build/runs/walk" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["verification.json", "timings.json"])
def test_proofs_and_timings_that_may_not_be_read_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    run = runs.load(folder)
    _refuse_to_read(monkeypatch, name)

    with pytest.raises(RunError, match="cannot be read: Permission denied"):
        _ = runs.load_timings(folder, run) if name == "timings.json" else runs.load_verification(folder.parents[2])


def _refuse_to_read(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As the system does, which lets root read everything."""
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)


def test_a_full_disk_is_told_and_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "kept.json").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="No space left") as caught:
        replace_file(tmp_path / "kept.json", b"new")
    with pytest.raises(RunError, match="the run cannot be written: No space left on device\n  hint: make room"):
        runs.write(tmp_path / "walk", a_run(), {})

    assert caught.value.filename == str(tmp_path / "kept.json")
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".tmp-")] == ["kept.json"]
    assert (tmp_path / "kept.json").read_bytes() == b"old"


def test_damaged_runs_do_not_hide_the_others(folder: Path):
    runs.write(folder.with_name("stroll"), a_run("stroll"), {"map.png": PNG, "weights.bin": WEIGHTS})
    (folder / "run.json").unlink()

    found, errors = runs.load_all(folder.parents[2])

    assert (list(found), list(errors)) == (["stroll"], ["walk"])


# ------------------------------------------------------------------------------------- killed in the middle


def test_a_run_replaces_the_old_one_whole(folder: Path):
    runs.write(folder, replace(a_run(), images={}, weights=None), {})

    assert sorted(path.name for path in folder.iterdir()) == ["run.json", "timings.json"]
    assert [path.name for path in folder.parent.iterdir()] == ["walk"]


def test_it_is_replaced_where_folders_cannot_be_swapped(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sitegen.runs.files._exchange", lambda one, other: False)

    runs.write(folder, replace(a_run(), images={}, weights=None), {})

    assert runs.load(folder).images == {}
    assert [path.name for path in folder.parent.iterdir()] == ["walk"]


@pytest.mark.parametrize("swaps", [True, False])
@pytest.mark.parametrize("dangling", [True, False])
def test_a_folder_that_is_a_link_stays_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swaps: bool, dangling: bool
):
    there = tmp_path / "another disk" / "walk"
    if not swaps:
        monkeypatch.setattr("sitegen.runs.files._exchange", lambda one, other: False)
    if not dangling:
        there.parent.mkdir()
        folder.rename(there)
    else:
        shutil.rmtree(folder)
    folder.symlink_to(there)

    runs.write(folder, replace(a_run(), images={}, weights=None), {})

    assert folder.is_symlink()
    assert runs.load(there).images == {}
    assert [path.name for path in (*folder.parent.iterdir(), *there.parent.iterdir())] == ["walk", "walk"]


def test_what_a_killed_bake_left_is_cleared_and_a_run_moved_aside_comes_back(folder: Path):
    site = folder.parents[2]
    run = runs.load(folder)
    (folder.parent / ".tmp-new-walk-x1").mkdir()
    (folder.parent / ".tmp-new-walk-x1" / "run.json").write_bytes(b'{"half":')
    folder.rename(folder.parent / ".tmp-old-walk")
    assert runs.names(site) == ()

    runs.tidy(site)

    assert runs.load_all(site) == ({"walk": run}, {})
    assert [path.name for path in folder.parent.iterdir()] == ["walk"]


# ------------------------------------------------------------------------------------------------- weights


def test_weights_unpack_without_numpy(folder: Path):
    program = f"""
import sys
from pathlib import Path
from sitegen import runs
folder = Path({str(folder)!r})
run = runs.load(folder)
data = runs.load_weights(folder, run)
unpacked = {{step: runs.unpack(run.weights, data, step) for step in runs.checkpoints(run.weights)}}
print({{step: {{name: list(flat) for name, flat in tensors.items()}} for step, tensors in unpacked.items()}})
print("numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [str({0: {"w": [1.5, -2.0]}, 2: {"b": [1 / 3]}}), "False"]


def test_an_unknown_checkpoint_names_those_there_are(folder: Path):
    run = runs.load(folder)

    with pytest.raises(RunError, match="no weights are kept at checkpoint 1") as caught:
        runs.unpack(run.weights, WEIGHTS, 1)

    assert caught.value.hint == "kept: 0, 2"


# -------------------------------------------------------------------------------------------------- schema


def test_the_committed_schema_is_current():
    committed = (ROOT / "build/runs/run.schema.json").read_text(encoding="utf-8")

    assert committed == json_schema(), "write it anew: python -m sitegen.runs"


def test_the_schema_is_one_and_says_what_a_run_is(folder: Path):
    schema = json.loads(json_schema())
    run = json.loads((folder / "run.json").read_bytes())

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(run, schema)
    run["metrics"]["top"]["value"] = "high"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(run, schema)


# ------------------------------------------------------------------------------------------------- freshness


@pytest.fixture
def baked(tmp_path: Path) -> Path:
    """A site whose walk, and what needs it, are on disk as if baked from its recipes."""
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)
    digest = ""
    for name, info in recipes_of(site).items():
        run = replace(
            a_run(name),
            act=info.act,
            seed=info.seed,
            parameters=dict(info.parameters),
            outputs=dict(info.outputs),
            images={},
            weights=None,
            provenance=Provenance(
                recipe=f"{info.module}:{info.function}",
                closure=Sources(site).closure(info.module).digests,
                data={},
                needs=dict.fromkeys(info.needs, digest),
                versions=pins.VERSIONS,
                environment=pins.ENVIRONMENT,
                threads=1,
                dtype="float64",
                platform="linux-x86_64-v3",
            ),
        )
        digest = runs.write(runs.runs_folder(site) / name, run, {}).digest
    return site


def states(site: Path) -> dict[str, tuple[str, ...]]:
    """Run -> its state and why."""
    found = runs.statuses(site, recipes_of(site).values(), *runs.load_all(site))
    return {name: (status.state, *status.reasons) for name, status in found.items()}


FRESH = ("fresh",)


def test_a_run_is_fresh_until_something_that_decides_it_changes(baked: Path):
    assert states(baked) == {"walk": FRESH, "after": FRESH}

    text = (baked / "models/toy/walk.py").read_text(encoding="utf-8")
    (baked / "models/toy/walk.py").write_bytes(f"# a comment\n{text}".replace("\n", "\r\n").encode())

    assert states(baked) == {"walk": FRESH, "after": FRESH}


def test_a_changed_module_is_named_and_what_needs_the_run_is_stale_too(baked: Path):
    write_module(baked, "pace", "PACE = 0.2")

    assert states(baked) == {
        "walk": ("stale", "module models.toy.pace changed"),
        "after": ("stale", "need 'walk' is stale"),
    }


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"steps": 4', '"steps": 5', "parameter steps was 4, is 5"),
        ('"steps": 4', '"steps": 4.0', "parameter steps was 4, is 4.0"),
        ('"steps": 4', '"steps": 4, "far": True', "parameter far is new"),
        ("seed=3", "seed=4", "seed was 3, is 4"),
        ("act=1", "act=7", "act was 1, is 7"),
        ('height=exact("step")', 'height=drawn("step")', "output height changed"),
        ('seconds=never("step")', 'hours=never("step")', "output seconds is gone"),
    ],
)
def test_what_a_recipe_declares_anew_is_named(baked: Path, old: str, new: str, reason: str):
    path = baked / "models/toy/walk.py"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    state, *reasons = states(baked)["walk"]

    assert state == "stale"
    assert reason in reasons


EDITED = """
import math
PACE = 0.2
def faster(): ...
FAST = 1
"""


@pytest.fixture
def defined(baked: Path) -> Path:
    """The file of the walk's definitions: its pace has PACE, a FAST that changes and a SLOW that goes."""
    write_module(baked, "pace", "SLOW = 0\nPACE = 0.1\nFAST = 0\n")
    folder, sources = runs.runs_folder(baked) / "walk", Sources(baked)
    run, digests = runs.load(folder), sources.closure("models.toy.walk").digests
    runs.write(folder, replace(run, provenance=replace(run.provenance, closure=digests)), {})
    write_definitions(folder, definitions_file(sources, digests))
    return folder / "definitions.json"


def test_definitions_have_a_line_a_module_and_are_in_no_digest(baked: Path, defined: Path):
    lines = defined.read_text(encoding="utf-8").splitlines()

    assert [line.split(":")[0].strip() for line in lines] == ["{", '"models.toy.pace"', '"models.toy.walk"', "}"]
    assert list(load_definitions(defined.parent)["models.toy.pace"]) == ["FAST", "PACE", "SLOW"]
    assert states(baked)["walk"] == FRESH


def test_what_changed_in_a_module_is_named_in_source_order_and_what_is_gone_last(baked: Path, defined: Path):
    write_module(baked, "pace", EDITED)

    names = "(imports) is new, PACE, faster is new, FAST, SLOW is gone"
    assert states(baked)["walk"] == ("stale", f"module models.toy.pace changed: {names}")


def test_another_order_of_the_same_definitions_has_no_name(baked: Path, defined: Path):
    write_module(baked, "pace", "PACE = 0.1\nSLOW = 0\nFAST = 0\n")

    assert states(baked)["walk"] == ("stale", "module models.toy.pace changed")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"models.toy.walk":{}}',
        b'{"models.toy.pace":[]}',
        b'{"models.toy.pace":{"PACE":1}}',
        b'{"models.toy.pace":{"PACE":"0.1"}}',
        b'{"models.toy.pace":{"\\u001b[31m":"0123456789ab"}}',
    ],
)
def test_a_broken_file_of_definitions_is_as_good_as_none(baked: Path, defined: Path, content: bytes):
    defined.write_bytes(content)
    assert states(baked)["walk"] == FRESH

    write_module(baked, "pace", EDITED)

    assert states(baked)["walk"] == ("stale", "module models.toy.pace changed")


def test_a_new_picture_and_its_fonts_are_named(baked: Path):
    path = baked / "models/toy/walk.py"
    drawn = '\n@walk.draw("map", alt="It rises.")\ndef draw_map(run, axes): ...\n'
    path.write_text(path.read_text(encoding="utf-8") + drawn, encoding="utf-8")
    (baked / "templates/fonts/stills").mkdir(parents=True)
    (baked / "templates/fonts/stills/Own.ttf").write_bytes(b"a font")

    assert states(baked)["walk"] == (
        "stale",
        "picture map is new",
        "module models.toy.walk changed",
        "data fonts/stills/Own.ttf is new",
    )


def test_another_version_is_named(baked: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(pins.VERSIONS, "torch", "9.9.9")

    version = f"version of torch was {run_versions(baked)['torch']!r}, is '9.9.9'"

    assert states(baked)["walk"] == ("stale", version)


def run_versions(site: Path) -> dict[str, str]:
    return runs.load(runs.runs_folder(site) / "walk").provenance.versions


def test_a_need_baked_anew_makes_what_needs_it_stale(baked: Path):
    folder = runs.runs_folder(baked) / "walk"
    runs.write(folder, replace(runs.load(folder), metrics={}), {})

    assert states(baked) == {"walk": FRESH, "after": ("stale", "need walk changed")}


def test_missing_and_damaged_runs_say_so(baked: Path):
    folder = runs.runs_folder(baked)
    (folder / "after" / "run.json").write_text("{", encoding="utf-8")
    (folder / "walk" / "run.json").unlink()
    (folder / "walk" / "timings.json").unlink()
    (folder / "walk").rmdir()

    assert states(baked)["walk"] == ("missing", "it was never baked")
    assert states(baked)["after"][0] == "damaged"


def test_a_run_without_recipe_is_an_orphan(baked: Path):
    (baked / "models/toy/run.py").unlink()

    assert runs.orphans(recipes_of(baked).values(), runs.names(baked)) == ("after",)
