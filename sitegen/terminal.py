"""What `sitegen train`, `runs` and `verify` show: progress bars and tables on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sitegen.history import Change
from sitegen.overview import Row
from sitegen.schema import CHECKS, Line
from sitegen.verify import CheckDone, Outcome, Verdict
from sitegen.workers import Event, Failed, Finished, Fresh, Note, Progress, Resumed, Started, Waiting

_HEADS = ("run", "act", "seed", "steps", "key metric", "state", "size", "bake time")
_COLOURS = {"fresh": "green", "stale": "yellow", "missing": "red", "damaged": "red", "orphan": "magenta"}


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table as text."""
    numbers = ("" if number is None else str(number) for number in (row.act, row.seed, row.steps))
    size = "" if not row.size else f"{row.size / 1000:.0f} kB"
    seconds = "" if row.seconds is None else f"{row.seconds:.1f} s"
    return (row.run, *numbers, row.metric, row.state, size, seconds)


def plain_table(rows: Sequence[Row]) -> str:
    """The table for a log: columns of the width of their widest cell; chapters are headed where there are several."""
    head, *lines = _columns([_HEADS, *map(cells, rows)]).split("\n")
    headings = _headings(rows)
    told = [head]
    for place, line in enumerate(lines):
        told += [headings[place], line] if place in headings else [line]
    return "\n".join(told)


def _headings(rows: Sequence[Row]) -> dict[int, str]:
    """The row with which a chapter begins -> its heading; nothing where all runs are of one."""
    chapters = [row.chapter for row in rows]
    begins = {chapter: place for place, chapter in reversed([*enumerate(chapters)])}
    if len(begins.keys() - {None}) < 2:
        return {}
    return {place: f"chapter {chapter}" if chapter else "no chapter" for chapter, place in begins.items()}


def _columns(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def print_table(rows: Sequence[Row]) -> None:
    """The table of runs on standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write(plain_table(rows) + "\n")
        return
    from rich.console import Console
    from rich.table import Table

    table, headings = Table(*_HEADS, box=None, pad_edge=False), _headings(rows)
    for place, row in enumerate(rows):
        if place in headings:
            table.add_row(f"[bold]{headings[place]}[/]")
        run, *between, state, size, seconds = cells(row)
        table.add_row(run, *between, f"[{_COLOURS[state]}]{state}[/]", size, seconds)
    Console().print(table)


def reasons(row: Row) -> str:
    """The answer to --why."""
    if row.state == "fresh":
        return f"{row.run} is fresh"
    return "\n".join([f"{row.run} is {row.state}:", *(f"  {reason}" for reason in row.reasons)])


def changes(found: Sequence[Change]) -> str:
    """The answer to --diff: what changed, in numbers; what only says how a run was made comes to one line."""
    lines = []
    for change in found:
        if change.state != "changed":
            lines += [f"{change.run} is {change.state}"] if change.state != "same" else []
            continue
        made = [one for one in change.differences if one.field.startswith("provenance")]
        lines.append(f"{change.run} changed:")
        lines += [f"  {one}" for one in change.differences if one not in made]
        lines += (
            [f"  made of other code or with other versions: {', '.join(one.field for one in made)}"] if made else []
        )
    same = sum(change.state == "same" for change in found)
    return "\n".join([*lines, f"{same} of {len(found)} runs are the same"])


@contextmanager
def train_report(quiet: bool) -> Iterator[Callable[[Event], None]]:
    """What `train` calls with every event."""
    if quiet:
        yield lambda event: None
    elif sys.stderr.isatty():
        with _bars() as report:
            yield report
    else:
        yield _Lines()


def line(event: Event) -> str | None:
    """An event as a line of a log; None for what a log need not have."""
    match event:
        case Waiting(holder):
            return f"waiting: {holder} is training this site"
        case Started(run, where):
            return f"{run}: loads PyTorch, then bakes" + (f" on {where}" if where else "")
        case Fresh(run):
            return f"{run}: fresh"
        case Finished(run, True):
            return f"{run}: baked"
        case Finished(run, False):
            return f"{run}: baked, every number as before"
        case Resumed(run, step, total):
            return f"{run}: resumes at step {step:,}" + (f" of {total:,}" if total else "")
        case Note(run, words):
            return f"{run}: {words}"
        case Failed(run, _):
            return f"{run}: failed"
        case Progress(run, step, total):
            return f"{run}: step {step:,} of {total:,}{_values(event)}"
    return None


def _values(event: Progress) -> str:
    words = [f"{name} {value:.4g}" for name, value in event.values.items()]
    if event.seconds_left is not None:
        words.append(f"{_spelled(event.seconds_left)} left")
    return "".join(f", {word}" for word in words)


def _spelled(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class _Lines:
    """Plain lines on standard error; of the progress of a run, every tenth part."""

    def __init__(self) -> None:
        self._tenths: dict[str, int] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress):
            tenth = event.step * 10 // max(event.total, 1)
            if tenth <= self._tenths.get(event.run, 0):
                return
            self._tenths[event.run] = tenth
        if told := line(event):
            sys.stderr.write(told + "\n")
            sys.stderr.flush()


@contextmanager
def _bars() -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[values]}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def report(event: Event) -> None:
            if isinstance(event, Started):
                if event.run in tasks:  # its worker died, and another has taken it up
                    bars.remove_task(tasks[event.run])
                tasks[event.run] = bars.add_task(event.run, total=None, values="loads PyTorch")
            elif isinstance(event, Progress):
                values = _values(event).removeprefix(", ")
                bars.update(tasks[event.run], completed=event.step, total=event.total, values=values)
            else:
                if isinstance(event, (Finished, Failed)) and event.run in tasks:
                    bars.remove_task(tasks.pop(event.run))
                bars.console.print(line(event), markup=False, highlight=False)

        yield report


# ------------------------------------------------------------------------------------------------------- verify

_VERIFY_HEADS = ("check", "compared", "runs", "count", "worst", "allowed", "result")


@contextmanager
def verify_report(quiet: bool) -> Iterator[Callable[[CheckDone | Event], None]]:
    """What `verify` calls: one line a check, as soon as it is done for all runs; on a terminal, what is going on."""
    from rich.console import Console

    console = Console(stderr=True)

    def report(event: CheckDone | Event) -> None:
        if isinstance(event, CheckDone):
            place = list(CHECKS).index(event.check) + 1
            count = sum(line.count for line in event.verdict.lines(event.check))
            words = f"{place}/{len(CHECKS)} {event.check}: {count:,} comparisons, {_result(event.verdict, event.check)}"
            console.print(f"{words}, {event.seconds:.0f} s", markup=False, highlight=False, soft_wrap=True)
        elif isinstance(event, Progress):
            status.update(line(event) or "")

    if quiet:
        yield lambda event: None
        return
    with console.status("the workers load PyTorch") as status:  # nothing where there is no terminal
        yield report


def verify_table(verdict: Verdict) -> str:
    """All measures of all checks, what was not done, and what that comes to."""
    rows = [
        (
            line.check, line.measure, str(line.runs), f"{line.count:,}", _difference(line), f"{line.tolerance:.0e}" if
            line.tolerance else "0", _result(verdict, line.check),
        )
        for check in CHECKS
        for line in verdict.lines(check)
    ]  # fmt: skip
    told = [_columns([_VERIFY_HEADS, *rows])]
    undone: dict[tuple[str, str], list[str]] = {}
    for one in verdict.not_done:
        undone.setdefault((one.run, one.why), []).append(one.check)
    told += [f"not done: {run} {', '.join(checks)}: {why}" for (run, why), checks in undone.items()]
    if not verdict.bytes:
        told.append(f"bytes are not comparable on this machine ({verdict.platform}): numbers are held to tolerances")
    count, all_runs = len(verdict.held), len({one.run for one in verdict.outcomes})
    asked = f"passed the checks asked for ({len(set(verdict.checks))} of {len(CHECKS)})"
    held = "verified" if verdict.complete else asked
    return "\n".join([*told, f"{count} of {all_runs} {'run' if all_runs == 1 else 'runs'} {held}"])


def verify_json(verdict: Verdict) -> dict[str, Any]:
    """The same for a program, run by run."""
    return {
        "platform": verdict.platform,
        "bytes_comparable": verdict.bytes,
        "checks": [check for check in CHECKS if check in verdict.checks],
        "passed": list(verdict.held),
        "verified": list(verdict.verified),
        "outcomes": [_as_json(one) for one in verdict.outcomes],
    }


def _as_json(one: Outcome) -> Mapping[str, Any]:
    measures = {
        name: {"count": measure.count, "worst": measure.worst, "tolerance": measure.tolerance}
        for name, measure in one.measures.items()
    }
    findings = [
        {
            "message": error.message, "path": error.at.path if error.at else None,
            "line": error.at.line if error.at else None, "hint": error.hint,
        }
        for error in one.findings
    ]  # fmt: skip
    told = {"run": one.run, "check": one.check, "state": one.state, "measures": measures, "findings": findings}
    return {**told, "why": one.why} if one.why else told


def _difference(line: Line) -> str:
    return f"{line.worst:.1e} {line.where}" if line.worst else "0"


def _result(verdict: Verdict, check: str) -> str:
    states = [outcome.state for outcome in verdict.of(check)]
    words = [f"{states.count(state)} {state}" for state in ("failed", "not done") if state in states]
    return ", ".join(words) or ("passed" if states else "nothing to compare")
