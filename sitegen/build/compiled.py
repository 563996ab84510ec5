"""Compiled templates, kept from one build to the next: compiling them takes longer than all the rest of rendering."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sitegen import pins

if TYPE_CHECKING:
    from jinja2 import BytecodeCache


def compiled_templates() -> BytecodeCache | None:
    """Where Jinja keeps its bytecode, by name and checksum of the source; None where nothing can be written."""
    from jinja2 import FileSystemBytecodeCache

    folder = pins.cache_folder(os.environ) / "templates"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return FileSystemBytecodeCache(str(folder)) if os.access(folder, os.W_OK) else None
