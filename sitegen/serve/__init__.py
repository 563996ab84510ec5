"""A site as it is written, on this machine: built anew with each save, and shown anew in every page that is open."""

from __future__ import annotations

import re
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sitegen import render
from sitegen.errors import SitegenError
from sitegen.serve.building import Builder
from sitegen.serve.live import Live
from sitegen.serve.rebaking import Rebake, to_bake
from sitegen.serve.sockets import HOST, ServeError, server
from sitegen.serve.watching import Watch

__all__ = ["ServeError", "is_prefix", "serve", "serving"]

_UNWATCHED = 0.5  # seconds between two looks while no page is open
_CODE = ("models/", "templates/fonts/stills/")  # what failed may not fail again once one of these changed


def is_prefix(prefix: str) -> bool:
    """Whether a site can stand under a path: "/repo/"."""
    return re.fullmatch(r"/([\w.~-]+/)*", prefix, re.ASCII) is not None


def serve(
    site_dir: Path, *, port: int = 8000, prefix: str = "", open_page: bool = False, report: Callable[[str], None]
) -> None:
    """Answer until interrupted, with what each save makes of the site.

    Under `prefix` alone, if there is one; else at the root, and also under the path where the site will be published.
    """
    with serving(site_dir, port=port, prefix=prefix, report=report) as workshop:
        workshop.build(())
        report(f"serving {workshop.address} until Ctrl-C; what is saved shows at once")
        if open_page:
            webbrowser.open(workshop.address)
        workshop.work()


@contextmanager
def serving(site_dir: Path, *, port: int = 0, prefix: str = "", report: Callable[[str], None]) -> Iterator[Workshop]:
    """A server that answers in threads of its own, and what keeps it up to date. Raises ServeError."""
    live = Live()
    rebake = Rebake(site_dir, live, report)
    with server(live, port=port, rebake=rebake.start) as running:
        workshop = Workshop(site_dir, live, running.server_address[1], prefix, report)
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield workshop
        finally:
            live.end()
            rebake.stop()
            running.shutdown()
            workshop.keep()


class Workshop:
    """One site while it is written: each change of its files becomes a build, each build a state."""

    def __init__(self, site_dir: Path, live: Live, port: int, prefix: str, report: Callable[[str], None]) -> None:
        self.address = f"http://{HOST}:{port}{prefix or '/'}"
        self.live, self._prefix, self._report = live, prefix, report
        self._told: frozenset[str] = frozenset()
        self._watch = Watch(site_dir)  # before the first build: what changes meanwhile is built again
        self._builder = Builder(site_dir, self.address if prefix else "")
        if prefix:
            live.change(prefixes=(prefix,))

    def work(self) -> None:
        """Until Ctrl-C."""
        try:
            while True:
                self.follow()
        except KeyboardInterrupt:
            self._report("stopped")

    def follow(self) -> None:
        """Waits a moment for a save, and builds if there was one."""
        if changed := self._watch.changes(0 if self.live.listening else _UNWATCHED):
            self.build(changed)

    def build(self, changed: Sequence[str]) -> None:
        """The site anew, and what to tell of it. A build that fails leaves the pages as they are."""
        start = time.perf_counter()
        built, problems = self._builder.build()
        took = f"built in {(time.perf_counter() - start) * 1000:.0f} ms"
        state = self.live.state
        failures = () if any(path.startswith(_CODE) for path in changed) else state.failures
        if built:
            published = render.prefix_of(built.site)
            self.live.change(
                files=built.files,
                looks=built.looks,
                prefixes=(self._prefix,) if self._prefix else tuple(dict.fromkeys(("/", published))),
                problems=(),
                failures=failures,
                stale=to_bake(built.warnings),
            )
        else:
            stale = to_bake([*problems, *self._builder.warnings])
            self.live.change(problems=tuple(problems), failures=failures, stale=stale)
        self._tell(changed, problems or (built.warnings if built else ()), took if built else _to_mend(len(problems)))
        self._builder.settle()

    def keep(self) -> None:
        """What was learned, for the next time."""
        self._builder.keep()

    def _tell(self, changed: Sequence[str], errors: Sequence[SitegenError], outcome: str) -> None:
        """What is as it was the last time is not said again."""
        for error in (error for error in map(str, errors) if error not in self._told):
            self._report(error)
        self._told = frozenset(map(str, errors))
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        self._report(f"{changed[0]}{more}: {outcome}" if changed else outcome)


def _to_mend(count: int) -> str:
    return f"not built, {count} {'thing' if count == 1 else 'things'} to mend"
