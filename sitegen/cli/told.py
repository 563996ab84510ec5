"""Errors to words and exit codes: 1 for findings, 2 for usage, 130 for Ctrl-C. Commands speak through `say`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sitegen.cli.machines import annotation, document
from sitegen.cli.options import FORMAT, REPORT, SITE

if TYPE_CHECKING:
    from sitegen.errors import SitegenError


class Told(click.Group):
    """Errors of all commands come as words and exit codes; help lists the commands as they are mostly called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        with _told_errors(ctx):
            result = super().invoke(ctx)
            _document(ctx, [], ok=True)
            return result


def report(warnings: Iterable[SitegenError] = (), **told: Any) -> bool:
    """Note what a command did. True where that is written as JSON, and by no one else."""
    from sitegen.errors import record

    ctx = click.get_current_context()
    kept = tuple(warnings)
    if _on_github():
        for warning in kept:
            say(annotation(warning, ctx.meta.get(SITE), "warning"), err=True)
    ctx.meta[REPORT] = {**told, "warnings": [record(warning) for warning in kept]}
    return as_json(ctx)


def as_json(ctx: click.Context) -> bool:
    return ctx.meta.get(FORMAT) == "json"


def _document(ctx: click.Context, errors: Sequence[SitegenError], *, ok: bool) -> None:
    if as_json(ctx):
        say(document(ctx.invoked_subcommand or "", errors, ctx.meta.get(REPORT, {}), ok=ok))


def _on_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


@contextmanager
def _told_errors(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except SystemExit as stop:  # a command that has told why
        _document(ctx, [], ok=not stop.code)
        raise
    except (click.ClickException, click.Abort, click.exceptions.Exit):
        raise
    except KeyboardInterrupt:
        _stopped()
    except OSError as error:
        from sitegen.disk import refused

        if isinstance(error, BrokenPipeError):
            sys.exit(141)
        _tell_any(refused(error, ctx.meta.get(SITE)), ctx)
        sys.exit(1)
    except Exception as error:
        _tell_any(error, ctx)
        sys.exit(1)


def _stopped() -> NoReturn:
    say("stopped; what was there before is as it was", err=True)
    sys.exit(130)


def _tell_any(error: Exception, ctx: click.Context) -> None:
    from sitegen.errors import Findings, SitegenError

    if isinstance(error, Findings):
        _tell(error.errors, ctx)
        count = len(error.errors)
        if not as_json(ctx):
            say(f"{count} {'thing' if count == 1 else 'things'} to mend", err=True)
    elif isinstance(error, SitegenError):
        _tell([error], ctx)
    elif isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps one that comes while a class is made
        _stopped()
    elif os.environ.get("SITEGEN_TRACEBACK") == "1":
        raise error
    else:
        what = "something is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        message = f"internal error: {type(error).__name__}: {what}".removesuffix(": ")
        _tell([SitegenError(message, hint="SITEGEN_TRACEBACK=1 sitegen … shows where")], ctx)


def _tell(errors: Sequence[SitegenError], ctx: click.Context) -> None:
    for error in errors if _on_github() else ():
        say(annotation(error, ctx.meta.get(SITE)), err=True)
    _document(ctx, errors, ok=False)
    for error in () if as_json(ctx) else errors:
        head, _, rest = str(error).partition("\n")
        click.secho(head, fg="red" if sys.stderr.isatty() else None, err=True)
        if rest:
            click.echo(rest, err=True)


def say(text: str, *, err: bool = False) -> None:
    click.echo(text, err=err)
