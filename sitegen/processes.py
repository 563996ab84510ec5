"""Other processes on this machine, by their numbers: what a killed one left is for the next to clear away."""

from __future__ import annotations

import os


def is_running(pid: str) -> bool:
    """Whether another process of that number is at work; the number may be any text."""
    if not (pid.isascii() and pid.isdigit()) or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
