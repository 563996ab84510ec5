"""Stale runs to fresh ones while the site is served: `sitegen train`, in a thread of its own."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from sitegen.errors import Findings, SitegenError
from sitegen.runs import runs_folder
from sitegen.runs.files import bake_seconds
from sitegen.serve.live import Baking, Live, several
from sitegen.workers import Event, Failed, Finished, Progress, Resumed, Started, Waiting

_WAY_OUT = re.compile(r"sitegen train --run ([\w-]+)")
_TELL_EVERY = 0.2  # seconds
_FAREWELL = 1.5  # seconds that a bake has to end: its worker is killed, and whoever waits for another one has none


def to_bake(errors: Iterable[SitegenError]) -> tuple[str, ...]:
    """The runs that a build says to bake, be they stale, missing or damaged: what it hints at is what is done."""
    return tuple(sorted({name for error in errors for name in _WAY_OUT.findall(error.hint or "")}))


class Rebake:
    """At most one at a time; what takes longest comes last."""

    def __init__(self, site_dir: Path, live: Live, report: Callable[[str], None]) -> None:
        self._site, self._live, self._report = site_dir, live, report
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._guard = threading.Lock()

    def start(self) -> None:
        with self._guard:
            if self._stopped.is_set() or (self._thread and self._thread.is_alive()) or not self._live.state.stale:
                return
            names = sorted(self._live.state.stale, key=self._seconds)
            self._live.change(failures=(), baking=Baking(names[0]))
            self._thread = threading.Thread(target=self._bake, args=(names,), name="rebake", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends a bake, which loses nothing: `sitegen train` goes on from its last checkpoint."""
        with self._guard:
            self._stopped.set()
        if self._thread:
            self._thread.join(_FAREWELL)

    def _seconds(self, run: str) -> float:
        seconds = bake_seconds(runs_folder(self._site) / run)
        return math.inf if seconds is None else seconds

    def _bake(self, names: list[str]) -> None:
        from sitegen.train import train  # and what it needs: most who write never bake here

        failures: list[SitegenError] = []
        try:
            for name in names:
                try:
                    train(self._site, names=(name,), report=self._follow(), stopped=self._stopped.is_set)
                except SitegenError as error:
                    failures += several(error)
        except KeyboardInterrupt:  # it was stopped
            pass
        except Exception as error:  # whatever happens in this thread, it is told
            failures.append(SitegenError(f"the bake ended with {type(error).__name__}: {error}"))
        told = tuple(Findings(failures).errors)
        for failure in told:
            self._report(str(failure))
        self._live.change(baking=None, failures=told)

    def _follow(self) -> Callable[[Event], None]:
        told = -math.inf

        def follow(event: Event) -> None:
            nonlocal told
            match event:
                case Waiting(holder):
                    self._report(f"waiting for {holder}, which bakes too")
                case Started(run):
                    self._report(f"baking {run}")
                    self._live.change(baking=Baking(run))
                case Resumed(run, step, total):
                    self._live.change(baking=Baking(run, step, total or 0))
                case Progress(run, step, total) if time.monotonic() - told > _TELL_EVERY:
                    told = time.monotonic()
                    self._live.change(baking=Baking(run, step, total))
                case Finished(run, changed):
                    self._report(f"{run} is {'baked' if changed else 'as it was'}")
                case Failed(run):
                    self._report(f"{run} failed")

        return follow
