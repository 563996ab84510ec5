"""What several commands take: the site they work on, and silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

# what the options note for whoever tells errors
SITE, FORMAT, REPORT = "sitegen.site", "sitegen.format", "sitegen.report"


class _Site(click.Path):
    """A site's folder: the one given, or the nearest around the current one."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        folder = Path(value)
        if not (folder / "content" / "site.toml").is_file():
            self.fail(f"{value} is no site: it has no content/site.toml", param, ctx)
        return _noted(folder.resolve())


def nearest_site() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "content" / "site.toml").is_file():
            return _noted(folder)
    raise click.UsageError(f"{here} is in no site: no folder from here upwards has content/site.toml.\nTry --site DIR.")


def _noted(folder: Path) -> Path:
    """The site, which places of errors count from."""
    if ctx := click.get_current_context(silent=True):
        ctx.meta[SITE] = folder
    return folder


def _written_as(ctx: click.Context, param: click.Parameter, value: str) -> str:
    ctx.meta[FORMAT] = value
    return value


in_site = click.option("--site", type=_Site(), help="The site's folder; else the nearest one around.")
formatted = click.option(
    "--format",
    "written_as",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    callback=_written_as,
    expose_value=False,
    help="json writes one document to standard output, with every error by its place, for editors and CI.",
)
quietly = click.option("--quiet", is_flag=True, help="Say nothing but errors.")
