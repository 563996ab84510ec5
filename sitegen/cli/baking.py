"""The commands that bake runs, prove and list them: train, verify, runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from sitegen.cli.options import FORMAT, formatted, in_site, nearest_site, quietly
from sitegen.cli.told import as_json, report, say

AGAIN = "may be given several times"
NAMES = "files, freshness, rebake, parity, gradients, steps, decodes, claims and determinism"  # loads nothing


@click.command()
@in_site
@click.option("--act", "acts", type=int, multiple=True, help=f"Only the runs of an act; {AGAIN}.")
@click.option("--chapter", "chapters", multiple=True, help=f"Only the runs of a chapter, by its slug; {AGAIN}.")
@click.option("--run", "names", multiple=True, help=f"Only this run; {AGAIN}.")
@click.option("--force", is_flag=True, help="Bake fresh runs too, and anew what was not finished.")
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Runs to bake at once; else one, or one for each thread of a cluster."
)
@click.option("--scheduler", metavar="ADDRESS", help="Bake on the workers of the dask scheduler there.")
@click.option(
    "--retime",
    is_flag=True,
    help="Measure anew how long things take: bake fresh runs too, and keep only their timings.",
)
@formatted
@quietly
def train(
    site: Path | None,
    acts: tuple[int, ...],
    chapters: tuple[str, ...],
    names: tuple[str, ...],
    force: bool,
    jobs: int | None,
    scheduler: str | None,
    retime: bool,
    quiet: bool,
) -> None:
    """Bake the runs that are missing or stale."""
    from sitegen import terminal
    from sitegen.train import UnknownSelection
    from sitegen.train import train as train_runs

    folder = site or nearest_site()
    silent = quiet or as_json(click.get_current_context())
    with terminal.train_report(silent) as tell:
        try:
            baked = train_runs(
                folder,
                acts=acts,
                chapters=chapters,
                names=names,
                force=force,
                jobs=jobs,
                retime=retime,
                scheduler=scheduler,
                report=tell,
            )
            report(baked=list(baked))
        except UnknownSelection as error:
            raise click.UsageError(f"{error.message}\n  hint: {error.hint}") from None


@click.command()
@in_site
@click.option("--run", "names", multiple=True, help=f"Only this run; {AGAIN}.")
@click.option("--check", "checks", multiple=True, metavar="NAME", help=f"Only this check, of {NAMES}; {AGAIN}.")
@click.option("--quick", is_flag=True, help="Leave out what takes long of runs whose recipe says long=True.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at once; else one for each core, two at most.")
@click.option("--json", "json_alone", is_flag=True, help="The same as --format json.")
@click.option("--record", is_flag=True, help="Write build/runs/verification.json, which the site shows.")
@formatted
@quietly
def verify(
    site: Path | None,
    names: tuple[str, ...],
    checks: tuple[str, ...],
    quick: bool,
    jobs: int | None,
    json_alone: bool,
    record: bool,
    quiet: bool,
) -> None:
    """Prove the runs: bake them again, compute them anew, compare.

    What recipes name as their reference is a second engine. Writes nothing without --record.
    """
    from sitegen import runs as baked
    from sitegen import terminal
    from sitegen.errors import Findings, nearest
    from sitegen.schema import CHECKS
    from sitegen.train import UnknownSelection
    from sitegen.verify import recorded, unrecorded
    from sitegen.verify import verify as verify_runs

    ctx = click.get_current_context()
    if json_alone:
        ctx.meta[FORMAT] = "json"
    folder = site or nearest_site()
    for check in checks:
        if check not in CHECKS:
            raise click.UsageError(f"there is no check {check!r}\n  hint: {nearest(check, CHECKS)}")
    if checks and record:
        raise click.UsageError("a run is recorded as verified only after all checks: leave --check out")
    try:
        with terminal.verify_report(quiet or as_json(ctx)) as tell:
            verdict = verify_runs(
                folder,
                names=names,
                checks=checks or tuple(CHECKS),
                quick=quick,
                jobs=jobs or min(2, os.cpu_count() or 1),
                report=tell,
            )
    except UnknownSelection as error:
        raise click.UsageError(f"{error.message}\n  hint: {error.hint}") from None
    if not report(**terminal.verify_json(verdict)) and not quiet:
        say(terminal.verify_table(verdict))
    if record:
        before = baked.load_verification(folder)
        after = recorded(verdict, before, baked.names(folder))
        baked.write_verification(folder, after)
        for line in () if quiet else unrecorded(verdict, before, after):
            say(line, err=True)
    if verdict.failed:
        raise Findings([error for outcome in verdict.failed for error in outcome.findings])
    if not verdict.passed(strictly=os.environ.get("CI") == "true"):
        sys.exit(1)


@click.command()
@in_site
@click.option("--why", metavar="RUN", help="Say why a run is not fresh.")
@click.option("--stale", is_flag=True, help="List only runs that a training would bake; exit 1 if there are any.")
@click.option("--diff", "revision", metavar="REV", help="Say which numbers and pictures changed since a git revision.")
def runs(site: Path | None, why: str | None, stale: bool, revision: str | None) -> None:
    """List the runs: what they measured, and whether they are fresh."""
    from sitegen import terminal
    from sitegen.errors import nearest
    from sitegen.overview import overview

    if revision is not None:
        from sitegen.history import changes

        say(terminal.changes(changes(site or nearest_site(), revision)))
        return
    rows = overview(site or nearest_site())
    if why is not None:
        chosen = [row for row in rows if row.run == why]
        if not chosen:
            raise click.UsageError(f"no run is called {why!r}\n  hint: {nearest(why, [row.run for row in rows])}")
        say(terminal.reasons(chosen[0]))
        return
    if stale:
        rows = tuple(row for row in rows if row.state not in ("fresh", "orphan"))
        if not rows:
            say("all runs are fresh")
            return
    terminal.print_table(rows)
    if stale and rows:
        sys.exit(1)
