"""Builds of one site in one process, one after the other: into memory, so that build/site stays what was published."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from sitegen import remembered
from sitegen.build import Assembly, assemble, memory
from sitegen.errors import SitegenError
from sitegen.serve.live import several

_IN_A_FILE = "sitegen build says more of it: SITEGEN_TRACEBACK=1 sitegen build"


class Builder:
    """What one build learned is known to the next."""

    def __init__(self, site_dir: Path, url: str = "") -> None:
        self._site, self._url = site_dir, url
        self._known = memory.read(site_dir).known

    def build(self) -> tuple[Assembly | None, Sequence[SitegenError]]:
        """The site as it stands in its folder, or every mistake in it."""
        gc.disable()  # nobody waits for the collector: it comes after what was built is shown
        learned = remembered.Memory(known=self._known)
        try:
            with remembered.using(learned):
                assembly = assemble(self._site, self._url)
        except SitegenError as error:
            return None, several(error)
        except OSError as error:  # a file that went while it was read
            return None, (SitegenError(f"{error.filename or ''}: {error.strerror or error}".lstrip(": ")),)
        except Exception as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
            return None, (SitegenError(f"internal error: {what}", hint=_IN_A_FILE),)
        finally:
            gc.enable()
            self._known = self._known | learned.used
        self._known = learned.used
        return assembly, ()

    def settle(self) -> None:
        """What takes a while, and may come when what was built is shown."""
        gc.collect()
