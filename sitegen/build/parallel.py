"""Many calls whose results are remembered, on two cores: another process makes half of them, and hands over what it
found out. Nothing depends on it: what it does not hand over is found out when it is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from sitegen import remembered
from sitegen.errors import SitegenError
from sitegen.remembered import Entry, Memory

_WORTH = 100_000  # bytes of text: below, a second process costs more than it saves
_Found = msgspec.msgpack.Decoder(dict[bytes, Entry])


def prepare(function: Callable[..., object], calls: Sequence[tuple[object, ...]], size: int) -> None:
    """Make calls of a marked function, so that they are lookups from now on; `size` is how much text they concern."""
    memory = remembered.at_hand()
    unknown = [call for call in calls if not remembered.is_known(function, *call)]
    if memory is None or len(unknown) < 2 or size * len(unknown) < _WORTH * len(calls) or not _can_fork():
        return
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        os.close(receiving)
        _hand_over(function, unknown[1::2], memory, sending)
    os.close(sending)
    with open(receiving, "rb") as found:  # noqa: PTH123 - a pipe
        _make(function, unknown[::2])
        told = found.read()
    os.waitpid(child, 0)
    with suppress(msgspec.MsgspecError):  # it was stopped on the way
        memory.known.update(_Found.decode(told))


def _make(function: Callable[..., object], calls: Sequence[tuple[object, ...]]) -> None:
    for call in calls:
        with suppress(SitegenError):  # told by the one who asks for the result
            function(*call)


def _hand_over(function: Callable[..., object], calls: Sequence[tuple[object, ...]], memory: Memory, to: int) -> None:
    """The other process: it ends here, whatever happens, and says nothing but what it found out."""
    try:
        memory.used.clear()
        _make(function, calls)
        with open(to, "wb") as sending:
            sending.write(msgspec.msgpack.encode(memory.used))
    finally:
        os._exit(0)


def _can_fork() -> bool:
    """Where there is a second core, and no other thread whose locks a copy of this process would find taken."""
    if not sys.platform.startswith("linux") or len(os.sched_getaffinity(0)) < 2:
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False
