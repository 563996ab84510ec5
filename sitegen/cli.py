"""The command line: words to calls, values and errors to words. The only module that prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

try:
    import click
except KeyboardInterrupt:  # nothing has begun
    sys.exit(130)

if TYPE_CHECKING:
    from sitegen.errors import SitegenError


class _Site(click.Path):
    """A site's folder: the one given, or the nearest around the current one."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        folder = Path(value)
        if not (folder / "content" / "site.toml").is_file():
            self.fail(f"{value} is no site: it has no content/site.toml", param, ctx)
        return folder.resolve()


def _nearest_site() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "content" / "site.toml").is_file():
            return folder
    raise click.UsageError(f"{here} is in no site: no folder from here upwards has content/site.toml.\nTry --site DIR.")


_site = click.option("--site", type=_Site(), help="The site's folder; else the nearest one around.")
_quiet = click.option("--quiet", is_flag=True, help="Say nothing but errors.")


class _Told(click.Group):
    """Errors of all commands come as words and exit codes: 1 for findings, 2 for usage, 130 for Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        with _told_errors():
            return super().invoke(ctx)


@click.group(cls=_Told, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sitegen")
def main() -> None:
    """Lessons whose every number is a baked, verified run."""


@contextmanager
def _told_errors() -> Iterator[None]:
    try:
        yield
    except (click.ClickException, click.Abort, click.exceptions.Exit):
        raise
    except KeyboardInterrupt:
        _stopped()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            sys.exit(141)
        _say(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), err=True)
        sys.exit(1)
    except Exception as error:
        _tell_any(error)
        sys.exit(1)


def _stopped() -> NoReturn:
    _say("stopped; what was there before is as it was", err=True)
    sys.exit(130)


def _tell_any(error: Exception) -> None:
    from sitegen.errors import Findings, SitegenError

    if isinstance(error, Findings):
        for one in error.errors:
            _tell(one)
        count = len(error.errors)
        _say(f"{count} {'thing' if count == 1 else 'things'} to mend", err=True)
    elif isinstance(error, SitegenError):
        _tell(error)
    elif isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps one that comes while a class is made
        _stopped()
    elif os.environ.get("SITEGEN_TRACEBACK") == "1":
        raise error
    else:
        what = "something is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        message = f"internal error: {type(error).__name__}: {what}".removesuffix(": ")
        _tell(SitegenError(message, hint="SITEGEN_TRACEBACK=1 sitegen … shows where"))


def _tell(error: SitegenError) -> None:
    head, _, rest = str(error).partition("\n")
    click.secho(head, fg="red" if sys.stderr.isatty() else None, err=True)
    if rest:
        click.echo(rest, err=True)


def _say(text: str, *, err: bool = False) -> None:
    click.echo(text, err=err)


@main.command()
@_site
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where to; else build/site.")
@click.option("--strict", is_flag=True, help="Runs that are stale or not verified, and warnings, are errors.")
@click.option("--url", default="", metavar="URL", help="Where it will be published; else the url of site.toml.")
@_quiet
def build(site: Path | None, out: Path | None, strict: bool, url: str, quiet: bool) -> None:
    """Render the site from content, baked runs and templates. Needs no torch."""
    import gc

    gc.disable()  # a build ends before the collector would pay: an eighth of its time
    from sitegen.build import build as build_site
    from sitegen.content import is_address

    if url and not is_address(url):
        raise click.UsageError(f"{url!r} is no address of a site\n  hint: --url https://host/path/")

    told = build_site(site or _nearest_site(), out=out, strict=strict, url=url)
    if not quiet:
        _say(str(told))


@main.command()
@_site
@click.option("--act", type=int, help="Only the runs of an act.")
@click.option("--chapter", help="Only the runs of a chapter, by its slug.")
@click.option("--run", help="Only one run.")
@click.option("--force", is_flag=True, help="Bake fresh runs too, and anew what was not finished.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs to bake at once.")
@click.option(
    "--retime", is_flag=True, help="Bake fresh runs too, and take their timings even where no number changed."
)
@_quiet
def train(
    site: Path | None,
    act: int | None,
    chapter: str | None,
    run: str | None,
    force: bool,
    jobs: int,
    retime: bool,
    quiet: bool,
) -> None:
    """Bake the runs that are missing or stale."""
    from sitegen import terminal
    from sitegen.train import UnknownSelection
    from sitegen.train import train as train_runs

    folder = site or _nearest_site()
    with terminal.train_report(quiet) as report:
        try:
            train_runs(
                folder, act=act, chapter=chapter, run=run, force=force, jobs=jobs, retime=retime, report=report
            )  # fmt: skip
        except UnknownSelection as error:
            raise click.UsageError(f"{error.message}\n  hint: {error.hint}") from None


@main.command()
@_site
@click.option("--run", help="Only one run.")
@click.option("--check", "checks", multiple=True, help="Only this check; may be given several times.")
@click.option("--quick", is_flag=True, help="Leave out what takes long of runs that are marked so.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at once; else one for each core, two at most.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@click.option("--record", is_flag=True, help="Write build/runs/verification.json, which the site shows.")
@_quiet
def verify(
    site: Path | None,
    run: str | None,
    checks: tuple[str, ...],
    quick: bool,
    jobs: int | None,
    as_json: bool,
    record: bool,
    quiet: bool,
) -> None:
    """Prove the runs: bake them again, and compute them with a second engine. Writes nothing without --record."""
    import json

    from sitegen import runs as baked
    from sitegen import terminal
    from sitegen.errors import Findings, nearest
    from sitegen.schema import CHECKS
    from sitegen.train import UnknownSelection
    from sitegen.verify import recorded, unrecorded
    from sitegen.verify import verify as verify_runs

    folder = site or _nearest_site()
    for check in checks:
        if check not in CHECKS:
            raise click.UsageError(f"there is no check {check!r}\n  hint: {nearest(check, CHECKS)}")
    if checks and record:
        raise click.UsageError("a run is recorded as verified only after all checks: leave --check out")
    try:
        with terminal.verify_report(quiet) as report:
            verdict = verify_runs(
                folder,
                run=run,
                checks=checks or tuple(CHECKS),
                quick=quick,
                jobs=jobs or min(2, os.cpu_count() or 1),
                report=report,
            )
    except UnknownSelection as error:
        raise click.UsageError(f"{error.message}\n  hint: {error.hint}") from None
    if as_json:
        _say(json.dumps(terminal.verify_json(verdict), indent=1, sort_keys=True))
    elif not quiet:
        _say(terminal.verify_table(verdict))
    if record:
        before = baked.load_verification(folder)
        after = recorded(verdict, before, baked.names(folder))
        baked.write_verification(folder, after)
        for line in () if quiet else unrecorded(verdict, before, after):
            _say(line, err=True)
    if verdict.failed:
        raise Findings([error for outcome in verdict.failed for error in outcome.findings])
    if not verdict.passed(strictly=os.environ.get("CI") == "true"):
        sys.exit(1)


@main.command()
@_site
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

        _say(terminal.changes(changes(site or _nearest_site(), revision)))
        return
    rows = overview(site or _nearest_site())
    if why is not None:
        chosen = [row for row in rows if row.run == why]
        if not chosen:
            raise click.UsageError(f"no run is called {why!r}\n  hint: {nearest(why, [row.run for row in rows])}")
        _say(terminal.reasons(chosen[0]))
        return
    if stale:
        rows = tuple(row for row in rows if row.state not in ("fresh", "orphan"))
    terminal.print_table(rows)
    if stale and rows:
        sys.exit(1)


@main.command()
@_site
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
def serve(site: Path | None, host: str, port: int) -> None:
    """Build the site and serve it on this machine, until Ctrl-C."""
    from sitegen.serve import serve as serve_site

    serve_site(site or _nearest_site(), host=host, port=port, report=_say)


@main.command()
@_site
@click.option("--verbose", is_flag=True, help="List every size, not only those above 90 % of their budget.")
def check(site: Path | None, verbose: bool) -> None:
    """Hold the site against its promises: links, words, sizes, numbers. Writes nothing."""
    from sitegen.build import inspect
    from sitegen.errors import Findings

    found = inspect(site or _nearest_site())
    _say(found.verbose if verbose else str(found))
    if found.findings:
        raise Findings(found.findings)
