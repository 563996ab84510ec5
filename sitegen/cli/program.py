"""The command `sitegen`: what it is called with, and the commands it has, in the order of its help."""

from __future__ import annotations

import click

from sitegen import __version__
from sitegen.cli.baking import runs, train, verify
from sitegen.cli.building import build, check, serve
from sitegen.cli.starting import init, new
from sitegen.cli.told import Told


@click.group(cls=Told, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sitegen")
def main() -> None:
    """Lessons whose every number is a baked, verified run.

    A site is a folder with content/, models/ and build/runs/; sitegen init begins one. The other commands work on the
    site around the current folder, or on --site DIR.
    """


for command in (init, new, build, serve, check, train, verify, runs):
    main.add_command(command)
