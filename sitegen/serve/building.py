"""Builds of one site in one process, one after the other: into memory, so that build/site stays what was published."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitegen import remembered
from sitegen.build import memory
from sitegen.build.assembly import Draft
from sitegen.build.inspection import unreadable
from sitegen.disk import refused
from sitegen.errors import SitegenError
from sitegen.schema import SiteHead
from sitegen.serve.live import several

_STANDING = "live"
_MORE = "sitegen build says more of it: SITEGEN_TRACEBACK=1 sitegen build"


class Built(Struct, frozen=True):
    """`looks` is the digest of the assets, whose folder is called the same each time."""

    site: SiteHead
    files: Mapping[str, bytes]
    looks: str
    warnings: tuple[SitegenError, ...]


class _Standing(Draft):
    """A site whose assets keep their folder: a sheet or script that is edited leaves every page as it is, and no page
    has to be rendered for it. Readers must get new names, but nothing that is served here is kept by a browser."""

    looks = ""

    def gather(self) -> None:
        super().gather()
        self.errors += unreadable(self.site_dir)
        self.looks = self.assets.digest
        self.assets = replace(self.assets, digest=_STANDING)


class Builder:
    """What one build learned is known to the next."""

    def __init__(self, site_dir: Path, url: str = "") -> None:
        self._site, self._url = site_dir, url
        self._kept = memory.read(site_dir)
        self._known = self._kept.known
        self.warnings: tuple[SitegenError, ...] = ()

    def build(self) -> tuple[Built | None, Sequence[SitegenError]]:
        """The site as it stands in its folder, or every mistake in it; `warnings` are what it tells of runs, either
        way."""
        gc.disable()  # nobody waits for the collector: it comes after what was built is shown
        learned = remembered.Memory(known=self._known)
        draft = _Standing(self._site, self._url)
        try:
            with remembered.using(learned):
                draft.gather()
                self.warnings = tuple(draft.warnings)
                draft.resolve()
                assembly = draft.assembly(draft.finished())
        except SitegenError as error:
            return None, several(error)
        except OSError as error:  # a file that went while it was read
            return None, (refused(error, self._site),)
        except Exception as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
            return None, (SitegenError(f"internal error: {what}", hint=_MORE),)
        finally:
            gc.enable()
            self._known = self._known | learned.used
        self._known = learned.used
        return Built(assembly.site, assembly.files, draft.looks, assembly.warnings), ()

    def settle(self) -> None:
        """What takes a while, and may come when what was built is shown."""
        gc.collect()

    def keep(self) -> None:
        """For the next server or build of this site, what was learned here."""
        self._kept.used = self._known
        memory.write(self._site, self._kept)
