"""What a worker of the cluster does with a parcel: it bakes in a process of its own, pinned as at home."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

import sitegen
from sitegen.errors import BakeError, SitegenError, record
from sitegen.runs.files import staging_folder
from sitegen.scatter.parcels import Answer, Labelled, Parcel, Problem, unpack
from sitegen.workers import Event, Progress, Started, Workers


def bake_there(labelled: bytes) -> bytes:
    """A packed parcel to a packed answer. Runs in a thread of a dask worker; errors of sitegen are answers too."""
    from distributed import get_worker

    worker = get_worker()
    address, key = worker.address, worker.get_current_task()

    def unwanted() -> bool:
        task = worker.state.tasks.get(key)  # whoever asked for it has stopped, or is gone
        return task is None or task.state == "cancelled"

    try:
        parcel = _opened(labelled)
        with tempfile.TemporaryDirectory(prefix="sitegen-", dir=worker.local_directory) as folder:
            tell = Teller(address, lambda event: worker.log_event(parcel.topic, event))
            answer = Answer(address, files=_baked(parcel, Path(folder), tell, unwanted))
    except SitegenError as error:
        answer = Answer(address, problem=msgspec.convert(record(error), Problem))
    except OSError as error:
        words = f"the files of the bake cannot be written there: {error.strerror}: {error.filename}"
        answer = Answer(address, problem=msgspec.convert(record(BakeError(words)), Problem))
    return msgspec.msgpack.encode(answer)


def _opened(labelled: bytes) -> Parcel:
    label = msgspec.msgpack.decode(labelled, type=Labelled)
    if label.sitegen != sitegen.__version__:
        message = f"sitegen {sitegen.__version__} is installed there, but {label.sitegen} asks"
        raise BakeError(message, hint=f"install it there: pip install 'sitegen[train,dask]=={label.sitegen}'")
    return msgspec.msgpack.decode(label.parcel, type=Parcel)


def _baked(
    parcel: Parcel, folder: Path, tell: Callable[[Iterable[Event]], None], unwanted: Callable[[], bool]
) -> dict[str, bytes]:
    """File name -> content of the staged run."""
    site, kept = folder / "site", folder / "unfinished"
    unpack(parcel, site)
    if parcel.unfinished is not None:
        kept.mkdir()
        (kept / "state").write_bytes(parcel.unfinished)
    job = {"unfinished": str(kept) if kept.is_dir() else "", "forced": parcel.forced}
    workers = Workers(site)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="bake") as pool:
        baking = pool.submit(workers.bake, parcel.info, staging_folder(folder, "run"), **job)
        try:
            while not baking.done() and not unwanted():
                wait([baking], timeout=0.2)
                tell(workers.events())
        finally:
            workers.stop()
    staged = baking.result()
    return {path.name: path.read_bytes() for path in sorted(staged.iterdir())}


class Teller:
    """Events to messages for those at home: the newest progress, once a second; all else at once."""

    def __init__(self, address: str, send: Callable[[dict[str, Any]], None]) -> None:
        self._address, self._send = address, send
        self._last = float("-inf")

    def __call__(self, events: Iterable[Event]) -> None:
        for event in _newest(events):
            if isinstance(event, Progress):
                now = time.monotonic()
                if now - self._last < 1 and event.step < event.total:
                    continue
                self._last = now
            told = replace(event, where=self._address) if isinstance(event, Started) else event
            self._send({"event": type(event).__name__, **msgspec.to_builtins(told)})


def _newest(events: Iterable[Event]) -> Iterator[Event]:
    """Of progress that follows progress only the last."""
    waiting: Event | None = None
    for event in events:
        if waiting and not (isinstance(waiting, Progress) and isinstance(event, Progress)):
            yield waiting
        waiting = event
    if waiting:
        yield waiting
