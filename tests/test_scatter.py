"""Bakes on the workers of a dask cluster give the same runs, and nothing else comes through."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from toy_site import PACE, RUN, WALK, recipes_of, toy_site, tree, write_module

from sitegen import pins, runs
from sitegen.cli import main
from sitegen.errors import BakeError, DataError, Findings, SitegenError
from sitegen.runs.files import load
from sitegen.scatter.arrival import arrived
from sitegen.scatter.cluster import Cluster, connect
from sitegen.scatter.far import Teller, bake_there
from sitegen.scatter.parcels import Answer, Labelled, Parcel, Problem, Sent, pack
from sitegen.schema import Location, Run
from sitegen.train import train
from sitegen.workers import Event, Failed, Finished, Note, Progress, Resumed, Started, Workers

ROOT = Path(__file__).resolve().parent.parent
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None and os.environ.get("CI") != "true", reason="needs dask.distributed"
)
BOOK = b"a book\n"
SUM = hashlib.sha256(BOOK).hexdigest()
READS = f"""
from sitegen.recipes import Bake, recipe

@recipe("reads", act=1, seed=0)
def reads(bake: Bake) -> None:
    bake.metric("letters", len(bake.data("book.txt", sha256="{SUM}").read_bytes()))
"""
FAILS = """
from sitegen.recipes import Bake, recipe

@recipe("fails", act=1, seed=0)
def fails(bake: Bake) -> None:
    print("so far so good")
    raise ZeroDivisionError("no way")
"""
# Tells who bakes it (itself, the worker that started it), and bakes for as long as the file `wait` is there.
SLOW = """
import os, time
from pathlib import Path
from sitegen.recipes import Bake, recipe

HERE = Path("FOLDER")

@recipe("slow", act=1, seed=0)
def slow(bake: Bake) -> None:
    (HERE / "new").write_text(f"{os.getpid()} {os.getppid()}")
    (HERE / "new").rename(HERE / "pids")
    while (HERE / "wait").exists():
        time.sleep(0.02)
    bake.metric("done", 1)
"""


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Told(list[Event]):
    def __call__(self, event: Event) -> None:
        if not isinstance(event, Progress):
            self.append(event)


def without_timings(folder: Path) -> dict[str, bytes]:
    return {name: content for name, (content, _) in tree(folder).items() if not name.endswith("timings.json")}


# ------------------------------------------------------------------------------------------- a real cluster


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers of a thread each, which alone have the book."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "book.txt").write_bytes(BOOK)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SITEGEN_DATA": str(folder), "PYTHONWARNINGS": "ignore"}
    shared = ("--host", "127.0.0.1", "--no-dashboard")
    commands = [("scheduler", *shared, "--port", address.rpartition(":")[2], "--no-show")]
    worker = ("worker", address, *shared, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments],
            cwd=folder,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        for name, *arguments in [*commands, worker, worker]
    ]
    try:
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


@needs_dask
def test_a_cluster_gives_the_same_bytes_and_a_failure_stops_no_other(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    here = toy_site(tmp_path / "here", walk=WALK, pace=PACE, run=RUN, reads=READS)
    there = Path(shutil.copytree(here, tmp_path / "there"))
    (tmp_path / "book.txt").write_bytes(BOOK)
    monkeypatch.setenv("SITEGEN_DATA", str(tmp_path))
    train(here, report=Told())
    write_module(there, "fails", FAILS)
    monkeypatch.delenv("SITEGEN_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = Told()

    with pytest.raises(Findings) as caught:
        train(there, scheduler=scheduler, report=told)

    (error,) = caught.value.errors
    assert str(error).startswith("models/toy/fails.py:7: ZeroDivisionError: no way\n  hint: it printed last:")
    assert "so far so good\n  that was on the worker tcp://127.0.0.1:" in str(error)
    assert without_timings(there / "build/runs") == without_timings(here / "build/runs")
    assert load(there / "build/runs/after").digest == load(here / "build/runs/after").digest
    where = {event.run: event.where for event in told if isinstance(event, Started)}
    assert where.keys() == {"walk", "after", "reads", "fails"}
    assert all(address and address.startswith("tcp://127.0.0.1:") for address in where.values())
    assert {event.run for event in told if isinstance(event, Finished)} == {"walk", "after", "reads"}
    assert list((there / "build/runs").glob(".tmp-*")) == []


@needs_dask
def test_a_training_that_is_stopped_ends_its_bakes_on_the_cluster(scheduler: str, tmp_path: Path):
    site = toy_site(tmp_path, slow=SLOW.replace("FOLDER", str(tmp_path)))
    (site / "wait").touch()

    with pytest.raises(KeyboardInterrupt):
        train(site, scheduler=scheduler, report=Told(), stopped=(site / "pids").exists)

    until(lambda: not alive(int((site / "pids").read_text().split()[0])))
    assert [path.name for path in (site / "build/runs").iterdir()] == [".lock"]


@needs_dask
def test_a_worker_that_dies_is_replaced_by_another(scheduler: str, tmp_path: Path):
    site, told = toy_site(tmp_path, slow=SLOW.replace("FOLDER", str(tmp_path))), Told()
    (site / "wait").touch()

    def report(event: Event) -> None:
        told(event)
        if isinstance(event, Started) and (site / "wait").exists():
            until((site / "pids").exists)
            os.kill(int((site / "pids").read_text().split()[1]), signal.SIGKILL)
            (site / "wait").unlink()

    assert train(site, scheduler=scheduler, report=report) == ("slow",)

    first, second, last = told
    assert isinstance(first, Started)
    assert isinstance(second, Started)
    assert first.where != second.where
    assert last == Finished("slow", True)
    assert runs.load(site / "build/runs/slow").metrics["done"].value == 1


# ------------------------------------------------------------------------------------------ no such cluster


@needs_dask
def test_an_address_where_no_scheduler_answers_is_told_soon(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(BakeError, match=f"no scheduler answers at {address}: ") as caught:
            connect(tmp_path, address, seconds=0.5)
    assert caught.value.hint
    assert "dask scheduler" in caught.value.hint
    for wrong in ("nonsense://here", "tcp://127.0.0.1:1"):
        with pytest.raises(BakeError, match=f"no scheduler answers at {wrong}: "):
            connect(tmp_path, wrong, seconds=0.5)


def test_without_the_extra_it_is_told_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    site = toy_site(tmp_path)

    done = CliRunner().invoke(main, ["train", "--site", str(site), "--scheduler", "tcp://127.0.0.1:1"])

    assert done.exit_code == 1
    assert done.stderr == (
        "--scheduler needs dask.distributed, which is not installed\n  hint: install it: pip install 'sitegen[dask]'\n"
    )


class Stub:
    """A client whose workers are gone, and its one future."""

    status = "running"

    def __init__(self, outcome: Callable[[], bytes], done: bool) -> None:
        self.outcome, self._done = outcome, done

    def nthreads(self) -> dict[str, int]:
        return {}

    def subscribe_topic(self, topic: str, hear: Callable[[Any], None]) -> None:
        self.hear = hear

    def submit(self, function: Callable[..., bytes], parcel: bytes, **options: Any) -> Stub:
        assert function is bake_there
        return self

    def done(self) -> bool:
        return self._done

    def result(self) -> bytes:
        return self.outcome()

    def release(self) -> None: ...


def fails_with(error: BaseException, *, done: bool = True) -> Callable[[Path], SitegenError]:
    def outcome() -> bytes:
        raise error

    def bake(site: Path) -> SitegenError:
        cluster: Any = Cluster(site, "tcp://there", Stub(outcome, done), patience=0.2)
        with pytest.raises(BakeError) as caught:
            cluster.bake(recipes_of(site)["walk"], unfinished=str(site / "none"), forced=False)
        return caught.value

    return bake


@needs_dask
def test_a_bake_that_the_cluster_cannot_do_says_why(tmp_path: Path):
    from distributed.client import FutureCancelledError
    from distributed.scheduler import KilledWorker

    site = toy_site(tmp_path)
    killed = KilledWorker("walk", SimpleNamespace(address="tcp://last"), 3)  # type: ignore[arg-type]
    without = ModuleNotFoundError("No module named 'sitegen'")

    assert fails_with(killed)(site).message == "4 workers died while they baked 'walk'"
    assert fails_with(FutureCancelledError("walk", "lost"))(site).message == (
        "the scheduler at tcp://there gave up the bake of 'walk', or is gone"
    )
    assert fails_with(without)(site).message == (
        "the cluster cannot bake 'walk': ModuleNotFoundError: No module named 'sitegen'"
    )
    assert fails_with(without, done=False)(site).message == "no worker is left at tcp://there to bake 'walk'"


# ---------------------------------------------------------------------------------- what goes, what comes back


def test_a_parcel_holds_the_closure_the_needed_runs_and_the_fonts_and_nothing_else(tmp_path: Path):
    drawn = RUN + '\n@after.draw("line", alt="A line.")\ndef line(run, axes): ...\n'
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=drawn, other="OTHER = 1\n")
    train(site, names=("walk",), report=Told())
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "state").write_bytes(b"half")

    def parcel(name: str) -> Parcel:
        packed, _ = pack(site, recipes_of(site)[name], topic="t", unfinished=kept, forced=True)
        return msgspec.msgpack.decode(msgspec.msgpack.decode(packed, type=Labelled).parcel, type=Parcel)

    walk, after = parcel("walk"), parcel("after")

    assert walk.files.keys() == {"models/toy/walk.py", "models/toy/pace.py"}
    assert (walk.info, walk.unfinished, walk.forced) == (recipes_of(site)["walk"], b"half", True)
    fonts = {f"templates/{font}" for font in runs.freshness.still_fonts(site)}
    assert fonts
    needed = {f"build/runs/walk/{name}" for name in ("run.json", "timings.json", "definitions.json")}
    assert after.files.keys() == {"models/toy/run.py", *fonts, *needed}


@pytest.fixture(scope="module")
def came(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sent, dict[str, bytes]]:
    """A site, what was sent of it, and the files of the run that came back."""
    site = toy_site(tmp_path_factory.mktemp("came"), walk=WALK, pace=PACE)
    info = recipes_of(site)["walk"]
    _, sent = pack(site, info, topic="t", unfinished=site / "none", forced=False)
    staged = Workers(site).bake(info, unfinished="", forced=False)
    files = {path.name: path.read_bytes() for path in staged.iterdir()}
    runs.tidy(site)
    return site, sent, files


def made_of(run: Run, **other: Any) -> Run:
    return replace(run, provenance=replace(run.provenance, **other))


ALTERED: Mapping[str, Callable[[Run], Run]] = {
    "seed was 4, is 3": lambda run: replace(run, seed=4),
    "parameter steps was 5, is 4": lambda run: replace(run, parameters={"steps": 5}),
    "module models.toy.pace changed": lambda run: made_of(
        run, closure={**run.provenance.closure, "models.toy.pace": "0" * 64}
    ),
    "version of torch was '2.0.0', is ": lambda run: made_of(run, versions={**pins.VERSIONS, "torch": "2.0.0"}),
    "environment TZ was 'CET', is 'UTC'": lambda run: made_of(run, environment={**pins.ENVIRONMENT, "TZ": "CET"}),
    "data book.txt has the sum 1111": lambda run: made_of(run, data={"book.txt": "1" * 64}),
    "platform was linux-sparc, is ": lambda run: made_of(run, platform="linux-sparc"),
}


@pytest.mark.parametrize("words", ALTERED)
def test_a_run_of_other_provenance_is_refused_with_what_differs_and_its_worker(
    came: tuple[Path, Sent, dict[str, bytes]], words: str, tmp_path: Path
):
    site, sent, files = came
    run = runs.decode.decode(files["run.json"], "walk", "run.json")
    runs.stage(tmp_path, ALTERED[words](run), {}, {})
    altered = {**files, "run.json": (tmp_path / "run.json").read_bytes()}

    with pytest.raises(BakeError) as caught:
        arrived(site, recipes_of(site)["walk"], sent, Answer("tcp://far:1", altered))

    assert caught.value.message.startswith(f"the run 'walk' that tcp://far:1 baked is refused: {words}")
    assert list((site / "build/runs").glob(".tmp-*")) == []


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"run.json": b"{"}, "not valid JSON"),
        ({"../../evil": b"x"}, "'../../evil' is no name of a file"),
        ({"evil.py": b"x"}, "'evil.py' is no file of it"),
        ({"timings.json": b"{}"}, "the timings of run 'walk' cannot be read"),
    ],
)
def test_what_is_not_whole_or_not_of_the_run_is_refused(
    came: tuple[Path, Sent, dict[str, bytes]], other: dict[str, bytes], words: str
):
    site, sent, files = came

    with pytest.raises(BakeError, match="that tcp://far:1 baked is refused: ") as caught:
        arrived(site, recipes_of(site)["walk"], sent, Answer("tcp://far:1", {**files, **other}))

    assert words in caught.value.message
    assert not (site / "build/runs/walk").exists()
    assert not (site.parent / "evil").exists()


def test_what_comes_back_whole_is_staged_and_an_edit_meanwhile_is_told(
    came: tuple[Path, Sent, dict[str, bytes]], tmp_path: Path
):
    site, sent, files = came
    staged = arrived(site, recipes_of(site)["walk"], sent, Answer("tcp://far:1", files))
    assert {path.name: path.read_bytes() for path in staged.iterdir()} == files

    edited = Path(shutil.copytree(site, tmp_path / "edited"))
    write_module(edited, "pace", "PACE = 0.2\n")
    with pytest.raises(BakeError, match="its source was edited while it was baked"):
        arrived(edited, recipes_of(edited)["walk"], sent, Answer("tcp://far:1", files))


def test_an_error_comes_back_as_it_was_with_its_worker(came: tuple[Path, Sent, dict[str, bytes]]):
    site, sent, _ = came
    problem = Problem("DataError", "data file 'b' is missing", "models/toy/walk.py", 9, "put it at p")

    with pytest.raises(DataError) as caught:
        arrived(site, recipes_of(site)["walk"], sent, Answer("tcp://far:1", problem=problem))

    assert caught.value.at == Location("models/toy/walk.py", 9)
    assert caught.value.hint == "put it at p\n  that was on the worker tcp://far:1"


def test_workers_tell_all_but_only_the_newest_progress_and_junk_is_not_heard(tmp_path: Path):
    sent: list[dict[str, Any]] = []
    steps = [Progress("walk", step, 4, {"loss": 0.5}, None) for step in (1, 2, 3, 4)]
    Teller("tcp://far:1", sent.append)([Started("walk"), *steps[:2], Note("walk", "n"), *steps[2:3]])
    stub: Any = Stub(lambda: b"", done=True)
    cluster = Cluster(tmp_path, "tcp://there", stub)
    cluster._futures["walk"] = stub
    junk: list[dict[str, Any]] = [{}, {"event": "Failed"}, {"event": "Note", "run": 3}, {"event": []}]

    for message in [*sent, *junk, {"event": "Note", "run": "over", "words": "late"}]:
        stub.hear((0.0, message))

    assert [*cluster.events()] == [Started("walk", "tcp://far:1"), steps[1], Note("walk", "n")]
    assert not {Failed, Resumed} & {type(event) for event in cluster.events()}
