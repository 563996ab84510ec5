"""What a site is at this moment, for all who look at it: its files, what is wrong, which runs are stale, what is baked.

Whoever looks holds the last thing that was told, and waits for the next: so nothing is lost while nobody listens.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Generator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitegen.errors import Findings, SitegenError

LOST = "404.html"


class Baking(Struct, frozen=True):
    """A run that is baked now; `total` is 0 before it told how many steps."""

    run: str
    step: int = 0
    total: int = 0


class State(Struct, frozen=True):
    """`files` are those of the last good build: path in the site -> bytes; none before the first. `looks` is the digest
    of its assets, whose names stay. `problems` are those of the last build, `failures` those of the last rebake.
    `prefixes`: the paths under which the site stands."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    looks: str = ""
    prefixes: tuple[str, ...] = ("/",)
    problems: tuple[SitegenError, ...] = ()
    failures: tuple[SitegenError, ...] = ()
    stale: tuple[str, ...] = ()
    baking: Baking | None = None

    def found(self, path: str) -> str | None:
        """The file that an address of the site shows, "a/" -> "a/index.html"; None where there is nothing."""
        for name in (path, f"{path}index.html") if not path or path.endswith("/") else (path,):
            if name in self.files:
                return name
        return None

    def version(self, path: str) -> str:
        """A page as it is now, what it shows included: names but those of assets have the digest of their content."""
        name = self.found(path)
        shown = self.files.get(name or LOST, b"")
        return hashlib.sha256(f"{self.looks} {name is None} ".encode() + shown).hexdigest()[:12]

    def told(self, version: str) -> dict[str, Any]:
        """What a page has to know, as JSON; `version` is that of its address now."""
        return {
            "version": version,
            "problems": [_problem(error) for error in (*self.problems, *self.failures)],
            "stale": list(self.stale),
            "baking": self.baking and {"run": self.baking.run, "step": self.baking.step, "total": self.baking.total},
        }


def _problem(error: SitegenError) -> dict[str, str]:
    return {"place": str(error.at or ""), "message": error.message, "hint": error.hint or ""}


def several(error: SitegenError) -> tuple[SitegenError, ...]:
    return error.errors if isinstance(error, Findings) else (error,)


class Live:
    """The state as it changes, between threads."""

    def __init__(self) -> None:
        self._state = State()
        self._ended = False
        self._changed = threading.Condition()
        self._listening = 0

    @property
    def state(self) -> State:
        return self._state

    @property
    def listening(self) -> int:
        """How many pages wait for news."""
        return self._listening

    def change(self, **parts: Any) -> None:
        """Replaces parts of the state, and tells."""
        with self._changed:
            self._state = replace(self._state, **parts)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing more will be told."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def news(self, version: Callable[[State], str], beat: float) -> Generator[dict[str, Any] | None]:
        """What a page has to know, at once and whenever it is something else; None after `beat` seconds without, so
        that who goes away is noticed. Ends when there will be nothing more."""
        last: dict[str, Any] | None = None
        with self._changed:
            self._listening += 1
        try:
            while not self._ended:
                seen = self._state
                if (now := seen.told(version(seen))) != last:
                    yield (last := now)
                with self._changed:
                    told = self._ended or self._state is not seen or self._changed.wait(beat)
                if not told:
                    yield None
        finally:
            with self._changed:
                self._listening -= 1
