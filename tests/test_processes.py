"""Who is at work is told apart from who was killed, and from this process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sitegen.processes import is_running


def test_another_process_is_running_until_it_is_gone():
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    while_there = is_running(str(other.pid))
    other.communicate(b"\n")

    assert while_there
    assert not is_running(str(other.pid))


@pytest.mark.parametrize("pid", ["", "x", "-1", "²", "9" * 40, pytest.param(str(os.getpid()), id="its own")])
def test_what_is_no_other_process_is_not_running(pid: str):
    assert not is_running(pid)
