"""A run baked once more, in a folder of its own, and held against the committed one."""

from __future__ import annotations

import glob
import os
import platform
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sitegen import runs
from sitegen.bake.worker import platform_class
from sitegen.errors import SitegenError, VerificationError
from sitegen.pins import SAME_BYTES
from sitegen.processes import is_running
from sitegen.runs.decode import decode
from sitegen.runs.differences import Difference, differences, numbers
from sitegen.schema import Measure, RecipeInfo, Run
from sitegen.verify.here import line_of
from sitegen.verify.outcomes import Outcome
from sitegen.workers import Workers

# What a caller's shell may hold that decides bits, pictures or texts, were it let through to the worker.
HOSTILE = {
    "ATEN_CPU_CAPABILITY": "avx512",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable",
    "LANG": "tr_TR.UTF-8",
    "LC_ALL": "tr_TR.UTF-8",
    "MATPLOTLIBRC": "/dev/null/nowhere",
    "MKL_CBWR": "AUTO",
    "MKL_DYNAMIC": "TRUE",
    "MKL_NUM_THREADS": "3",
    "MPLBACKEND": "svg",
    "OMP_NUM_THREADS": "3",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "3",
    "PYTHONHASHSEED": "4321",
    "PYTHONOPTIMIZE": "2",
    "TZ": "Pacific/Auckland",
}
TWO_THREADS = {name: "2" for name in HOSTILE if name.endswith("NUM_THREADS")}


def gives_same_bytes(run: Run | None = None) -> bool:
    """Whether this machine promises the bytes that the run was baked with."""
    libc, version = platform.libc_ver()
    modern = libc == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 28)
    return modern and platform_class() == SAME_BYTES and (run is None or run.provenance.platform == SAME_BYTES)


def rebake(site_dir: Path, info: RecipeInfo, run: Run, workers: Workers) -> Outcome:
    """The same numbers, bit for bit where bytes are promised, else within what each may differ by."""
    with scratch() as staged:
        workers.bake(info, staged)
        again = decode((staged / "run.json").read_bytes(), info.name, "run.json")
        data = [_weights(runs.runs_folder(site_dir) / info.name, run), _weights(staged, again)]
    found = differences(run, again, *data)
    if gives_same_bytes(run):
        measure = Measure(numbers(run), max((each.largest or 0.0 for each in found), default=0.0))
        findings = [_finding(site_dir, info, each, "is not what the code gives") for each in found]
        return Outcome(info.name, "rebake", {"bytes": measure}, tuple(findings))
    apart = [each for each in found if not each.field.startswith(("images", "provenance", "platform"))]
    wrong = [each for each in apart if each.largest is None or each.largest > (each.allowed or 0.0)]
    worst = max((each.largest or 0.0 for each in apart), default=0.0)
    tolerance = max((each.allowed or 0.0 for each in apart), default=0.0)
    findings = [_finding(site_dir, info, each, "is not what the code gives, to its tolerance") for each in wrong]
    return Outcome(info.name, "rebake", {"numbers": Measure(numbers(run), worst, tolerance)}, tuple(findings))


def determinism(site_dir: Path, info: RecipeInfo, run: Run, workers: Mapping[str, Workers]) -> Outcome:
    """One digest, whatever the caller's settings and wherever the site lies. `workers`: what is tried -> its workers.

    Only where bytes are promised.
    """
    findings: list[SitegenError] = []
    for name, some in workers.items():
        with scratch() as staged:
            some.bake(info, staged)
            again = decode((staged / "run.json").read_bytes(), info.name, "run.json")
            if again.digest != run.digest:
                data = [_weights(runs.runs_folder(site_dir) / info.name, run), _weights(staged, again)]
                first = next(iter(differences(run, again, *data)), None)
                message = f"run {info.name!r} has another digest {name}: {first or again.digest}"
                findings.append(VerificationError(message, at=info.at))
    return Outcome(info.name, "determinism", {"bakes": Measure(len(workers))}, tuple(findings))


@contextmanager
def copied(site_dir: Path, needs: tuple[str, ...]) -> Iterator[Path]:
    """What a bake reads of the site, in another folder."""
    with scratch() as folder:
        other = folder / "another folder"
        shutil.copytree(site_dir / "models", other / "models", ignore=shutil.ignore_patterns("__pycache__"))
        stills = site_dir / "templates" / "fonts" / "stills"
        if stills.is_dir():
            shutil.copytree(stills, other / "templates" / "fonts" / "stills")
        for need in needs:
            shutil.copytree(runs.runs_folder(site_dir) / need, runs.runs_folder(other) / need)
        yield other


def hostile_environment() -> dict[str, str]:
    return {**os.environ, **HOSTILE}


def two_threads() -> dict[str, str]:
    return {**os.environ, **TWO_THREADS}


def _finding(site_dir: Path, info: RecipeInfo, difference: Difference, words: str) -> VerificationError:
    field = difference.field.split("[")[0].split(".")
    at = line_of(site_dir, info.name, list(field[:2]))
    hint = f"if the change is meant, bake it: sitegen train --run {info.name} --force"
    return VerificationError(f"run {info.name!r} {words}: {difference}", at=at, hint=hint)


def _weights(folder: Path, run: Run) -> bytes:
    return (folder / run.weights.file).read_bytes() if run.weights else b""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for a while, outside of the site."""
    ours = f"sitegen-verify-{socket.gethostname()}-"
    _tidy(ours)
    with tempfile.TemporaryDirectory(prefix=f"{ours}{os.getpid()}-") as folder:
        yield Path(folder)


def _tidy(ours: str) -> None:
    """Take away what a verification that was killed left; those of another machine may be at work."""
    for left in sorted(Path(tempfile.gettempdir()).glob(f"{glob.escape(ours)}*")):
        pid = left.name.removeprefix(ours).partition("-")[0]
        if pid.isdigit() and int(pid) != os.getpid() and not is_running(pid):
            shutil.rmtree(left, ignore_errors=True)
