"""What the system refused, as an error with its place in the site and a way out."""

from __future__ import annotations

import errno
import os
import shlex
from pathlib import Path

from sitegen.errors import SitegenError
from sitegen.schema import Location

_FULL = (errno.ENOSPC, errno.EDQUOT)


def refused(error: OSError, site_dir: Path | None = None) -> SitegenError:
    """`site_dir` is what places count from; else the current folder."""
    home = (site_dir or Path.cwd()).resolve()
    path = Path(os.path.abspath(os.fsdecode(error.filename))) if error.filename else None  # noqa: PTH100
    barred = path and _barred(path) if isinstance(error, PermissionError) else None
    at = Location(_shown(barred or path, home)) if path else None
    return SitegenError(
        error.strerror or str(error), at=at, hint=way_out(error, _shown(barred, home) if barred else "")
    )


def way_out(error: OSError, path: str = "") -> str:
    """What to do, so that it is not refused again; `path` is what one must have the right to."""
    if error.errno in _FULL:
        return "make room on that disk; what was there before is as it was"
    if error.errno == errno.EFBIG:
        return "no file may grow as large here: raise the limit (ulimit -f)"
    if error.errno == errno.EROFS:
        return "this disk can only be read: work on a copy of the site elsewhere"
    if isinstance(error, PermissionError):
        give = "give yourself the right to read it, and in build/ to write"
        return f"{give}: chmod -R u+rwX {shlex.quote(path)}" if path else give
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open: close programs, or raise the limit (ulimit -n)"
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return "something else is where a folder must be: move it away"
    return "look whether it is there, and a file or folder that you may read; then try again"


def named(error: OSError, path: Path) -> OSError:
    """The same error with a place: a full disk names no file."""
    return OSError(error.errno, error.strerror, str(path))


def _barred(path: Path) -> Path:
    """The outermost folder on the way that bars it, or the path itself."""
    for folder in reversed(path.parents):
        if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK):
            return folder
    nearest = next((one for one in path.parents if one.is_dir()), path)
    if os.path.lexists(path) and not os.access(path, os.R_OK):
        return path
    return path if os.access(nearest, os.W_OK) else nearest


def _shown(path: Path, home: Path) -> str:
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else str(path)
