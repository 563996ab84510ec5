"""The commands that begin something: init, and new chapter, act and run."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from sitegen.cli.options import in_site, nearest_site, quietly
from sitegen.cli.told import say


def _checked(ctx: click.Context, param: click.Parameter, name: str) -> str:
    from sitegen.errors import ScaffoldError
    from sitegen.scaffold.names import checked

    try:
        return checked(name, titled=any(one.name == "title" for one in ctx.command.params))
    except ScaffoldError as error:
        raise click.BadParameter(str(error), ctx=ctx, param=param) from None


_name = click.argument("name", callback=_checked)
_title = click.option("--title", metavar="TEXT", help="Its title, in any words; else made from NAME.")
_chapter = click.option("--chapter", metavar="SLUG", help="The chapter it belongs to; else the last one.")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@quietly
def init(folder: Path, quiet: bool) -> None:
    """Start a site of your own in DIR, a folder that is new or empty.

    It is a whole small lesson: a chapter with one act, its run, already baked and verified, a figure kind, tests, a
    Makefile and a workflow for GitHub Pages. It builds at once and needs no torch. Change what you like.
    """
    from sitegen import scaffold

    scaffold.init(folder)
    if quiet:
        return
    say(f"{click.format_filename(folder)} is a site now: one chapter, one act, one run, baked and verified")
    if folder.resolve() != Path.cwd():
        say(f"  cd {_in_shell(folder)}")
    say("  sitegen serve       builds it and shows it\n  sitegen new act …   adds to it; README.md there says more")


def _in_shell(folder: Path) -> str:
    """The folder as a shell takes it, whatever bytes its name has."""
    name = f"./{folder}" if str(folder).startswith("-") else str(folder)
    if name.isprintable():  # what is no text stands in it as lone surrogates
        return shlex.quote(name)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(name))
    return f"$'{''.join(plain)}'"


@click.group()
def new() -> None:
    """Add a chapter, an act or a run to a site. Never replaces a file."""


@new.command()
@_name
@in_site
@_title
@quietly
def chapter(name: str, site: Path | None, title: str | None, quiet: bool) -> None:
    """Add a chapter behind the last one.

    Writes content/NN-NAME/chapter.toml, and a package in models/ for its runs.
    """
    from sitegen import scaffold

    folder = site or nearest_site()
    _tell(scaffold.new_chapter(folder, name, title), quiet, f"sitegen new act first-steps --chapter {name}")


@new.command()
@_name
@in_site
@_chapter
@click.option("--run", metavar="RUN", help="A baked run: the act shows a picture of it and a number.")
@_title
@quietly
def act(name: str, site: Path | None, chapter: str | None, run: str | None, title: str | None, quiet: bool) -> None:
    """Add an act to a chapter, behind its last one.

    Writes content/NN-CHAPTER/NN-NAME.md, which builds as it is.
    """
    from sitegen import scaffold

    folder = site or nearest_site()
    _tell(scaffold.new_act(folder, name, chapter=chapter, title=title, run=run), quiet, "sitegen serve")


@new.command()
@_name
@in_site
@_chapter
@click.option("--act", type=click.IntRange(1, 999), help="The act it belongs to; else the last one.")
@quietly
def run(name: str, site: Path | None, chapter: str | None, act: int | None, quiet: bool) -> None:
    """Add a recipe to the models of a chapter.

    Writes models/PACKAGE/NAME.py: a small network in PyTorch that bakes within seconds. Change what it learns, then
    bake it with sitegen train.
    """
    from sitegen import scaffold

    folder = site or nearest_site()
    written = scaffold.new_run(folder, name, chapter=chapter, act=act)
    _tell(written, quiet, f"sitegen train --run {name}", f"sitegen new act NAME --run {name}")


def _tell(written: tuple[str, ...], quiet: bool, *following: str) -> None:
    if quiet:
        return
    for path in written:
        say(f"wrote {path}")
    for number, command in enumerate(following):
        say(f"{'then' if number else 'next'}: {command}")
