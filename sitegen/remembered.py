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
from typing import TYPE_CHECKING, ParamSpec, TypeVar, get_type_hints

if TYPE_CHECKING:
    import msgspec

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(slots=True)
class Memory:
    """`known`: what earlier calls left, key -> encoded result; `used`: what this time asked for, or found out."""

    known: dict[bytes, bytes] = field(default_factory=dict)
    used: dict[bytes, bytes] = field(default_factory=dict)


_at_hand: list[Memory] = []


@contextmanager
def using(memory: Memory) -> Iterator[Memory]:
    """Marked functions look into `memory`, and leave there what they find out."""
    _at_hand.append(memory)
    try:
        yield memory
    finally:
        _at_hand.remove(memory)


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Marks a pure function of texts and bytes whose result msgspec can write down and read back.

    An error is remembered by nobody: the call that raised it is made again.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.cache
    def decoder() -> msgspec.msgpack.Decoder[R]:
        import msgspec

        return msgspec.msgpack.Decoder(get_type_hints(function)["return"])

    @functools.wraps(function)
    def looked_up(*arguments: P.args, **named: P.kwargs) -> R:
        if not _at_hand or named:
            return function(*arguments, **named)
        memory, key = _at_hand[-1], _key(name, arguments)
        told = memory.used.get(key) or memory.known.get(key)
        if told is None:
            import msgspec  # by those who remember: the marked functions themselves need nothing

            result = function(*arguments, **named)
            memory.used[key] = msgspec.msgpack.encode(result)
            return result
        memory.used[key] = told
        return decoder().decode(told)

    return looked_up


def _key(name: str, arguments: tuple[object, ...]) -> bytes:
    digest = hashlib.sha256(name.encode())
    for argument in arguments:
        assert isinstance(argument, (str, bytes)), "only functions of texts and bytes are marked"
        data = argument.encode("utf-8", "surrogatepass") if isinstance(argument, str) else argument
        digest.update(f"\0{type(argument).__name__}{len(data)}\0".encode() + data)
    return digest.digest()[:16]
