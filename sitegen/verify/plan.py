"""Which checks of which runs are done by which workers, in what order, and what is told meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from sitegen import runs
from sitegen.bake.worker import platform_class
from sitegen.discovery import discover, model_packages
from sitegen.errors import DataError, SitegenError, VerificationError
from sitegen.runs.files import bake_seconds
from sitegen.schema import CHECKS, Measure, RecipeInfo, Run
from sitegen.train import select
from sitegen.verify import here
from sitegen.verify.outcomes import Outcome, Verdict
from sitegen.verify.rebake import copied, determinism, gives_same_bytes, hostile_environment, rebake, two_threads
from sitegen.workers import Event, Workers

COMPUTED = ("parity", "gradients", "decodes", "steps")  # by a worker, with the run's reference
_SLOW = ("rebake", "gradients", "decodes", "steps")  # what --quick leaves out of long runs


class CheckDone(Struct, frozen=True):
    """A check is done for all runs, `seconds` after the start."""

    check: str
    verdict: Verdict
    seconds: float


Report = Callable[[CheckDone | Event], None]
Task = tuple[str, tuple[str, ...], Callable[[], list[Outcome]]]  # run, checks that it does, what does them


def verify(
    site_dir: Path,
    *,
    names: Collection[str] = (),
    checks: Iterable[str] = tuple(CHECKS),
    quick: bool = False,
    jobs: int = 1,
    report: Report,
) -> Verdict:
    """Check the runs; writes nothing into the site. Raises UnknownSelection, or Findings if recipes cannot be read.

    `quick` leaves out what takes long of runs that are marked so. `report` is called in this thread.
    """
    site_dir = site_dir.resolve()
    infos = discover(site_dir, model_packages(site_dir))
    chosen = select(infos, names=names)
    return _Plan(site_dir, infos, chosen, tuple(checks), quick, report).carry_out(jobs)


class _Plan:
    def __init__(
        self, site_dir: Path, infos: tuple[RecipeInfo, ...], chosen: Sequence[RecipeInfo], checks: tuple[str, ...],
        quick: bool, report: Report,
    ) -> None:  # fmt: skip
        self._site, self._infos, self._chosen = site_dir, infos, chosen
        self._checks, self._quick, self._report = checks, quick, report
        self._wanted = {info.name for info in chosen}
        self._outcomes: list[Outcome] = []
        self._started = time.monotonic()
        self._found: dict[str, Run] = {}
        self._workers = Workers(site_dir)

    def carry_out(self, jobs: int) -> Verdict:
        self._read()
        for check, outcomes in (
            ("files", ()),
            ("freshness", here.freshness(self._site, self._infos, self._found, self._wanted)),
            ("claims", here.claims(self._site, self._found, self._wanted)),
        ):
            if check in self._checks:
                self._outcomes += outcomes
        with ExitStack() as stack:
            tasks = sorted(self._tasks(stack), key=lambda task: -self._cost(task))
            left = {check: sum(check in task[1] for task in tasks) for check in self._checks}
            for check in self._checks:
                self._done(check, left)
            self._work(tasks, left, jobs)
        return self._verdict()

    def _read(self) -> None:
        """All runs of the site that can be read; files are judged where they are wanted."""
        for info in self._infos:
            outcome, run = here.files(self._site, info.name)
            if run:
                self._found[info.name] = run
            if info.name in self._wanted and ("files" in self._checks or not run):
                self._outcomes.append(outcome)

    # ------------------------------------------------------------------------------------------- tasks

    def _tasks(self, stack: ExitStack) -> Iterator[Task]:
        workers = stack.enter_context(_stopped_at_the_end(self._workers))
        for info in self._chosen:
            run = self._found.get(info.name)
            if run is None:
                continue
            late = _SLOW if self._quick and info.long else ()
            rebakes = ("rebake",) if "rebake" in self._checks else ()
            askable = tuple(self._askable(info, run))
            self._outcomes += (
                Outcome(info.name, check, why="left out by --quick") for check in rebakes + askable if check in late
            )
            if rebakes and "rebake" not in late:
                yield info.name, rebakes, _bound(self._rebake, info, run, workers)
            if asked := tuple(check for check in askable if check not in late):
                yield info.name, asked, _bound(self._examine, info, asked, workers)
        if "determinism" in self._checks and (tried := self._quickest()):
            info, run = tried
            other = stack.enter_context(copied(self._site, info.needs))
            ways = {
                "under two threads": Workers(self._site, two_threads()),
                "under hostile settings": Workers(self._site, hostile_environment()),
                "in another folder": Workers(other),
            }
            for each in ways.values():
                stack.enter_context(_stopped_at_the_end(each))
            yield info.name, ("determinism",), _bound(self._determinism, info, run, ways)

    def _askable(self, info: RecipeInfo, run: Run) -> Iterator[str]:
        if "files" in self._checks and info.pictures:
            yield "files"
        if info.reference:
            yield from (check for check in COMPUTED if check in self._checks)

    def _quickest(self) -> tuple[RecipeInfo, Run] | None:
        """The run that trains and is baked soonest, where bytes are promised."""
        known = [(info, self._found[info.name]) for info in self._chosen if info.name in self._found and not info.long]
        trained = [(info, run) for info, run in known if run.weights and len(runs.checkpoints(run.weights)) > 1]
        if not gives_same_bytes() or not trained:
            return None
        return min(trained, key=lambda each: (self._seconds(each[0].name), each[0].name))

    def _seconds(self, run: str) -> float:
        return bake_seconds(runs.runs_folder(self._site) / run) or 0.0

    def _cost(self, task: Task) -> float:
        """About how long it takes, in bakes: the longest task begins first."""
        name, checks, _ = task
        return self._seconds(name) * (3 if "steps" in checks else 1)

    # -------------------------------------------------------------------------------------------- work

    def _work(self, tasks: Sequence[Task], left: dict[str, int], jobs: int) -> None:
        pool = ThreadPoolExecutor(max_workers=max(1, jobs), thread_name_prefix="verify")
        running: dict[Future[list[Outcome]], Task] = {pool.submit(task[2]): task for task in tasks}
        try:
            while running:
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for event in self._workers.events():
                    self._report(event)
                for future in done:
                    _, checks, _ = running.pop(future)
                    self._outcomes += future.result()
                    for check in checks:
                        left[check] -= 1
                        self._done(check, left)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, check: str, left: Mapping[str, int]) -> None:
        if not left[check]:
            self._report(CheckDone(check, self._verdict(), time.monotonic() - self._started))

    def _rebake(self, info: RecipeInfo, run: Run, workers: Workers) -> list[Outcome]:
        try:
            return [rebake(self._site, info, run, workers)]
        except DataError as error:
            return [Outcome(info.name, "rebake", why=error.message, missing=True)]
        except SitegenError as error:
            return [Outcome(info.name, "rebake", findings=(error,))]

    def _determinism(self, info: RecipeInfo, run: Run, ways: Mapping[str, Workers]) -> list[Outcome]:
        try:
            return [determinism(self._site, info, run, ways)]
        except DataError as error:
            return [Outcome(info.name, "determinism", why=error.message, missing=True)]
        except SitegenError as error:
            return [Outcome(info.name, "determinism", findings=(error,))]

    def _examine(self, info: RecipeInfo, checks: tuple[str, ...], workers: Workers) -> list[Outcome]:
        try:
            told = workers.ask("sitegen.verify", info, checks=checks)
            return [self._outcome(info, message) for message in told if message["event"] == "outcome"]
        except DataError as error:
            return [Outcome(info.name, check, why=error.message, missing=True) for check in checks]
        except SitegenError as error:
            return [Outcome(info.name, checks[-1], findings=(error,))]
        except (AttributeError, KeyError, TypeError):
            junk = VerificationError(f"the worker of {info.name!r} told what is no outcome", at=info.at)
            return [Outcome(info.name, checks[-1], findings=(junk,))]

    def _outcome(self, info: RecipeInfo, message: Mapping[str, object]) -> Outcome:
        measures = {name: Measure(**each) for name, each in message["measures"].items()}  # type: ignore[attr-defined]
        findings = tuple(self._finding(info, each) for each in message["findings"])  # type: ignore[attr-defined]
        return Outcome(info.name, str(message["check"]), measures, findings)

    def _finding(self, info: RecipeInfo, told: Mapping[str, str]) -> VerificationError:
        path = [part for part in told["field"].split("[")[0].split(".") if part]
        in_run = bool(path) and path[0] in ("examples", "images", "metrics", "probe", "series")
        at = here.line_of(self._site, info.name, list(path)) if in_run else info.at
        words = f"{told['field']}: {told['words']}" if told["field"] else told["words"]
        return VerificationError(f"run {info.name!r}, {words}", at=at)

    def _verdict(self) -> Verdict:
        order = {check: place for place, check in enumerate(CHECKS)}
        together = sorted(_joined(self._outcomes), key=lambda one: (order[one.check], one.run))
        return Verdict(tuple(together), platform_class(), gives_same_bytes(), self._found, self._checks)


def _joined(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """One outcome a run and check: files are looked at here, and pictures by a worker."""
    found: dict[tuple[str, str], Outcome] = {}
    for one in outcomes:
        key = (one.run, one.check)
        if key in found:
            other = found[key]
            one = Outcome(
                one.run, one.check, {**other.measures, **one.measures}, (*other.findings, *one.findings),
                other.why or one.why, other.missing or one.missing,
            )  # fmt: skip
        found[key] = one
    yield from found.values()


def _bound(function: Callable[..., list[Outcome]], *arguments: object) -> Callable[[], list[Outcome]]:
    return lambda: function(*arguments)


class _stopped_at_the_end:
    """Kills what is left of some workers' processes, whatever happens."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def __enter__(self) -> Workers:
        return self._workers

    def __exit__(self, *_: object) -> None:
        self._workers.stop()
