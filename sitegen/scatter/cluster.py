"""The workers of a dask cluster, asked as those of this machine are: `bake` blocks and gives a staged run."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import queue
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sitegen.errors import BakeError
from sitegen.scatter.arrival import arrived
from sitegen.scatter.parcels import Answer, pack
from sitegen.schema import RecipeInfo
from sitegen.workers import Event, Note, Progress, Resumed, Started

if TYPE_CHECKING:
    from distributed import Client, Future

_EVENTS = {kind.__name__: kind for kind in (Note, Progress, Resumed, Started)}
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)


def connect(site_dir: Path, address: str, seconds: float = 5) -> Cluster:
    """The cluster of the scheduler at an address; raises BakeError soon if it does not answer or has no worker."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        hint = "install it: pip install 'sitegen[dask]'"
        raise BakeError("--scheduler needs dask.distributed, which is not installed", hint=hint) from None
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what concerns a bake is told as its error
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "4GB"})  # a parcel may hold large needs
    try:
        with concurrent.futures.ThreadPoolExecutor(1) as aside:  # the caller's thread may have an event loop of its own
            aside.submit(_knocked, address, seconds).result()
        client = Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "start one with `dask scheduler`, and workers with `dask worker ADDRESS`; both tell its address"
        why = str(error) or f"it said nothing for {seconds:g} s"
        raise BakeError(f"no scheduler answers at {address}: {why}", hint=hint) from None
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError:
        client.close()
        hint = f"start one, where sitegen and its versions are installed: dask worker {address}"
        raise BakeError(f"the scheduler at {address} has no worker", hint=hint) from None
    return Cluster(site_dir, address, client)


def _knocked(address: str, seconds: float) -> None:
    asyncio.run(asyncio.wait_for(_knock(address, seconds), seconds))


async def _knock(address: str, seconds: float) -> None:
    """Ask who is there: a client would wait for an answer for ever."""
    from distributed.comm import connect
    from distributed.security import Security

    comm = await connect(address, timeout=seconds, **Security().get_connection_args("client"))
    try:
        await comm.write({"op": "identity", "reply": True})
        told = await comm.read()
    finally:
        comm.abort()
    if not isinstance(told, dict) or told.get("type") != "Scheduler":
        raise ValueError("what answers there is no scheduler")


class Cluster:
    """`bake` blocks: each has a thread of its own. `patience`: seconds that a bake waits while there is no worker."""

    def __init__(self, site_dir: Path, address: str, client: Client, patience: float = 30) -> None:
        self._site, self._address, self._client, self._patience = site_dir, address, client, patience
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._futures: dict[str, Future] = {}
        self._stopped = False
        self._guard = threading.Lock()
        self._topic = f"sitegen-{secrets.token_hex(16)}"
        client.subscribe_topic(self._topic, self._hear)

    @property
    def slots(self) -> int:
        """How many bakes the workers do at once: each has a thread of theirs, and a process of its own."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def events(self) -> Iterator[Event]:
        """What the workers told since the last call."""
        while not self._events.empty():
            yield self._events.get()

    def bake(self, info: RecipeInfo, *, unfinished: str, forced: bool) -> Path:
        """The folder with the staged run of one recipe, verified. A worker that dies is replaced by another, as often
        as the scheduler allows (its `allowed-failures`)."""
        from distributed.scheduler import KilledWorker

        parcel, sent = pack(self._site, info, topic=self._topic, unfinished=Path(unfinished), forced=forced)
        future = self._submit(info.name, parcel)
        try:
            self._wait(info, future)
            answer = msgspec.msgpack.decode(future.result(), type=Answer)
        except _CANCELLED:
            raise self._lost(info) from None
        except KilledWorker as error:
            message = f"{error.allowed_failures + 1} workers died while they baked {info.name!r}"
            hint = f"the log of the last one may tell why: {error.last_worker.address}"
            raise BakeError(message, at=info.at, hint=hint) from None
        except BakeError:
            raise
        except Exception as error:  # whatever can go wrong on another machine
            message = f"the cluster cannot bake {info.name!r}: {type(error).__name__}: {error}"
            hint = "its workers need what this machine has: pip install 'sitegen[train,dask]'"
            raise BakeError(message, at=info.at, hint=hint) from None
        finally:
            with self._guard:
                self._futures.pop(info.name, None)
            future.release()
        return arrived(self._site, info, sent, answer)

    def stop(self) -> None:
        """Cancel every bake, start no other, and leave the cluster."""
        with self._guard:
            self._stopped = True
            futures = [*self._futures.values()]
        if self._client.status == "running":
            self._client.cancel(futures, force=True)
        self._client.close()

    def _submit(self, name: str, parcel: bytes) -> Future:
        from sitegen.scatter.far import bake_there

        with self._guard:
            if self._stopped:
                raise BakeError("training was stopped")
            key = f"sitegen-bake-{name}-{secrets.token_hex(8)}"
            self._futures[name] = future = self._client.submit(bake_there, parcel, key=key, pure=False)
        return future

    def _wait(self, info: RecipeInfo, future: Future) -> None:
        """Until the future is done; not for ever where nobody is left who could do it."""
        asked = seen = time.monotonic()
        while not future.done():
            if self._stopped:
                raise BakeError("training was stopped")
            time.sleep(0.05)
            now = time.monotonic()
            if now - asked < min(self._patience, 5):
                continue
            asked = now
            if self._client.status == "running" and self._client.nthreads():
                seen = now
            elif now - seen >= self._patience:
                hint = "start workers where sitegen and its versions are installed, and train again"
                raise BakeError(f"no worker is left at {self._address} to bake {info.name!r}", at=info.at, hint=hint)

    def _lost(self, info: RecipeInfo) -> BakeError:
        if self._stopped:
            return BakeError("training was stopped")
        message = f"the scheduler at {self._address} gave up the bake of {info.name!r}, or is gone"
        return BakeError(message, at=info.at, hint="train again; what is baked is not baked anew")

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        """A message of a worker, unless its bake is over; called in the thread of the client."""
        _, message = event
        try:
            told: Any = msgspec.convert(message, _EVENTS[message["event"]])
        except (KeyError, TypeError, msgspec.MsgspecError):
            return
        if told.run in self._futures:
            self._events.put(told)
