"""The site under `tests/sites/minimal`: copies of it, and the run that was made for it by hand.

`python tests/minimal_site.py` writes the committed run anew; every copy brings a run of its own that is fresh.
"""

from __future__ import annotations

import atexit
import shutil
import struct
import tempfile
import zlib
from functools import cache
from hashlib import sha256
from pathlib import Path

from sitegen import pins, runs
from sitegen.closure import Sources
from sitegen.schema import Image, Metric, Output, Provenance, Run, Series, Tensor, Weights

MINIMAL = Path(__file__).resolve().parent / "sites" / "minimal"
WEIGHTS = [0.0, 1.1666666666666667, 1.652777777777778, 1.8553240740740742, 1.9397183641975309]
LOSSES = [4.666666666666667, 0.8101851851851851, 0.1406571502057612, 0.024419644132944656, 0.004239521550858451]


def copied(folder: Path) -> Path:
    """A copy of the minimal site with a fresh run."""
    site = folder / "minimal"
    shutil.copytree(_fresh(), site)
    return site


@cache
def _fresh() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="minimal-site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    site = folder / "minimal"
    shutil.copytree(MINIMAL, site, ignore=shutil.ignore_patterns("__pycache__", "expected", "build"))
    write_run(site)
    return site


def provenance(site_dir: Path, recipe: str) -> Provenance:
    """That of a fresh run of "module:function", as a bake would write it."""
    return Provenance(
        recipe=recipe,
        closure=dict(Sources(site_dir).closure(recipe.partition(":")[0]).digests),
        data=runs.freshness.still_fonts(site_dir),
        needs={},
        versions=dict(pins.VERSIONS),
        environment=dict(pins.ENVIRONMENT),
        threads=pins.THREADS,
        dtype="float64",
        platform="linux-x86_64-v3",
    )


def write_run(site_dir: Path, **changes: object) -> Run:
    """Write `line-fit` as its recipe would bake it today; `changes` replace fields of the run."""
    picture = png(4, 3)
    weights = struct.pack("<2d", WEIGHTS[0], WEIGHTS[-1])
    fields: dict[str, object] = {
        "format": 1,
        "run": "line-fit",
        "chapter": "straight-lines",
        "act": 1,
        "seed": 1,
        "parameters": {"steps": 4, "rate": 0.5},
        "outputs": {"loss": Output(("step",), "exact")},
        "metrics": {"slope": Metric(WEIGHTS[-1]), "error": Metric(0.06028163580246915, better="lower")},
        "series": {"loss": Series(("step",), {"step": [0, 1, 2, 3, 4]}, (5,), "exact", LOSSES)},
        "examples": {"points": [[0.5, 1.0], [1.0, 2.0], [1.5, 3.0]], "names": {"first": "a < b"}, "digits": [7, 2, 5]},
        "images": {"curve": Image("curve.png", sha256(picture).hexdigest(), 4, 3, "The loss falls.")},
        "weights": Weights(
            "weights.bin",
            sha256(weights).hexdigest(),
            "float64",
            [Tensor(0, "w", (1,), 0), Tensor(4, "w", (1,), 8)],
        ),
        "probe": None,
        "provenance": provenance(site_dir, "models.lines.fit:line_fit"),
        "digest": "",
    }
    run = Run(**(fields | changes))  # type: ignore[arg-type]
    return runs.write(runs.runs_folder(site_dir) / "line-fit", run, {"curve.png": picture, "weights.bin": weights})


def png(width: int, height: int) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    write_run(MINIMAL)
