"""Results of pure functions of text, kept while a `Memory` is at hand: the same call later costs a lookup.

A function is marked once, where it is defined; without a memory the mark does nothing. What is remembered is known by
the digest of the function's name and of all its arguments, so a memory can be lost, shared or out of date, but never
wrong: whoever keeps it on a disk binds it to the program (`sitegen.build.memory`).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar, get_type_hints

if TYPE_CHECKING:
    import msgspec

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_KEY = 16  # bytes of a key


Entry = tuple[bytes, bytes]  # an encoded result, and the keys of what was asked for while it was found out


@dataclass(slots=True)
class Memory:
    """`known`: what earlier calls left, by key; `used`: what this time asked for, or found out."""

    known: dict[bytes, Entry] = field(default_factory=dict)
    used: dict[bytes, Entry] = field(default_factory=dict)
    within: list[list[bytes]] = field(default_factory=list)  # of each call that is under way, the keys it asked for

    def recall(self, key: bytes) -> bytes | None:
        """What is known, which is then used; and with it what it was made of, for the day when a part of it changes."""
        if self.within:
            self.within[-1].append(key)
        entry = self.used.get(key) or self.known.get(key)
        if entry is None:
            return None
        waiting = [key]
        while waiting:
            one = waiting.pop()
            if one not in self.used and one in self.known:
                self.used[one] = self.known[one]
                inner = self.known[one][1]
                waiting += (inner[start : start + _KEY] for start in range(0, len(inner), _KEY))
        return entry[0]


class Sealed(Generic[T]):
    """A value by its digest: an argument that is made only if a function that is not remembered wants it.

    The digest must cover everything that the value says, and what is made must say nothing else.
    """

    __slots__ = ("_made", "_make", "digest")

    def __init__(self, digest: bytes, make: Callable[[], T]) -> None:
        self.digest = digest
        self._make = make

    @property
    def value(self) -> T:
        if not hasattr(self, "_made"):
            self._made = self._make()
        return self._made


def sealed(value: T, *exactly: object) -> Sealed[T]:
    """A value that msgspec can write down, in the order in which it has its members, so without sets. `exactly` are the
    parts of it that may hold what TOML has and JSON has not: a date is no text, though both are written alike."""
    import msgspec

    told = [*map(repr, exactly)]
    try:
        data = msgspec.msgpack.encode(value)
    except (OverflowError, TypeError):  # a number of more than 64 bits
        data, told = b"", [repr(value)]
    return Sealed(
        hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass") + b"\0" + data).digest(), lambda: value
    )


_at_hand: list[Memory] = []
M = TypeVar("M", bound=Memory)


@contextmanager
def using(memory: M) -> Iterator[M]:
    """Marked functions look into `memory`, and leave there what they find out."""
    _at_hand.append(memory)
    try:
        yield memory
    finally:
        _at_hand.remove(memory)


def at_hand() -> Memory | None:
    return _at_hand[-1] if _at_hand else None


def is_known(function: Callable[..., object], *arguments: object) -> bool:
    """Whether the call of a marked function would be a lookup."""
    memory = at_hand()
    if memory is None:
        return False
    key = _key(_name(function), arguments)
    return key in memory.used or key in memory.known


def _name(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Marks a pure function of texts, bytes and sealed values whose result msgspec can write down and read back.

    An error is remembered by nobody: the call that raised it is made again.
    """
    name = _name(function)

    @functools.cache
    def decoder() -> msgspec.msgpack.Decoder[R]:
        import msgspec

        return msgspec.msgpack.Decoder(get_type_hints(function)["return"])

    @functools.wraps(function)
    def looked_up(*arguments: P.args, **named: P.kwargs) -> R:
        if not _at_hand or named:
            return function(*arguments, **named)
        memory, key = _at_hand[-1], _key(name, arguments)
        told = memory.recall(key)
        if told is not None:
            return decoder().decode(told)
        import msgspec  # by those who remember: the marked functions themselves need nothing

        memory.within.append([])
        try:
            result = function(*arguments, **named)
        finally:
            inner = memory.within.pop()
        try:
            told = msgspec.msgpack.encode(result)
            same = decoder().decode(told) == result
        except (msgspec.MsgspecError, OverflowError, TypeError):  # a number, or a text, that cannot be written down
            return result
        if same:  # a date among JSON would come back as a text
            memory.used[key] = told, b"".join(inner)
        return result

    return looked_up


def _key(name: str, arguments: tuple[object, ...]) -> bytes:
    digest = hashlib.sha256(name.encode())
    for argument in arguments:
        assert isinstance(argument, (str, bytes, Sealed)), "only functions of texts, bytes and sealed values are marked"
        data = argument.encode("utf-8", "surrogatepass") if isinstance(argument, str) else argument
        data = data.digest if isinstance(data, Sealed) else data
        digest.update(f"\0{type(argument).__name__}{len(data)}\0".encode() + data)
    return digest.digest()[:_KEY]
