"""A run that comes back is taken only if it is whole, and made of just what was sent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from sitegen.bake.worker import platform_class
from sitegen.closure import Sources, parse
from sitegen.errors import BakeError, RunError, SitegenError, named
from sitegen.pins import SAME_BYTES
from sitegen.runs.decode import decode
from sitegen.runs.definitions import FILE as DEFINITIONS
from sitegen.runs.definitions import definitions_file
from sitegen.runs.files import covered, runs_folder, stage_files, staging_folder
from sitegen.runs.freshness import status
from sitegen.runs.soundness import weight_faults
from sitegen.runs.text import sha256
from sitegen.runs.timings import FILE as TIMINGS
from sitegen.runs.timings import load_timings
from sitegen.scatter.parcels import Answer, Problem, Sent
from sitegen.schema import Location, RecipeInfo, Run


def arrived(site_dir: Path, info: RecipeInfo, sent: Sent, answer: Answer) -> Path:
    """The folder, beside the runs, with the staged run that an answer holds; raises what is wrong with it."""
    if answer.problem:
        raise _error(answer.problem, answer.worker, info)
    sources = Sources(site_dir)
    if dict(sources.closure(info.module).digests) != dict(sent.digests):
        raise BakeError("its source was edited while it was baked", at=info.at, hint="train again")
    try:
        run = _whole(info.name, answer)
    except RunError as error:
        raise _refused(info, answer.worker, error.message) from None
    stale = status(info, run, digests=sent.digests, needs=sent.needs, fonts=sent.fonts).reasons
    if differs := [*stale, *_other(site_dir, sources, sent, run)]:
        raise _refused(info, answer.worker, "; ".join(differs))
    staged = staging_folder(runs_folder(site_dir), info.name)
    stage_files(staged, {**answer.files, DEFINITIONS: definitions_file(sources, sent.digests)})
    try:
        timings = load_timings(staged, run)
    except RunError as error:
        raise _refused(info, answer.worker, error.message) from None
    drawn = (image.file for image in timings.images.values())
    known = {"run.json", *covered(run), *drawn, TIMINGS, DEFINITIONS}
    if strange := sorted(answer.files.keys() - known):
        raise _refused(info, answer.worker, f"{strange[0]!r} is no file of it")
    return staged


def _whole(name: str, answer: Answer) -> Run:
    """The run, with its digest, weights and pictures verified."""
    for file in answer.files:
        if file != Path(file).name or file.startswith("."):
            raise RunError(f"{file!r} is no name of a file")
    run = decode(answer.files.get("run.json", b""), name, "run.json")
    for file, digest in covered(run).items():
        if sha256(answer.files.get(file, b"")) != digest:
            raise RunError(f"{file} is not what its run.json says")
    for place, wrong in weight_faults(run, len(answer.files[run.weights.file])) if run.weights else ():
        spelled = ".".join(map(str, place))
        raise RunError(f"{spelled}: {wrong}")
    return run


def _other(site_dir: Path, sources: Sources, sent: Sent, run: Run) -> Iterator[str]:
    """What differs beside what makes a run stale: its data, and the kind of machine."""
    known = {
        node.value
        for path in filter(None, map(sources.path, sent.digests))
        for node in ast.walk(parse(path, site_dir))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for name, digest in sorted(run.provenance.data.items()):
        if name not in sent.fonts and digest not in known:
            yield f"data {name} has the sum {digest}, which no module of the recipe names"
    found = run.provenance.platform
    if found not in (SAME_BYTES, platform_class()):
        yield f"platform was {found}, is {platform_class()}"


def _refused(info: RecipeInfo, worker: str, differs: str) -> BakeError:
    message = f"the run {info.name!r} that {worker} baked is refused: {differs}"
    return BakeError(message, at=info.at, hint="nothing of it was kept; its worker needs the same sitegen and versions")


def _error(problem: Problem, worker: str, info: RecipeInfo) -> SitegenError:
    at = info.at if problem.path is None else Location(problem.path, problem.line)
    hint = "\n  ".join(filter(None, (problem.hint, f"that was on the worker {worker}")))
    return named(problem.kind)(problem.message, at=at, hint=hint)
