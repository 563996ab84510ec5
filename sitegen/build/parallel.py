"""Many calls whose results are remembered, on two cores: another process makes some of them, and hands over what it
found out. Nothing depends on it: what it does not hand over is found out when it is asked for.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

import msgspec

from sitegen import remembered
from sitegen.errors import SitegenError
from sitegen.remembered import Entry, Memory

Call = tuple[object, ...]  # the arguments of one
_WORTH = 100_000  # bytes of text: below, a second process costs more than it saves
_BATCHES = 256  # the number of one is a byte
_Found = msgspec.msgpack.Decoder(dict[bytes, Entry])


def prepare(function: Callable[..., object], calls: Sequence[Call], size: int) -> None:
    """Make calls of a marked function, so that they are lookups from now on; `size` is how much text they concern."""
    memory = remembered.at_hand()
    unknown = [call for call in calls if not remembered.is_known(function, *call)]
    if memory is None or len(unknown) < 2 or size * len(unknown) < _WORTH * len(calls) or not _can_fork():
        return
    batches = [unknown[start::_BATCHES] for start in range(min(_BATCHES, len(unknown)))]
    claims, receiving = _queue(len(batches)), os.pipe()
    parent = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # what Python does after a fork would swallow it
    try:
        child = os.fork()
    except OSError:  # so many processes, or so much memory, are not to be had: this one makes all
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        for end in (claims, *receiving):
            os.close(end)
        return
    if not child:
        os.close(receiving[0])
        calls_of_a_parent = takewhile(lambda _: os.getppid() == parent, _claimed(batches, claims))
        _hand_over(function, calls_of_a_parent, memory, receiving[1])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os.close(receiving[1])
    with open(receiving[0], "rb") as found:  # noqa: PTH123 - a pipe
        _make(function, _claimed(batches, claims))
        os.close(claims)
        told = found.read()
    os.waitpid(child, 0)
    with suppress(msgspec.MsgspecError):  # it was stopped on the way
        memory.known.update(_Found.decode(told))


def _queue(length: int) -> int:
    """A pipe of numbers, each to be taken by one process: whoever is free takes the next, and a slower one takes less."""
    claims, numbers = os.pipe()
    os.write(numbers, bytes(range(length)))
    os.close(numbers)
    return claims


def _claimed(batches: Sequence[Sequence[Call]], claims: int) -> Iterator[Call]:
    while taken := os.read(claims, 1):
        yield from batches[taken[0]]


def _make(function: Callable[..., object], calls: Iterable[Call]) -> None:
    for call in calls:
        with suppress(SitegenError):  # told by the one who asks for the result
            function(*call)


def _hand_over(function: Callable[..., object], calls: Iterable[Call], memory: Memory, to: int) -> None:
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
