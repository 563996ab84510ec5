"""Which runs to bake, in which order; each in a worker process of its own, and each in place only when it is whole."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from sitegen import runs
from sitegen.bake.worker import platform_class
from sitegen.closure import Sources
from sitegen.discovery import discover, in_order, model_packages
from sitegen.disk import refused
from sitegen.errors import BakeError, DataError, Findings, RecipeError, RunError, SitegenError, nearest
from sitegen.lock import lock
from sitegen.runs.decode import decode
from sitegen.runs.definitions import FILE, definitions_file, write_definitions
from sitegen.runs.files import bake_seconds
from sitegen.runs.freshness import still_fonts
from sitegen.runs.unfinished import drop, fingerprint, peek, standing, tidy, unfinished_folder
from sitegen.scatter.cluster import Cluster, connect
from sitegen.schema import RecipeInfo, Run
from sitegen.workers import Event, Failed, Finished, Fresh, Note, Workers


class UnknownSelection(RecipeError):
    """No recipe has the act, chapter or name that was asked for."""


def train(
    site_dir: Path,
    *,
    acts: Collection[int] = (),
    chapters: Collection[str] = (),
    names: Collection[str] = (),
    force: bool = False,
    jobs: int | None = None,
    retime: bool = False,
    scheduler: str | None = None,
    report: Callable[[Event], None],
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[str, ...]:
    """Bake what is selected and not fresh, and what it needs. Gives the names of the runs whose digest is new.

    With the address of a dask scheduler bakes run on its workers, `jobs` at once or as many as they can.

    `report` is called in this thread. Raises UnknownSelection, or Findings with every error once all is done; and
    KeyboardInterrupt soon after `stopped()`, for a thread that Ctrl-C does not reach.
    """
    site_dir = site_dir.resolve()
    infos = discover(site_dir, model_packages(site_dir))
    chosen = select(infos, acts=acts, chapters=chapters, names=names)
    with lock(site_dir, report):
        runs.tidy(site_dir)
        tidy(site_dir, (info.name for info in infos))
        plan = _Plan(site_dir, infos, chosen, force, retime)
        try:
            workers = connect(site_dir, scheduler) if scheduler else Workers(site_dir)
            return plan.carry_out(workers, jobs or workers.slots, report, stopped)
        except KeyboardInterrupt:
            for name, left in standing(site_dir):
                of = f" of {left.total:,}" if left.total else ""
                report(Note(name, f"kept at step {left.step:,}{of}; sitegen train goes on from there"))
            raise


def select(
    infos: Iterable[RecipeInfo],
    *,
    acts: Collection[int] = (),
    chapters: Collection[str] = (),
    names: Collection[str] = (),
) -> tuple[RecipeInfo, ...]:
    """The recipes of these names, in these chapters and these acts; an empty collection leaves that open."""
    chosen = tuple(infos)
    asked: tuple[tuple[str, Collection[str | int], str], ...] = (
        ("run", names, "name"), ("chapter", chapters, "chapter"), ("act", acts, "act"),
    )  # fmt: skip
    for word, wanted, attribute in asked:
        known = {getattr(info, attribute): None for info in chosen}
        for one in wanted:
            if one in known:
                continue
            message = f"no recipe of {word} {one!r}" if word != "run" else f"no recipe bakes a run called {one!r}"
            spelled = f"acts with recipes: {', '.join(map(str, sorted(known)))}" if known else "there is no recipe yet"
            raise UnknownSelection(message, hint=spelled if word == "act" else nearest(str(one), known))
        if wanted:
            chosen = tuple(info for info in chosen if getattr(info, attribute) in wanted)
    return chosen


def with_needs(infos: Iterable[RecipeInfo], chosen: Iterable[RecipeInfo]) -> tuple[RecipeInfo, ...]:
    """The chosen recipes and all they need, needs first."""
    by_name = {info.name: info for info in infos}
    wanted: dict[str, RecipeInfo] = {}
    waiting = list(chosen)
    while waiting:
        info = waiting.pop()
        if info.name not in wanted:
            wanted[info.name] = info
            waiting += (by_name[need] for need in info.needs)
    return in_order(tuple(info for info in by_name.values() if info.name in wanted))


class _Plan:
    """The state of one call: what waits, what runs, what failed."""

    def __init__(
        self, site_dir: Path, infos: tuple[RecipeInfo, ...], chosen: tuple[RecipeInfo, ...], force: bool, retime: bool
    ) -> None:
        self._site, self._retime = site_dir, retime
        self._waiting = list(with_needs(infos, chosen))
        self._seconds = {info.name: bake_seconds(runs.runs_folder(site_dir) / info.name) for info in self._waiting}
        self._forced = {info.name for info in chosen} if force or retime else set()
        self._runs, self._damaged = runs.load_all(site_dir)
        self._errors: list[SitegenError] = []
        self._done: set[str] = set()
        self._failed: set[str] = set()
        self._changed: list[str] = []

    def carry_out(
        self, workers: Workers | Cluster, jobs: int, report: Callable[[Event], None], stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """Bake all that waits, `jobs` at once; what takes longest begins first, so that others go beside it."""
        if jobs > 1:
            self._waiting.sort(key=self._length, reverse=True)
        running: dict[Future[Path], RecipeInfo] = {}
        pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="bake")
        try:
            while self._waiting or running:
                if stopped():
                    raise KeyboardInterrupt
                for info in self._ready(report, len(running) < jobs):
                    kept = str(unfinished_folder(self._site, info.name))
                    bake = partial(workers.bake, info, unfinished=kept, forced=self._is_fresh(info))
                    running[pool.submit(bake)] = info
                    if len(running) >= jobs:
                        break
                done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                for event in workers.events():
                    report(event)
                for future in done:
                    self._finish(running.pop(future), future, report)
        finally:
            workers.stop()
            pool.shutdown(cancel_futures=True)
            runs.tidy(self._site)
        if self._errors:
            raise Findings(self._errors)
        return tuple(self._changed)

    def _ready(self, report: Callable[[Event], None], room: bool) -> Iterator[RecipeInfo]:
        """What can start now; what is fresh, or can never start, is settled on the way."""
        for info in tuple(self._waiting) if room else ():
            if failed := sorted(self._failed & set(info.needs)):
                self._waiting.remove(info)
                self._fail(info, BakeError(f"needs {failed[0]!r}, which failed", at=info.at), report)
            elif all(need in self._done for need in info.needs):
                self._waiting.remove(info)
                try:
                    if self._must_bake(info, report):
                        yield info
                        continue
                    self._define(info)
                except SitegenError as error:  # a module that it imports cannot be read
                    self._fail(info, error, report)
                    continue
                self._done.add(info.name)
                report(Fresh(info.name))

    def _length(self, info: RecipeInfo) -> float:
        """Seconds of its last bake; of a run that never was baked here only whether it is marked long is known."""
        known = self._seconds[info.name]
        return (math.inf if info.long else 0.0) if known is None else known

    def _must_bake(self, info: RecipeInfo, report: Callable[[Event], None]) -> bool:
        """What is asked for or not fresh; and what was asked for, but killed before it was done.

        An unfinished bake is dropped if it is to begin anew, or if a fresh run came from elsewhere meanwhile.
        """
        kept = unfinished_folder(self._site, info.name)
        left = peek(kept)
        if info.name in self._forced:
            if left:
                report(Note(info.name, f"begins anew; an unfinished bake, at step {left.step:,}, is dropped"))
            drop(kept)
            return True
        if not self._is_fresh(info):
            return True
        if left and left.forced and left.fingerprint == self._fingerprint(info):
            return True
        if left:
            report(Note(info.name, f"is fresh; an unfinished bake, at step {left.step:,}, is dropped"))
        drop(kept)
        return False

    def _fingerprint(self, info: RecipeInfo) -> str:
        digests = Sources(self._site).closure(info.module).digests
        return fingerprint(info, digests, self._runs, still_fonts(self._site), platform_class())

    def _is_fresh(self, info: RecipeInfo) -> bool:
        return runs.statuses(self._site, (info,), self._runs, self._damaged)[info.name].state == "fresh"

    def _define(self, info: RecipeInfo) -> None:
        """Say of a fresh run what its sources define: it may have been baked before that was kept."""
        sources = Sources(self._site)
        content = definitions_file(sources, sources.closure(info.module).digests)
        write_definitions(runs.runs_folder(self._site) / info.name, content)

    def _finish(self, info: RecipeInfo, future: Future[Path], report: Callable[[Event], None]) -> None:
        try:
            staged = future.result()
            changed, baked = self._take(info.name, staged)
        except DataError as error:
            self._fail(info, _lacking(info, error), report)
            return
        except SitegenError as error:
            self._fail(info, error, report)
            return
        except OSError as error:  # a recipe may have reached for files that are not its own
            told = refused(error, self._site)
            wrong = f"the run of {info.name!r} cannot be put in place: {told.message}: {told.at or 'the disk'}"
            self._fail(info, BakeError(wrong, at=info.at, hint=told.hint), report)
            return
        drop(unfinished_folder(self._site, info.name))
        self._done.add(info.name)
        self._runs[info.name] = baked
        self._damaged.pop(info.name, None)
        if changed:
            self._changed.append(info.name)
        report(Finished(info.name, changed))

    def _take(self, name: str, staged: Path) -> tuple[bool, Run]:
        """Put a staged run in place, unless what stands there is the same run: then no byte is touched."""
        folder = runs.runs_folder(self._site) / name
        old = self._runs.get(name)
        new = decode((staged / "run.json").read_bytes(), name, f"build/runs/{name}/run.json")
        if old and old.digest == new.digest:
            if self._retime or not _has_timings(folder, old):
                runs.take_timings(folder, staged)
            write_definitions(folder, (staged / FILE).read_bytes())
            shutil.rmtree(staged)
            return False, old
        runs.publish(staged, folder)
        return True, new

    def _fail(self, info: RecipeInfo, error: SitegenError, report: Callable[[Event], None]) -> None:
        self._failed.add(info.name)
        self._errors.append(error)
        report(Failed(info.name, error))


def _has_timings(folder: Path, run: Run) -> bool:
    try:
        runs.load_timings(folder, run)
    except RunError:
        return False
    return True


def _lacking(info: RecipeInfo, error: DataError) -> DataError:
    """What a run cannot be baked without, where to put it, and that this costs nothing else."""
    after = f"nothing is lost: put it there, and sitegen train --run {info.name} bakes what is missing"
    hint = "\n  ".join(filter(None, (error.hint, after)))
    return DataError(f"run {info.name!r} cannot be baked here: {error.message}", at=error.at, hint=hint)
