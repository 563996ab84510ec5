"""The commands that read a site and show it: build, serve, check."""

from __future__ import annotations

from pathlib import Path

import click

from sitegen.cli.options import formatted, in_site, nearest_site, quietly
from sitegen.cli.told import report, say


@click.command()
@in_site
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Where to; else build/site.")
@click.option("--strict", is_flag=True, help="Runs that are stale or not verified, and warnings, are errors.")
@click.option("--url", default="", metavar="URL", help="Where it will be published; else the url of site.toml.")
@formatted
@quietly
def build(site: Path | None, out: Path | None, strict: bool, url: str, quiet: bool) -> None:
    """Render the site from content, baked runs and templates. Needs no torch."""
    import gc

    gc.disable()  # a build ends before the collector would pay: an eighth of its time
    from sitegen.build import build as build_site

    if url:
        from sitegen.content import is_address

        if not is_address(url):
            raise click.UsageError(f"{url!r} is no address of a site\n  hint: --url https://host/path/")

    told = build_site(site or nearest_site(), out=out, strict=strict, url=url)
    counts = {name: getattr(told, name) for name in ("pages", "figures", "files", "bytes")}
    if not report(told.warnings, out=str(told.out), **counts) and not quiet:
        say(str(told))


def _prefix(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from sitegen.serve import is_prefix

    prefix = value and f"/{value.strip('/')}/".replace("//", "/")
    if prefix and (not is_prefix(prefix) or {".", ".."} & {*prefix.split("/")}):
        raise click.BadParameter("that is no path\n  hint: --prefix /repo/")
    return prefix


@click.command()
@in_site
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--prefix", callback=_prefix, default="", metavar="PATH", help="Serve under /PATH/ alone, as a host may.")
@click.option("--open/--no-open", "open_page", default=False, show_default=True, help="Show it in the browser.")
def serve(site: Path | None, port: int, prefix: str, open_page: bool) -> None:
    """Serve the site on this machine, up to date with every save.

    Pages load anew where they were, figures as they were set. A mistake shows over the last good page, with its file
    and line, until it is mended. Where a model was edited, r in the page bakes its stale runs again.

    It goes on until Ctrl-C. Nothing is written to build/site, and no other machine can reach it.
    """
    from sitegen.serve import serve as serve_site

    serve_site(site or nearest_site(), port=port, prefix=prefix, open_page=open_page, report=say)


@click.command()
@in_site
@click.option("--verbose", is_flag=True, help="List every size, not only those above 90 % of their budget.")
@formatted
def check(site: Path | None, verbose: bool) -> None:
    """Hold the site against its promises: links, words, sizes, numbers. Writes nothing."""
    from sitegen.build import inspect
    from sitegen.errors import Findings

    found = inspect(site or nearest_site())
    sizes = [
        {"kind": size.kind, "name": size.name, "amount": size.amount, "share": round(size.share, 3)}
        for size in found.sizes
    ]
    if not report(sizes=sizes):
        say(found.verbose if verbose else str(found))
    if found.findings:
        raise Findings(found.findings)
