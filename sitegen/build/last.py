"""What the last build of a site published, and of what: the same of the same need not be built again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from sitegen.build import program
from sitegen.build.inputs import Inputs
from sitegen.build.report import BuildReport
from sitegen.build.trees import content, folders_of, listed


@dataclass(frozen=True, slots=True)
class Last:
    """`files`: path in the site -> sha256 of its bytes."""

    inputs: str
    url: str
    pages: int
    figures: int
    verified: bool  # whether all runs are, and nothing else is in the way of a strict build
    files: Mapping[str, str]


def recall(site_dir: Path, target: Path, url: str, inputs: Inputs, *, strict: bool) -> BuildReport | None:
    """The report of the last build, if what it built of these inputs is there, byte for byte and nothing else."""
    body = program.kept(_name(site_dir, target))
    last = Last(**json.loads(bytes(body))) if body else None
    if last is None or (last.inputs, last.url) != (inputs.digest.hex(), url) or (strict and not last.verified):
        return None
    if not target.is_dir() or listed(target) != (set(last.files), folders_of(last.files)):
        return None
    size = 0
    for path, digest in last.files.items():
        try:
            data = content(f"{target}/{path}")
        except OSError:
            return None
        if hashlib.sha256(data).hexdigest() != digest:
            return None
        size += len(data)
    return BuildReport(target, last.pages, last.figures, len(last.files), size, ())


def note(
    site_dir: Path,
    target: Path,
    url: str,
    inputs: Inputs,
    report: BuildReport,
    files: Mapping[str, bytes],
    *,
    verified: bool,
) -> None:
    """Keep what a build without warnings published."""
    digests = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())}
    last = Last(inputs.digest.hex(), url, report.pages, report.figures, verified, digests)
    program.keep(_name(site_dir, target), json.dumps(asdict(last)).encode())


def _name(site_dir: Path, target: Path) -> str:
    return f"{program.name_of(site_dir)}-{program.name_of(target)}"
