"""What several commands take: the site they work on, and silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class _Site(click.Path):
    """A site's folder: the one given, or the nearest around the current one."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        folder = Path(value)
        if not (folder / "content" / "site.toml").is_file():
            self.fail(f"{value} is no site: it has no content/site.toml", param, ctx)
        return folder.resolve()


def nearest_site() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "content" / "site.toml").is_file():
            return folder
    raise click.UsageError(f"{here} is in no site: no folder from here upwards has content/site.toml.\nTry --site DIR.")


in_site = click.option("--site", type=_Site(), help="The site's folder; else the nearest one around.")
quietly = click.option("--quiet", is_flag=True, help="Say nothing but errors.")
