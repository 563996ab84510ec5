"""New files into folders: all of them or none, and none in the place of another."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sitegen.errors import ScaffoldError
from sitegen.schema import Location


def write_new(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Write path within `folder` -> bytes. What was made goes again if anything fails or is stopped."""
    made: list[Path] = []
    at = folder
    try:
        for name, data in files.items():
            at = folder / name
            _make_folders(at.parent, made)
            with at.open("xb") as file:
                made.append(at)
                file.write(data)
    except FileExistsError:
        _remove(made)
        raise ScaffoldError("there is one already, and it stays as it is", at=Location(str(at))) from None
    except OSError as error:
        _remove(made)
        raise unwritable(error, Path(error.filename or at)) from None
    except BaseException:  # Ctrl-C
        _remove(made)
        raise
    return tuple(files)


def unwritable(error: OSError, path: Path) -> ScaffoldError:
    """What the system says about a place, in words."""
    refused = isinstance(error, PermissionError) or error.errno == errno.EROFS
    hint = "choose a folder that you may write to" if refused else None
    return ScaffoldError(f"cannot be written: {error.strerror}", at=Location(str(path)), hint=hint)


def _make_folders(folder: Path, made: list[Path]) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir()
        made.append(each)


def _remove(made: list[Path]) -> None:
    for path in reversed(made):
        with suppress(OSError):  # a folder in which someone else wrote meanwhile stays
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()
