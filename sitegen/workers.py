"""Worker processes and what they tell: started with a pinned environment, listened to, stopped with their parent."""

from __future__ import annotations

import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sitegen import pins
from sitegen.errors import BakeError, SitegenError, named
from sitegen.runs.files import runs_folder, staging_folder
from sitegen.schema import Location, RecipeInfo


class Waiting(Struct, frozen=True):
    """Another training holds the site; `holder` says which."""

    holder: str


class Fresh(Struct, frozen=True):
    run: str


class Started(Struct, frozen=True):
    """`where` is the address of the worker if that is of a cluster."""

    run: str
    where: str | None = None


class Resumed(Struct, frozen=True):
    """A bake goes on from the checkpoint that a killed one left; `total` is None if it never told how many steps."""

    run: str
    step: int
    total: int | None


class Note(Struct, frozen=True):
    """What a person should know of an unfinished bake."""

    run: str
    words: str


class Progress(Struct, frozen=True):
    """`seconds_left` is a guess from the steps that this process did; None before the first."""

    run: str
    step: int
    total: int
    values: Mapping[str, float]
    seconds_left: float | None


class Finished(Struct, frozen=True):
    """`changed` says whether the run's digest is new."""

    run: str
    changed: bool


class Failed(Struct, frozen=True):
    run: str
    error: SitegenError


class _Told(msgspec.Struct):
    event: str


class _Progress(_Told):
    step: int
    total: int
    values: dict[str, float]


class _Resumed(_Told):
    step: int
    total: int | None


class _Note(_Told):
    words: str


class _Problem(_Told):
    kind: str
    message: str
    path: str
    line: int | None
    hint: str | None


Event = Waiting | Fresh | Started | Resumed | Note | Progress | Finished | Failed


class Workers:
    """The worker processes of one training or verification. `bake` and `ask` block: each has a thread of its own.

    `caller` is the environment that theirs is made from.
    """

    def __init__(self, site_dir: Path, caller: Mapping[str, str] | None = None) -> None:
        self._site = site_dir
        self._caller = os.environ if caller is None else caller
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopped = False
        self._guard = threading.Lock()

    @property
    def slots(self) -> int:
        """How many bakes go on at once where nobody says it: each loads a core, and its memory."""
        return 1

    def events(self) -> Iterator[Event]:
        """What the workers told since the last call."""
        while not self._events.empty():
            yield self._events.get()

    def bake(self, info: RecipeInfo, staged: Path | None = None, **job: Any) -> Path:
        """The folder with the staged run of one recipe; without a given one, it lies beside the runs."""
        staged = staged or staging_folder(runs_folder(self._site), info.name)
        self.ask("sitegen.bake", info, staged=str(staged), **job)
        if not (staged / "run.json").is_file():
            raise BakeError(f"the worker of {info.name!r} left no run.json", at=info.at)
        return staged

    def ask(self, module: str, info: RecipeInfo, **job: Any) -> list[dict[str, Any]]:
        """What a worker tells of its job beside its progress; raises what went wrong in it."""
        nonce = secrets.token_hex(16)
        told = {"site_dir": str(self._site), "staged": "", "info": info, "nonce": nonce, **job}
        heard: list[dict[str, Any]] = []
        with tempfile.TemporaryFile() as printed:
            process = self._start(module, printed.fileno())
            self._events.put(Started(info.name))
            try:
                _send(process, msgspec.json.encode(told))
                last = self._listen(info.name, process, heard, nonce.encode())
            finally:
                self._forget(process)
            printed.seek(0)
            words = printed.read().decode("utf-8", "replace")
        if last.get("event") == "done":
            return heard
        if last.get("event") == "error":
            raise _error(last, words)
        code = process.returncode
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        raise BakeError(f"the worker of {info.name!r} {ended}", at=info.at, hint=_last_words(words))

    def stop(self) -> None:
        """Kill every worker, and start no other."""
        with self._guard:
            self._stopped = True
            for process in self._processes:
                process.kill()

    def _start(self, module: str, stderr: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-s", "-m", module]
        with self._guard:
            if self._stopped:
                raise BakeError("training was stopped")
            process = subprocess.Popen(
                command,
                cwd=self._site,
                env=pins.worker_environment(self._caller),
                stdin=subprocess.PIPE,  # it ends when this process does, however that happens, and the worker with it
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,  # Ctrl-C is for this process, which then stops its workers
            )
            self._processes.add(process)
        return process

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with suppress(BrokenPipeError):  # a job that a dead worker did not read
                    pipe.close()
        with self._guard:
            self._processes.discard(process)

    def _listen(
        self, run: str, process: subprocess.Popen[bytes], heard: list[dict[str, Any]], nonce: bytes
    ) -> dict[str, Any]:
        """Pass on a worker's progress, collect what else it tells; gives its last message, once it has ended."""
        last: dict[str, Any] = {}
        pace = _Pace()
        assert process.stdout, "it was asked for"
        for line in process.stdout:
            message = _message(line, nonce)
            if message is None:  # a recipe wrote on a pipe that is not its own
                continue
            last = message
            if last["event"] == "progress":
                step, total = last["step"], last["total"]
                self._events.put(Progress(run, step, total, last["values"], pace.left(time.monotonic(), step, total)))
            elif last["event"] == "resumed":
                self._events.put(Resumed(run, last["step"], last["total"]))
            elif last["event"] == "note":
                self._events.put(Note(run, last["words"]))
            else:
                heard.append(last)
        process.wait()
        return last


class _Pace:
    """How long the rest takes, from what was told of the last minute at least: phases of a bake differ in pace."""

    WINDOW = 60.0

    def __init__(self) -> None:
        self._told: deque[tuple[float, int]] = deque()  # (time, step)

    def left(self, now: float, step: int, total: int) -> float | None:
        if self._told and step < self._told[-1][1]:  # it counts anew
            self._told.clear()
        self._told.append((now, step))
        while len(self._told) > 2 and self._told[1][0] <= now - self.WINDOW:
            self._told.popleft()
        then, before = self._told[0]
        return (now - then) / (step - before) * (total - step) if step > before else None


_KINDS: dict[str, type[_Told]] = {"progress": _Progress, "resumed": _Resumed, "note": _Note, "error": _Problem}
_MESSAGES = msgspec.json.Decoder(dict[str, Any])


def _send(process: subprocess.Popen[bytes], job: bytes) -> None:
    assert process.stdin, "it was asked for"
    with suppress(BrokenPipeError):  # it ended before it read: that is told where it is listened to
        process.stdin.write(job + b"\n")
        process.stdin.flush()


def _message(line: bytes, nonce: bytes) -> dict[str, Any] | None:
    """A line as what a worker tells, behind the nonce; None for what no worker tells."""
    _, told, rest = line.rpartition(nonce + b" ")
    if not told:
        return None
    try:
        message = _MESSAGES.decode(rest)
        msgspec.convert(message, _KINDS.get(message["event"], _Told))
    except (KeyError, RecursionError, TypeError, UnicodeDecodeError, msgspec.MsgspecError):
        return None
    return message


def _error(message: dict[str, Any], words: str) -> SitegenError:
    kind = named(message["kind"])
    at = Location(message["path"], message["line"])
    hints = (message["hint"], _last_words(words) if kind is BakeError else None)
    hint = "\n  ".join(filter(None, hints)) or None
    return kind(message["message"], at=at, hint=hint)


def _last_words(printed: str) -> str | None:
    """The end of what a worker printed, for a person to read."""
    lines = deque((line for line in printed.splitlines() if line.strip()), maxlen=12)
    return "it printed last:\n    " + "\n    ".join(lines) if lines else None
