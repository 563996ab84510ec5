"""The commands of click to words: what each does, and every option as `--help` tells it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from sitegen.cli import main
from sitegen.reference.tables import code, table


def text() -> str:
    head = inspect.cleandoc(main.help or "")
    shared = "Exit codes: 0 all well, 1 something is to be mended, 2 the command was not understood, 130 Ctrl-C."
    return "\n\n".join([head, shared, *(_command(name, one) for name, one in commands())])


def commands(group: click.Group = main, before: str = "sitegen") -> Iterator[tuple[str, click.Command]]:
    """("sitegen new act", command) of all commands that do something."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{before} {name}")
        else:
            yield f"{before} {name}", command


def _command(name: str, command: click.Command) -> str:
    ctx = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(ctx)])
    rows = [_option(one, ctx) for one in command.params if isinstance(one, click.Option)]
    options = table(("option", "does"), rows) if rows else ""
    return f"### {name}\n\n{code(usage)}\n\n{inspect.cleandoc(command.help or '')}\n\n{options}".strip()


def _option(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    record = option.get_help_record(ctx)
    assert record, "every option has a help text"
    return code(record[0]), record[1]
