"""One recipe run, its run staged: what the process `python -m sitegen.bake` does between its first and last line."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import platform
import random
import sys
import time
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitegen import pins
from sitegen.bake.keeping import Keeper
from sitegen.bake.pictures import draw, size_of_png
from sitegen.bake.recorder import Recorder
from sitegen.closure import Closure, Sources
from sitegen.errors import BakeError, RecipeError, nearest
from sitegen.recipes import Recipe
from sitegen.runs.decode import decode
from sitegen.runs.definitions import FILE, definitions_file
from sitegen.runs.files import load, runs_folder, stage
from sitegen.runs.freshness import still_font_files, still_fonts
from sitegen.runs.text import sha256
from sitegen.runs.timings import load_timings, sealed
from sitegen.runs.unfinished import fingerprint
from sitegen.schema import FORMAT_VERSION, Image, Provenance, RecipeInfo, Run, Timings, Weights

Tell = Callable[[dict[str, Any]], None]


class Job(Struct, frozen=True):
    """What a worker is asked to do: `staged` is an empty folder that a bake fills, `checks` are for `verify`.

    `unfinished` is the folder of the checkpoint that a bake goes on from, "" for one that neither keeps nor uses any;
    `forced` says that a fresh run is there. `nonce` stands before each message.
    """

    site_dir: Path
    staged: Path
    info: RecipeInfo
    checks: tuple[str, ...] = ()
    nonce: str = ""
    unfinished: str = ""
    forced: bool = False


def bake(job: Job, tell: Tell) -> Run:
    """Run the recipe in this process, which must be a worker, and stage what it recorded."""
    check_versions()
    on_disk = Sources(job.site_dir)
    sources = on_disk.closure(job.info.module)
    definitions = definitions_file(on_disk, sources.digests)
    pin_libraries(sources)
    recipe = load_recipe(job, sources)
    keeper = _keeper(job, sources, tell)
    recorder = Recorder(job.info, job.site_dir, _throttled(tell), keeper)
    start = time.perf_counter()
    recipe(recorder)
    seconds = keeper.seconds if keeper else time.perf_counter() - start
    if missing := sorted(recorder.missing()):
        message = f"series {', '.join(map(repr, missing))} declared but never recorded"
        raise RecipeError(message, at=job.info.at, hint=f"call bake.series({missing[0]!r}, …), or do not declare it")
    if job.info.headline is not None and job.info.headline not in recorder.metrics:
        message = f"headline {job.info.headline!r} is no metric that was recorded"
        raise RecipeError(message, at=job.info.at, hint=nearest(job.info.headline, recorder.metrics))
    if Sources(job.site_dir).closure(job.info.module) != sources:
        raise BakeError("its source was edited while it was baked", at=job.info.at, hint="train again")
    return _export(job, recipe, recorder, sources, definitions, seconds)


def check_versions() -> None:
    """What is installed is what is pinned."""
    for package, pinned in pins.VERSIONS.items():
        try:
            found = importlib.metadata.version(package).partition("+")[0]  # without a build's name: 2.13.0+cpu
        except importlib.metadata.PackageNotFoundError:
            hint = f"install what baking needs: {_installation()}"
            raise BakeError(f"{package} is not installed", hint=hint) from None
        if found != pinned:
            hint = f"install the pinned versions: {_installation()}"
            raise BakeError(f"{package} {found} is installed, but runs are baked with {pinned}", hint=hint)


def _installation() -> str:
    """How to get what baking needs: in a checkout of sitegen by make, else by pip."""
    checkout = (Path(__file__).resolve().parents[2] / "Makefile").is_file()
    return "make train, in the folder of sitegen" if checkout else "pip install 'sitegen[train]'"


def pin_libraries(sources: Closure) -> None:
    """torch as the promise wants it, before any module of the site is imported."""
    if "torch" in sources.outside:
        import torch

        torch.set_num_threads(pins.THREADS)
        torch.set_num_interop_threads(pins.THREADS)
        torch.use_deterministic_algorithms(True)
        torch.backends.mkldnn.set_flags(False)  # type: ignore[no-untyped-call]


def platform_class() -> str:
    """Machines that give the same bytes: "linux-x86_64-v3"."""
    system, machine = platform.system().lower(), platform.machine().lower()
    level = "-v3" if system == "linux" and machine == "x86_64" and _has_level_3() else ""
    return f"{system}-{machine}{level}"


def _has_level_3() -> bool:
    wanted = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    return any(wanted <= set(line.split()) for line in lines if line.startswith("flags"))


class _FromSource(importlib.machinery.SourceFileLoader):
    """Compiles a model's module from its source: a cached one can be older than an edit of the same second."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def load_recipe(job: Job, sources: Closure) -> Recipe:
    """The recipe itself, imported from the site's models; everything random is seeded."""
    models = job.site_dir / "models"
    site_finder = importlib.machinery.FileFinder.path_hook((_FromSource, [".py"]))

    def hook(path: str) -> importlib.abc.PathEntryFinder:
        if Path(path) == job.site_dir or Path(path).is_relative_to(models):
            return site_finder(path)
        raise ImportError(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
    sys.path.insert(0, str(job.site_dir))
    if not (models / "__init__.py").exists():  # or else another models package further on would win
        package = types.ModuleType("models")
        package.__path__ = [str(models)]
        sys.modules["models"] = package
    random.seed(job.info.seed)
    for name in {"torch", "numpy"} & sources.outside:
        module = importlib.import_module(name)
        seeded = module.manual_seed if name == "torch" else module.random.seed
        seeded(job.info.seed)
    recipe = getattr(importlib.import_module(job.info.module), job.info.function, None)
    if not isinstance(recipe, Recipe):
        raise RecipeError(f"{job.info.function!r} is no recipe once its module is imported", at=job.info.at)
    return recipe


def _keeper(job: Job, sources: Closure, tell: Tell) -> Keeper | None:
    if not job.unfinished:
        return None

    @cache
    def made_of() -> str:
        folder = runs_folder(job.site_dir)
        needs = {name: load(folder / name) for name in job.info.needs}
        return fingerprint(job.info, sources.digests, needs, still_fonts(job.site_dir), platform_class())

    return Keeper(Path(job.unfinished), made_of, forced=job.forced, tell=tell)


def _throttled(tell: Tell) -> Callable[[int, int, dict[str, float]], None]:
    """Progress at most ten times a second, and always the last step."""
    last = -1.0

    def progress(step: int, total: int, values: dict[str, float]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.1 or step >= total:
            last = now
            tell({"event": "progress", "step": step, "total": total, "values": values})

    return progress


def _export(job: Job, recipe: Recipe, recorder: Recorder, sources: Closure, definitions: bytes, seconds: float) -> Run:
    """Stage the run; draw its pictures from the run as it comes back from the disk; stage it again with them."""
    info = job.info
    files = {FILE: definitions}
    weights = None
    if packed := recorder.packed_weights():
        contents, data, dtype = packed
        files["weights.bin"] = data
        weights = Weights("weights.bin", sha256(data), dtype, contents)  # type: ignore[arg-type]
    fonts = still_fonts(job.site_dir) if recipe.pictures else {}
    needs = {name: recorder.need(name).digest for name in info.needs}
    provenance = Provenance(
        recipe=f"{info.module}:{info.function}",
        closure=sources.digests,
        data={**recorder.data_files, **fonts},
        needs=needs,
        versions=pins.VERSIONS,
        environment=pins.ENVIRONMENT,
        threads=pins.THREADS,
        dtype=recorder.dtype,
        platform=platform_class(),
    )
    run = Run(
        format=FORMAT_VERSION,
        run=info.name,
        chapter=info.chapter,
        act=info.act,
        seed=info.seed,
        parameters=dict(info.parameters),
        outputs=dict(info.outputs),
        metrics=recorder.metrics,
        series=recorder.found_series,
        examples=recorder.examples,
        images={},
        weights=weights,
        probe=recorder.found_probe,
        provenance=provenance,
        digest="",
    )
    timings = Timings(_processor(), round(seconds, 3), dict(sorted(recorder.never_compared.items())))
    if not recipe.pictures:
        return stage(job.staged, run, files, sealed(timings))
    stage(job.staged, run, files, sealed(timings))
    exported = decode((job.staged / "run.json").read_bytes(), info.name, "run.json")
    measured = load_timings(job.staged, exported)
    images: dict[str, Image] = {}
    of_timings: dict[str, Image] = {}
    for name, png in sorted(draw(exported, recipe.pictures, still_font_files(job.site_dir), measured).items()):
        files[f"{name}.png"] = png
        picture = recipe.pictures[name]
        kept = of_timings if picture.of_timings else images
        kept[name] = Image(f"{name}.png", sha256(png), *size_of_png(png), picture.alt)
    timings = replace(timings, images=of_timings)
    return stage(job.staged, replace(run, images=images), files, sealed(timings))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
