"""The files that a site is made of to what changed in them: by looking, since that works on every disk and system."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

INPUTS = ("content", "models", "templates", "build/runs")
Seen = Mapping[str, tuple[int, int, int]]  # path in the site -> when it was written, its size, its inode

_SHARE = 20  # one part in so many of a core goes into looking
_CALM = 0.02  # seconds without a further change, after which what was saved together is saved
_STORM = 0.6  # seconds after which a build comes though the changes go on


def look(site_dir: Path, inputs: Iterable[str] = INPUTS) -> Seen:
    """All files below the inputs, but hidden ones and what Python leaves: editors put beside what they write."""
    return dict(_files(os.fspath(site_dir), inputs))


def _files(home: str, inputs: Iterable[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    waiting = list(inputs)
    known: set[tuple[int, int]] = set()  # folders, so that a circle of links ends
    while waiting:
        folder = waiting.pop()
        try:
            own = os.stat(f"{home}/{folder}")  # noqa: PTH116 - a Path for each of thousands of files takes half the time
            if (own.st_dev, own.st_ino) in known:
                continue
            known.add((own.st_dev, own.st_ino))
            with os.scandir(f"{home}/{folder}") as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.name == "__pycache__":
                        continue
                    path = f"{folder}/{entry.name}"
                    if entry.is_dir():
                        waiting.append(path)
                    elif told := _told(entry):
                        yield path, told
        except OSError:  # not there, or gone meanwhile
            continue


def _told(entry: os.DirEntry[str]) -> tuple[int, int, int] | None:
    try:
        told = entry.stat()
    except OSError:
        return None
    return told.st_mtime_ns, told.st_size, told.st_ino


def differences(before: Seen, after: Seen) -> tuple[str, ...]:
    """The paths that are new, gone or written anew, in order."""
    both = before.keys() | after.keys()
    return tuple(sorted(path for path in both if before.get(path) != after.get(path)))


class Watch:
    """What changed since the last time it was asked. `pause` and `clock` are those of the system, but in tests."""

    def __init__(
        self,
        site_dir: Path,
        *,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._site, self._pause, self._clock = site_dir, pause, clock
        self._took = 0.0
        self._seen = self._look()

    def changes(self, rest: float = 0.0) -> tuple[str, ...]:
        """What changed, once nothing further does: what is saved in one go comes in one go. Rests before it looks, for
        `rest` seconds, or for longer where looking takes much of the machine."""
        self._pause(max(rest, _CALM, (_SHARE - 1) * self._took))
        before, self._seen = self._seen, self._look()
        changed = differences(before, self._seen)
        start = self._clock()
        while changed and self._clock() - start < _STORM:
            last = self._seen
            self._pause(_CALM)
            self._seen = self._look()
            if self._seen == last:
                break
            changed = differences(before, self._seen)
        return changed

    def _look(self) -> Seen:
        start = time.thread_time()  # and no waiting for others: on a busy machine a change is seen as soon
        seen = look(self._site)
        self._took = time.thread_time() - start
        return seen
