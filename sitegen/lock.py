"""One training a site at a time: a lock, and who holds it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
from filelock import FileLock, Timeout

from sitegen.runs.files import runs_folder
from sitegen.workers import Event, Waiting


class _Holder(msgspec.Struct):
    """What `.lock.holder` says."""

    pid: int
    host: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]{1,255}\Z")]


@contextmanager
def lock(site_dir: Path, report: Callable[[Event], None]) -> Iterator[None]:
    """One training a site at a time; says for whom it waits."""
    folder = runs_folder(site_dir)
    folder.mkdir(parents=True, exist_ok=True)
    held, holder = FileLock(folder / ".lock"), folder / ".lock.holder"
    try:
        held.acquire(timeout=0.2)
    except Timeout:
        report(Waiting(spelled(holder)))
        held.acquire()
    try:
        holder.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        held.release()


def spelled(holder: Path) -> str:
    """Who holds the lock, as the file of the holder says."""
    try:
        owner = msgspec.json.decode(holder.read_bytes(), type=_Holder)
    except (OSError, RecursionError, UnicodeDecodeError, msgspec.MsgspecError):
        return "another process"
    return f"process {owner.pid} on {owner.host}"
