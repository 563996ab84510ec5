"""What a worker process is, whatever its work: a job in, messages out, and an end with its parent.

The first line of its standard input is the job; the rest only says that the parent is alive: when that ends, so does
the worker. It answers in JSON, one message a line, on what was its standard output; whatever a model prints goes to
standard error. Each message stands behind the job's `nonce`, which no recipe is told: what else comes on that pipe,
even if it looks like a message, is none.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from sitegen import pins
from sitegen.bake.worker import Job, Tell
from sitegen.errors import BakeError, SitegenError
from sitegen.schema import Location

_ENDS = 4  # lines at either end of the way to an error


def run(work: Callable[[Job, Tell], dict[str, Any]]) -> NoReturn:
    """Do one job in this process and leave it; `work` gives what the last message says."""
    code = _answer(work)
    sys.stderr.flush()
    os._exit(code)  # at once: torch's own end of life takes a while, and the reading thread would hold it up


def _answer(work: Callable[[Job, Tell], dict[str, Any]]) -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    job = msgspec.json.decode(_first_line(), type=Job, dec_hook=_decode)
    threading.Thread(target=_leave_with_parent, daemon=True).start()

    def tell(message: dict[str, Any]) -> None:
        answers.write(f"{job.nonce} {json.dumps(message, allow_nan=False)}\n")
        answers.flush()

    try:
        _check_environment()
        done = work(job, tell)
    except Exception as error:
        tell({"event": "error", **_told(error, job)})
        return 1
    tell({"event": "done", **done})
    return 0


def _decode(wanted: type, value: Any) -> Any:
    return wanted(value)


def _first_line() -> bytes:
    """The job. Nothing behind it is read, so that the end of the parent is not missed."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(0, 1)
        if not part:
            os._exit(3)
        line += part
    return line


def _leave_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(3)


def _check_environment() -> None:
    wrong = sorted(name for name, value in pins.ENVIRONMENT.items() if os.environ.get(name) != value)
    if wrong:
        raise BakeError(f"the environment is not pinned: {', '.join(wrong)}", hint="bake with: sitegen train")


def _told(error: Exception, job: Job) -> dict[str, Any]:
    """An error as a message: its kind, place, words and way out. An error of the model gets the line it arose on."""
    way = _way_through_models(error, job)
    at = way[-1] if way else job.info.at
    if isinstance(error, SitegenError):
        kind, message, hint, at = type(error).__name__, error.message, error.hint, error.at or at
    else:
        words = str(error).strip()
        kind, message = "BakeError", f"{type(error).__name__}: {words}" if words else type(error).__name__
        hint = f"on the way there: {way_told(way[:-1])}" if way[:-1] else None
    return {"kind": kind, "message": message, "hint": hint, "path": at.path, "line": at.line}


def way_told(way: list[Location]) -> str:
    """The lines that were passed, each once; of a long way its beginning and its end."""
    told = [str(one) for one in dict.fromkeys(way)]
    if len(told) > 2 * _ENDS:
        told[_ENDS:-_ENDS] = [f"… ({len(told) - 2 * _ENDS} more)"]
    return ", ".join(told)


def _way_through_models(error: Exception, job: Job) -> list[Location]:
    """The lines of the site's own code that the error went through, from the recipe inwards."""
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    models = job.site_dir / "models"
    return [
        Location(path.relative_to(job.site_dir).as_posix(), line)
        for path, line in frames
        if path.is_relative_to(models)
    ]
