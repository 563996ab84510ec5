"""`python -m sitegen.bake JOB`: the worker process. Not called by hand: `sitegen train` gives it its environment.

It answers in JSON, one message a line, on what was its standard output; whatever a model prints goes to standard
error. Its standard input says that the parent is alive: when that ends, so does the worker.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import msgspec

from sitegen import pins
from sitegen.bake.worker import Job, bake
from sitegen.errors import BakeError, Findings, SitegenError
from sitegen.schema import Location


def main(argument: str) -> int:
    """Bake one job; 0 when its run is staged."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    threading.Thread(target=_leave_with_parent, daemon=True).start()

    def tell(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message, allow_nan=False) + "\n")
        answers.flush()

    job = msgspec.json.decode(argument, type=Job, dec_hook=_decode)
    try:
        _check_environment()
        run = bake(job, tell)
    except Exception as error:
        tell({"event": "error", **_told(error, job)})
        return 1
    tell({"event": "done", "digest": run.digest})
    return 0


def _decode(wanted: type, value: Any) -> Any:
    return wanted(value)


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
    place = _line_in_models(error, job)
    if isinstance(error, Findings):
        error = error.errors[0]
    if isinstance(error, SitegenError):
        at = error.at or place
        kind, message, hint = type(error).__name__, error.message, error.hint
    else:
        at, kind, hint = place, "BakeError", None
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        traceback.print_exception(error)
    return {"kind": kind, "message": message, "hint": hint, "path": at.path, "line": at.line}


def _line_in_models(error: Exception, job: Job) -> Location:
    """The innermost line of the site's own code that the error went through, or the recipe."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(job.site_dir / "models"):
            return Location(path.relative_to(job.site_dir).as_posix(), frame.lineno)
    return job.info.at


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.stderr.flush()
    os._exit(code)  # at once: torch's own end of life takes a while, and the reading thread would hold it up
