"""Errors to words and exit codes: 1 for findings, 2 for usage, 130 for Ctrl-C. Commands speak through `say`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from sitegen.errors import SitegenError


class Told(click.Group):
    """Errors of all commands come as words and exit codes; help lists the commands as they are mostly called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        with _told_errors():
            return super().invoke(ctx)


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
        say(f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), err=True)
        sys.exit(1)
    except Exception as error:
        _tell_any(error)
        sys.exit(1)


def _stopped() -> NoReturn:
    say("stopped; what was there before is as it was", err=True)
    sys.exit(130)


def _tell_any(error: Exception) -> None:
    from sitegen.errors import Findings, SitegenError

    if isinstance(error, Findings):
        for one in error.errors:
            _tell(one)
        count = len(error.errors)
        say(f"{count} {'thing' if count == 1 else 'things'} to mend", err=True)
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


def say(text: str, *, err: bool = False) -> None:
    click.echo(text, err=err)
