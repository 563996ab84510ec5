"""Is a baked run what its recipe would bake today? If not, why: module, parameter, output, picture, need, version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from sitegen import pins
from sitegen.closure import Sources
from sitegen.discovery import in_order
from sitegen.errors import RunError
from sitegen.runs.definitions import edits, load_definitions
from sitegen.runs.files import runs_folder
from sitegen.runs.text import sha256
from sitegen.schema import RecipeInfo, Run

State = Literal["fresh", "stale", "missing", "damaged"]


class Status(Struct, frozen=True):
    """`reasons` say why a run is not fresh, one thing each; `error` is what is wrong with a damaged one."""

    state: State
    reasons: tuple[str, ...] = ()
    error: RunError | None = None


def statuses(
    site_dir: Path, infos: Iterable[RecipeInfo], runs: Mapping[str, Run], errors: Mapping[str, RunError]
) -> dict[str, Status]:
    """The status of every recipe's run; `runs` and `errors` are what `load_all` gave."""
    sources, fonts = Sources(site_dir), still_fonts(site_dir)
    found: dict[str, Status] = {}
    for info in in_order(tuple(infos)):
        own = runs.get(info.name, errors.get(info.name))
        edited = _edited(runs_folder(site_dir) / info.name, sources)
        digests = sources.closure(info.module).digests
        known = status(info, own, digests=digests, needs=runs, fonts=fonts, edited=edited)
        late = tuple(
            f"need {need!r} is {found[need].state}"
            for need in info.needs
            if need in found and found[need].state != "fresh"
        )
        if known.state in ("fresh", "stale") and late:
            known = Status("stale", tuple(dict.fromkeys((*known.reasons, *late))))
        found[info.name] = known
    return found


def status(
    info: RecipeInfo,
    run: Run | RunError | None,
    *,
    digests: Mapping[str, str],
    needs: Mapping[str, Run],
    fonts: Mapping[str, str],
    edited: Callable[[str], str] = lambda module: "",
) -> Status:
    """One recipe against one run. `digests`: its source closure; `needs`: runs on disk; `fonts`: file -> sha256;
    `edited`: a module that changed -> which of its definitions did, "" where that is not known."""
    if run is None:
        return Status("missing", ("it was never baked",))
    if isinstance(run, RunError):
        return Status("damaged", (run.message,), run)
    reasons = tuple(_reasons(info, run, digests, needs, fonts, edited))
    return Status("stale", reasons) if reasons else Status("fresh")


def orphans(infos: Iterable[RecipeInfo], baked: Iterable[str]) -> tuple[str, ...]:
    """Runs on disk that no recipe bakes any more."""
    return tuple(sorted(set(baked) - {info.name for info in infos}))


def still_fonts(site_dir: Path) -> dict[str, str]:
    """The fonts that pictures are drawn with, `fonts/stills/<file>` -> sha256."""
    return {f"fonts/stills/{path.name}": sha256(path.read_bytes()) for path in still_font_files(site_dir)}


def still_font_files(site_dir: Path) -> tuple[Path, ...]:
    """The site's own fonts for pictures, or else those of the theme that comes with sitegen."""
    package = Path(__file__).resolve().parents[1]
    for templates in (site_dir / "templates", package / "theme", package.parent / "templates"):
        if found := sorted((templates / "fonts" / "stills").glob("*.ttf")):
            return tuple(found)
    return ()


def _edited(folder: Path, sources: Sources) -> Callable[[str], str]:
    """What was edited in a module since the run in `folder` was baked; nothing is read before it is asked for."""

    def edited(module: str) -> str:
        then = load_definitions(folder).get(module)
        return "" if then is None else ", ".join(edits(then, sources.definitions(module)))

    return edited


def _reasons(
    info: RecipeInfo,
    run: Run,
    digests: Mapping[str, str],
    needs: Mapping[str, Run],
    fonts: Mapping[str, str],
    edited: Callable[[str], str],
) -> Iterator[str]:
    made = run.provenance
    recipe = f"{info.module}:{info.function}"
    for what, then, now in (
        ("recipe", made.recipe, recipe),
        ("chapter", run.chapter, info.chapter),
        ("act", run.act, info.act),
        ("seed", run.seed, info.seed),
        ("number of threads", made.threads, pins.THREADS),
    ):
        if then != now:
            yield f"{what} was {then}, is {now}"
    yield from _changes("parameter", run.parameters, _as_json(info.parameters), tell=True)
    yield from _changes("output", run.outputs, info.outputs)
    pictures = {name: alt for name, alt in info.pictures.items() if name not in info.timed_pictures}
    yield from _changes("picture", {name: image.alt for name, image in run.images.items()}, pictures)
    yield from _changes("module", made.closure, digests, more=edited)
    # a need that is not on the disk is for `statuses` to tell
    now_needs = {name: needs[name].digest if name in needs else made.needs.get(name) for name in info.needs}
    yield from _changes("need", made.needs, now_needs)
    if info.pictures:
        then_fonts = {name: digest for name, digest in made.data.items() if name.startswith("fonts/stills/")}
        yield from _changes("data", then_fonts, fonts)
    yield from _changes("version of", made.versions, pins.VERSIONS, tell=True)
    yield from _changes("environment", made.environment, pins.ENVIRONMENT, tell=True)


def _changes(
    what: str,
    then: Mapping[str, Any],
    now: Mapping[str, Any],
    tell: bool = False,
    more: Callable[[str], str] = lambda name: "",
) -> Iterator[str]:
    """What is gone, new or changed; `tell` says both values of it, `more` what there is to say about its name."""
    for name in sorted(then.keys() | now.keys()):
        if name not in now:
            yield f"{what} {name} is gone"
        elif name not in then:
            yield f"{what} {name} is new"
        elif then[name] != now[name] or type(then[name]) is not type(now[name]):
            changed = ": ".join(filter(None, (f"{what} {name} changed", more(name))))
            yield f"{what} {name} was {then[name]!r}, is {now[name]!r}" if tell else changed


def _as_json(value: Any) -> Any:
    """A literal as it comes back from JSON: tuples are lists, keys are texts."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(child) for key, child in value.items()}
    return [_as_json(child) for child in value] if isinstance(value, (tuple, list)) else value
