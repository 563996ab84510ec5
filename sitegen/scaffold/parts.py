"""A chapter, an act or a run more for a site that is there: where its files go and what stands in them."""

from __future__ import annotations

import re
from pathlib import Path

from sitegen import runs
from sitegen.content import gather
from sitegen.content.strays import meetings
from sitegen.discovery import discover, model_packages
from sitegen.errors import RunError, ScaffoldError, nearest
from sitegen.scaffold.names import in_toml, module_of, titled
from sitegen.scaffold.writing import write_new
from sitegen.schema import Chapter, Location, Run, Site

TEXTS = Path(__file__).resolve().parent / "new"


def new_chapter(site_dir: Path, name: str, title: str | None = None) -> tuple[str, ...]:
    """A folder with a chapter.toml, and a package for its models. Gives the paths written, like the others."""
    site, _ = gather(site_dir)
    package = module_of(name, "chapter")
    for chapter in site.chapters:
        if chapter.slug == name or chapter.models == package:
            what = f"has the name {name!r}" if chapter.slug == name else f"has the models {package!r}"
            raise ScaffoldError(f"this chapter {what} already", at=chapter.at, hint="choose another name")
    here = Location(f"content/{name}")
    for _, at, before in meetings([*((page.slug, page.at) for page in site.pages), (name, here)]):
        if at is here:
            taken = (
                f"a page has the address {name!r} already"
                if before
                else f"the site's own files have the address {name!r}"
            )
            raise ScaffoldError(taken, at=before, hint="choose another name")
    number = max((chapter.number for chapter in site.chapters), default=0) + 1
    said = in_toml(titled(name) if title is None else title)
    files = {
        f"content/{number:02d}-{name}/chapter.toml": _text(
            "chapter.toml", title=said, number=str(number), package=package
        )
    }
    init = f"models/{package}/__init__.py"
    if not (site_dir / init).exists():
        files[init] = b""
    return write_new(site_dir, files)


def new_act(
    site_dir: Path, name: str, *, chapter: str | None = None, title: str | None = None, run: str | None = None
) -> tuple[str, ...]:
    """An act behind the last one of a chapter; with `run` it shows a picture of it and a number."""
    home = _chapter(gather(site_dir)[0], chapter)
    for part in home.parts:
        if part.slug == name:
            raise ScaffoldError(f"this part has the name {name!r} already", at=part.at, hint="choose another name")
    folder = Path(home.at.path).parent
    said = in_toml(titled(name) if title is None else title)
    text = _text("act.md", title=said) if run is None else _act_with(_baked(site_dir, run), said)
    return write_new(site_dir, {f"{folder.as_posix()}/{_next_number(site_dir / folder, home)}-{name}.md": text})


def new_run(site_dir: Path, name: str, *, chapter: str | None = None, act: int | None = None) -> tuple[str, ...]:
    """A recipe that bakes as it is, for the last act or the one that is named."""
    home = _chapter(gather(site_dir)[0], chapter)
    if not home.models:
        package = home.slug.replace("-", "_")
        raise ScaffoldError("this chapter has no models", at=home.at, hint=f'write models = "{package}" in it')
    for info in discover(site_dir, model_packages(site_dir)):
        if info.name == name:
            raise ScaffoldError(
                f"this recipe bakes a run called {name!r} already", at=info.at, hint="choose another name"
            )
    number = act or max((one.number for one in home.acts), default=1)
    return write_new(
        site_dir, {f"models/{home.models}/{module_of(name, 'run')}.py": _text("run.py.txt", name=name, act=str(number))}
    )


def _chapter(site: Site, slug: str | None) -> Chapter:
    """The chapter of a slug, or the last one."""
    if not site.chapters:
        at = Location("content")
        raise ScaffoldError("the site has no chapter", at=at, hint="begin one: sitegen new chapter first-steps")
    found = [chapter for chapter in site.chapters if slug in (None, chapter.slug)]
    if not found:
        raise ScaffoldError(f"no chapter is called {slug!r}", hint=nearest(str(slug), (c.slug for c in site.chapters)))
    return found[-1]


def _baked(site_dir: Path, name: str) -> Run:
    """A run with a picture."""
    baked = runs.names(site_dir)
    if name not in baked:
        hint = f"sitegen train --run {name} bakes it; {nearest(name, baked) or 'no run is baked so far'}"
        raise ScaffoldError(f"run {name!r} is not baked", hint=hint)
    run = runs.load(runs.runs_folder(site_dir) / name)
    if not run.images:
        at = Location(f"build/runs/{name}/run.json")
        raise RunError(f"run {name!r} has no picture", at=at, hint="a function under @….draw adds one to its recipe")
    return run


def _act_with(run: Run, title: str) -> bytes:
    still, image = next(iter(sorted(run.images.items())))
    metric = next(iter(sorted(run.metrics)), None)
    measured = f"It ends with {{run}}`{run.run}.metrics.{metric}:.3f` for `{metric}`." if metric else ""
    return _text("act-with-a-run.md", title=title, run=run.run, still=still, alt=in_toml(image.alt), measured=measured)


def _next_number(folder: Path, chapter: Chapter) -> str:
    """The number in a new act's file name: behind the last act if that is free, else behind everything."""
    found = [match[1] for path in folder.glob("*.md") if (match := re.match(r"(\d+)-", path.name))]
    taken = {int(number) for number in found}
    acts = [int(match[1]) for act in chapter.acts if (match := re.match(r"(\d+)-", Path(act.at.path).name))]
    number = max(acts, default=0) + 1
    if number in taken:
        number = max(taken) + 1
    width = max([2, *map(len, found)])
    if len(str(number)) > width:
        hint = f"rename them with {width + 1} digits, or leave the new one room"
        raise ScaffoldError(f"no file name is left behind {max(taken)}", at=chapter.at, hint=hint)
    return f"{number:0{width}d}"


def _text(name: str, /, **words: str) -> bytes:
    """A text of `new/` with its <words> put in."""
    text = (TEXTS / name).read_text(encoding="utf-8")
    return re.sub("<(\\w+)>", lambda word: words[word[1]], text).encode()
