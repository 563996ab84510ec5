"""One training a site at a time, and what is told of the one that holds it."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock
from toy_site import toy_site

from sitegen.lock import spelled
from sitegen.train import train
from sitegen.workers import Event, Finished, Waiting


def test_waiting_is_reported_as_a_value(tmp_path: Path):
    site = toy_site(tmp_path)
    told: list[Event] = []
    (site / "build/runs").mkdir(parents=True)
    lock = FileLock(site / "build/runs/.lock", thread_local=False)
    lock.acquire()

    def report(event: Event) -> None:
        told.append(event)
        if isinstance(event, Waiting):
            lock.release()

    train(site, report=report)

    assert told[0] == Waiting("another process")
    assert told[-1] == Finished("walk", True)


@pytest.mark.parametrize("junk", [b"[]", b"{}", b"\xff", b"[" * 99999, b'{"pid":1,"host":"\\u001b[2J"}'])
def test_junk_about_the_holder_of_the_lock_is_not_told(tmp_path: Path, junk: bytes):
    (tmp_path / "holder").write_bytes(junk)

    assert spelled(tmp_path / "holder") == "another process"
