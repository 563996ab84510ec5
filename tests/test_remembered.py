"""What a marked function found out is looked up the next time, and never wrong."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from sitegen.remembered import Memory, Sealed, is_known, remembered, sealed, using

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


def test_a_sealed_value_is_known_by_all_it_says() -> None:
    assert sealed({"a": 1, "b": 2}).digest != sealed({"b": 2, "a": 1}).digest, "an order may be seen"
    assert sealed([1]).digest != sealed([True]).digest != sealed([1.0]).digest
    assert sealed({"a": 10**30}).digest != sealed({"a": 10**30 + 1}).digest
    day = {"day": date(2026, 1, 31)}
    assert sealed(day, day).digest != sealed({"day": "2026-01-31"}, {"day": "2026-01-31"}).digest


@remembered
def first_of(value: Sealed[list[int]]) -> int:
    calls.append("first")
    return value.value[0]


def test_a_sealed_argument_is_made_only_for_a_call_that_is_not_known() -> None:
    def unmade() -> list[int]:
        raise AssertionError("nobody needs it")

    with using(Memory()):
        assert first_of(sealed([3, 4])) == 3
        assert is_known(first_of, sealed([3, 4]))
        assert not is_known(first_of, sealed([4]))
        assert first_of(Sealed(sealed([3, 4]).digest, unmade)) == 3
    assert calls == ["first"]


@remembered
def both(text: str) -> str:
    calls.append("both")
    return shout(text)[0] + shout(text + "?")[0]


def test_what_a_remembered_call_was_made_of_is_kept_with_it() -> None:
    with using(Memory()) as first:
        both("a")
    with using(Memory(known=first.used)) as second:
        both("a")
    with using(Memory(known=second.used)):
        assert shout("a?") == ("A?", 2)
    assert calls == ["both", "a", "a?"]


@remembered
def day_of(text: str) -> dict[str, Any]:
    calls.append(text)
    return {"day": date.fromisoformat(text)}


def test_what_would_not_come_back_as_it_was_is_not_remembered() -> None:
    with using(Memory()):
        assert [day_of("2026-01-31"), day_of("2026-01-31")] == [{"day": date(2026, 1, 31)}] * 2
    assert calls == ["2026-01-31"] * 2
