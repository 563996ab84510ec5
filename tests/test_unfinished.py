"""Bakes that are killed half-way: what they keep, what goes on from it, and that the run is the same."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from test_train import Told, alive, pid_of, until
from toy_site import command, recipes_of, sitegen, toy_site, tree, write_module

from sitegen.bake.keeping import decode, encode
from sitegen.errors import RecipeError, RunError
from sitegen.runs import unfinished
from sitegen.train import train
from sitegen.workers import Finished, Fresh, Note, Resumed, Started

# Trains for 30 steps and keeps each third; says where it is, and waits there if a file asks it to.
LONG = """
import os, time
from pathlib import Path
import numpy as np
from sitegen.recipes import Bake, exact, recipe

SITE = Path(__file__).parents[2]

@recipe("long", act=1, seed=4, parameters={"steps": 30}, long=True, loss=exact("step"))
def long(bake: Bake) -> None:
    steps = bake.parameters["steps"]
    stream = np.random.default_rng(bake.seed)
    state = bake.kept() or {"w": np.float32([1, 2]) / 3, "losses": [], "stream": stream.bit_generator.state, "step": 0}
    w, losses = state["w"], state["losses"]
    stream.bit_generator.state = state["stream"]
    for step in range(state["step"] + 1, steps + 1):
        w = w * np.float32(0.9) + stream.standard_normal(2, np.float32)
        losses.append(float(w.sum()))
        bake.progress(step, steps, loss=losses[-1])
        if step % 3 == 0:
            bake.keep(step, {"w": w, "losses": losses, "stream": stream.bit_generator.state})
        while (SITE / f"wait-{step}").exists():
            (SITE / "pid").write_text(str(os.getpid()))
            time.sleep(0.01)
    bake.series("loss", losses, step=range(1, steps + 1))
    bake.weights(steps, {"w": w})
"""


# The same of a network that torch trains: its optimiser and its generator are kept too.
TORCH = """
import time
import torch
from sitegen.recipes import Bake, exact, recipe

@recipe("long", act=1, seed=4, parameters={"steps": 60}, long=True, loss=exact("step"))
def long(bake: Bake) -> None:
    stream = torch.Generator().manual_seed(bake.seed)
    net = torch.nn.Sequential(torch.nn.Linear(7, 33), torch.nn.GELU(), torch.nn.Linear(33, 3))
    adam = torch.optim.Adam(net.parameters(), lr=0.01)
    losses, first = [], 1
    if kept := bake.kept():
        net.load_state_dict(kept["net"])
        adam.load_state_dict(kept["adam"])
        stream.set_state(kept["stream"])
        losses, first = kept["losses"], kept["step"] + 1
    for step in range(first, 61):
        x = torch.randn(50, 7, generator=stream)
        loss = (net(x) - x[:, :3].sin()).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
        bake.progress(step, 60, loss=loss)
        time.sleep(0.05)
        if step % 4 == 0:
            state = {"net": net.state_dict(), "adam": adam.state_dict(), "losses": losses, "stream": stream.get_state()}
            bake.keep(step, state)
    bake.series("loss", losses, step=range(1, 61))
    bake.weights(60, net.state_dict())
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return toy_site(tmp_path / "site", long=LONG)


def unbroken(tmp_path: Path) -> Path:
    site = toy_site(tmp_path / "unbroken", long=LONG)
    train(site, report=Told())
    return site


def killed(site: Path, step: int, *options: str) -> str:
    """Train until a step, where worker and training die; gives what was told."""
    (site / "pid").unlink(missing_ok=True)
    (site / f"wait-{step}").touch()
    process = subprocess.Popen(command("train", *options), cwd=site, stderr=subprocess.PIPE, text=True)
    worker = pid_of(site)
    process.kill()
    until(lambda: not alive(worker))
    (site / f"wait-{step}").unlink()
    return process.communicate(timeout=30)[1]


def kept_of(site: Path) -> Path:
    return unfinished.unfinished_folder(site, "long")


def comparable(site: Path) -> dict[str, bytes]:
    return {name: content for name, (content, _) in tree(site / "build").items() if "timings" not in name}


# ------------------------------------------------------------------------------------------------ going on


def test_a_bake_that_is_killed_three_times_gives_the_bytes_of_an_unbroken_one(site: Path, tmp_path: Path):
    for step in sorted(random.sample(range(1, 30), 3)):
        killed(site, step)
    told = Told()

    train(site, report=told)

    assert comparable(site) == comparable(unbroken(tmp_path))
    assert told[0] == Started("long")
    assert told[-1] == Finished("long", True)
    assert not kept_of(site).exists()


@pytest.mark.bake
def test_a_training_of_torch_that_is_killed_at_three_moments_gives_the_bytes_of_an_unbroken_one(tmp_path: Path):
    broken, whole = toy_site(tmp_path / "broken", long=TORCH), toy_site(tmp_path / "whole", long=TORCH)
    train(whole, report=Told())
    reached = [0]
    for _ in range(3):
        process = subprocess.Popen(command("train", "--quiet"), cwd=broken)
        until(lambda: (left := unfinished.peek(kept_of(broken))) and left.step > reached[-1], seconds=120)
        time.sleep(random.random() / 2)
        process.kill()
        process.wait(timeout=30)
        left = unfinished.peek(kept_of(broken))
        reached.append(left.step if left else 0)
    told = Told()

    train(broken, report=told)

    assert isinstance(told[1], Resumed)
    assert told[1].step >= reached[3] > reached[2] > reached[1] > 0
    assert comparable(broken) == comparable(whole)


def test_it_says_where_it_goes_on_and_a_kill_between_checkpoints_loses_only_what_came_after_the_last(site: Path):
    killed(site, 11)

    told = sitegen("train", cwd=site).stderr.splitlines()

    assert told[:2] == ["long: loads PyTorch, then bakes", "long: resumes at step 9 of 30"]
    assert told[-1] == "long: baked"


def test_a_worker_that_dies_leaves_the_checkpoint_too(site: Path):
    (site / "wait-7").touch()
    process = subprocess.Popen(command("train", "--quiet"), cwd=site, stderr=subprocess.PIPE)
    subprocess.run(["kill", "-s", str(int(signal.SIGKILL)), str(pid_of(site))], check=True)
    process.communicate(timeout=30)
    (site / "wait-7").unlink()
    told = Told()

    train(site, report=told)

    assert told[1] == Resumed("long", 6, 30)


def test_an_interrupt_says_what_is_kept(site: Path):
    (site / "wait-7").touch()
    process = subprocess.Popen(command("train"), cwd=site, stderr=subprocess.PIPE, text=True)
    pid_of(site)

    process.send_signal(signal.SIGINT)

    assert process.communicate(timeout=30)[1].splitlines()[-2:] == [
        "long: kept at step 6 of 30; sitegen train goes on from there",
        "stopped; what was there before is as it was",
    ]


def test_a_forced_bake_begins_anew_and_one_that_was_killed_goes_on_without_the_option(site: Path, tmp_path: Path):
    train(site, report=Told())
    before = tree(site / "build")
    killed(site, 10, "--force")
    again = killed(site, 20, "--force")
    told = Told()

    train(site, report=told)

    assert "long: begins anew; an unfinished bake, at step 9, is dropped\nlong: loads PyTorch, then bakes\n" in again
    assert told == [Started("long"), Resumed("long", 18, 30), Finished("long", False)]
    assert tree(site / "build") == before
    train(site, report=told)
    assert told[-1] == Fresh("long")


def test_an_unfinished_bake_whose_run_came_from_elsewhere_is_dropped(site: Path, tmp_path: Path):
    killed(site, 10)
    (unbroken(tmp_path) / "build/runs/long").rename(site / "build/runs/long")
    told = Told()

    train(site, report=told)

    assert told == [Note("long", "is fresh; an unfinished bake, at step 9, is dropped"), Fresh("long")]
    assert not kept_of(site).exists()


@pytest.mark.parametrize("edit", ["seed=4|seed=5", '"steps": 30|"steps": 33', "0.9|0.8"])
def test_what_was_kept_of_another_recipe_is_dropped_and_said_so(site: Path, edit: str):
    killed(site, 10)
    write_module(site, "long", LONG.replace(*edit.split("|")))
    told = Told()

    train(site, report=told)

    words = "the unfinished bake is dropped: its code, settings, data or versions are not those of today"
    assert told == [Started("long"), Note("long", words), Finished("long", True)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b"losses", b"lasses"),
        lambda content: b"",
        lambda content: b"\x80\x04\x95" + content,
        lambda content: b"[" * 99_999,
    ],
)
def test_a_damaged_checkpoint_is_dropped_and_said_so(site: Path, tmp_path: Path, damage):
    killed(site, 10)
    path = kept_of(site) / "state"
    path.write_bytes(damage(path.read_bytes()))
    told = Told()

    train(site, report=told)

    assert told[1:] == [
        Note("long", "the unfinished bake is dropped: its file is damaged"),
        Finished("long", True),
    ]
    assert comparable(site) == comparable(unbroken(tmp_path))


def test_what_belongs_to_no_recipe_is_dropped(site: Path):
    for name in ("gone", "long"):
        folder = unfinished.unfinished_folder(site, name)
        folder.mkdir(parents=True)

    unfinished.tidy(site, ["long"])

    assert [path.name for path in kept_of(site).parent.iterdir()] == ["long"]


def test_verify_bakes_without_a_checkpoint_and_leaves_it(site: Path):
    train(site, report=Told())
    killed(site, 10, "--force")
    before = tree(kept_of(site))

    done = sitegen("verify", "--check", "rebake", "--json", cwd=site)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"] == ["long"]
    assert tree(kept_of(site)) == before


def test_the_seconds_of_a_resumed_bake_are_those_of_all_its_processes(site: Path):
    killed(site, 10)
    path = kept_of(site) / "state"
    line, _, body = path.read_bytes().partition(b"\n")
    head = json.loads(line)
    path.write_bytes(json.dumps({**head, "seconds": 1000.0}).encode() + b"\n" + body)

    train(site, report=Told())

    seconds = json.loads((site / "build/runs/long/timings.json").read_bytes())["seconds"]
    assert head["seconds"] > 0
    assert seconds > 1000


def test_all_that_makes_a_run_stale_is_in_the_fingerprint(site: Path):
    info = recipes_of(site)["long"]

    def of(info=info, digests=None, fonts=None, platform="p"):
        return unfinished.fingerprint(info, digests or {"models.toy.long": "d"}, {}, fonts or {}, platform)

    others = [
        of(replace(info, seed=5)),
        of(replace(info, parameters={"steps": 31})),
        of(replace(info, outputs={})),
        of(digests={"models.toy.long": "e"}),
        of(platform="q"),
        of(replace(info, pictures={"p": "a"}), fonts={"f": "1"}),
        of(replace(info, pictures={"p": "a"}), fonts={"f": "2"}),
    ]
    assert of() == of(replace(info, at=replace(info.at, line=99)))
    assert len({of(), *others}) == 8


# ------------------------------------------------------------------------------------------------- the values


def test_values_come_back_bit_for_bit_with_their_types():
    import numpy as np

    state = {
        "numbers": [1, -0.0, 1e-310, 2**127, True, None, "ü\n"],
        "nested": {"pair": (1, [2.5]), 0: {"momentum": np.float32([1 / 3, -0.0])}},
        "turned": np.arange(6.0).reshape(2, 3).T,
        "empty": np.zeros((0, 3), np.int8),
        "nan": np.array([float("nan"), float("inf")]),
    }

    found = decode(encode(state))

    assert repr(found) == repr(state)
    assert found["turned"].tobytes() == state["turned"].tobytes()
    assert found["nested"][0]["momentum"].dtype == np.float32
    found["turned"][0, 0] = 7  # in memory of its own


@pytest.mark.bake
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "int64", "uint8", "bool", "complex64"])
def test_tensors_come_back_bit_for_bit_with_their_types(dtype: str):
    import torch

    tensor = torch.arange(6).to(getattr(torch, dtype)).reshape(2, 3).T
    parameter = torch.nn.Parameter(torch.full((), 1 / 3))

    found = decode(encode({"t": tensor, "empty": tensor[:0], "p": parameter, "optimiser": {0: {"step": tensor[1]}}}))

    assert found["t"].dtype == tensor.dtype
    assert torch.equal(found["t"], tensor)
    assert found["empty"].shape == (0, 2)
    assert torch.equal(found["p"], parameter.detach())
    assert torch.equal(found["optimiser"][0]["step"], tensor[1])


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"f": print}, "the state['f'] is a builtin_function_or_method"),
        ({"a": [{"b": {1}}]}, "the state['a'][0]['b'] is a set"),
        ({"a": {1.5: 0}}, "the state['a'] has the key 1.5"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_place(state: dict, message: str):
    with pytest.raises(RecipeError) as caught:
        encode(state)

    assert caught.value.message == message


def test_an_array_of_python_objects_is_never_kept_nor_read():
    import numpy as np

    with pytest.raises(RecipeError):
        encode({"a": np.array([print])})
    with pytest.raises(RunError, match="damaged"):
        decode(b'{"map":[["a",{"array":["|O",[1],0,8]}]]}\n' + bytes(8))
