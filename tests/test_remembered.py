"""What a marked function found out is looked up the next time, and never wrong."""

from __future__ import annotations

import pytest

from sitegen.remembered import Memory, remembered, using

calls: list[str] = []


@remembered
def shout(text: str) -> tuple[str, int]:
    calls.append(text)
    if not text:
        raise ValueError("nothing to shout")
    return text.upper(), len(text)


@remembered
def shout_bytes(text: bytes) -> tuple[str, int]:
    calls.append(repr(text))
    return text.decode().upper(), -len(text)


@pytest.fixture(autouse=True)
def no_calls_yet() -> None:
    calls.clear()


def test_without_a_memory_a_marked_function_is_the_function() -> None:
    assert [shout("a"), shout("a")] == [("A", 1), ("A", 1)]
    assert calls == ["a", "a"]


def test_within_a_memory_the_second_call_is_a_lookup() -> None:
    with using(Memory()):
        assert [shout("a"), shout("a"), shout("b")] == [("A", 1), ("A", 1), ("B", 1)]
    assert calls == ["a", "b"]


def test_a_memory_holds_only_what_was_used_since_it_was_read() -> None:
    with using(Memory()) as first:
        shout("a"), shout("b")
    with using(Memory(known=first.used)) as second:
        assert shout("a") == ("A", 1)
    assert calls == ["a", "b"]
    assert len(second.used) == 1
    assert second.used.items() <= first.used.items()


def test_text_and_bytes_and_functions_are_told_apart() -> None:
    with using(Memory()):
        assert shout("a") == ("A", 1)
        assert shout_bytes(b"a") == ("A", -1)


def test_an_error_is_made_again() -> None:
    with using(Memory()) as memory:
        for _ in range(2):
            with pytest.raises(ValueError, match="nothing to shout"):
                shout("")
    assert calls == ["", ""]
    assert memory.used == {}
