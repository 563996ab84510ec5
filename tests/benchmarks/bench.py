"""`make bench`: sitegen beside mkdocs on the same prose, as whole processes; bake times; bytes a reader receives; how
soon a save shows; the page's engine in Chromium, beside onnxruntime-web; and the page itself, beside mkdocs-material
and plotly.

The commands take turns in one run, so that a busy moment of the machine meets them alike. Everything happens in a
copy of the site. The numbers are written to build/bench.json too, which is not committed, as they are of one machine;
only `--record` writes into the repository (`tests/benchmarks/record.json`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import engine
import pages
import peers
import redraw
import reload
from prose import plain_prose
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("record.json")
BIN = Path(sys.executable).parent


@dataclass
class Timed:
    """One command and the wall and processor seconds of its runs; `limit` is what it may take on an idle core."""

    name: str
    command: list[str]
    limit: float | None = None
    before: Callable[[Path], None] = lambda folder: None  # what is done to the folder, and not timed
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def once(self, folder: Path) -> None:
        self.before(folder)
        start = time.perf_counter()
        own = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(self.command, cwd=folder, env=own, stdout=said, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - start
            if process.returncode:
                said.seek(0)
                sys.exit(f"{' '.join(self.command)} failed:\n{said.read().decode()}")
        self.wall.append(seconds)
        self.cpu.append(usage.ru_utime + usage.ru_stime)


def copy_site(folder: Path) -> Path:
    for name in ("content", "models", "templates"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "build" / "runs", folder / "build" / "runs", ignore=shutil.ignore_patterns(".*"))
    return folder


def write_mkdocs_project(folder: Path) -> Path:
    """The same prose, one page a file, with mkdocs' own defaults."""
    (folder / "docs").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text("site_name: The same prose\n", encoding="utf-8")
    (folder / "docs" / "index.md").write_text("# The same prose\n", encoding="utf-8")
    for path in sorted((ROOT / "content").rglob("*.md")):
        name = "-".join(path.relative_to(ROOT / "content").parts)
        text = plain_prose(path.read_text("utf-8"))
        (folder / "docs" / (name if name != "pages-index.md" else "index.md")).write_text(text, encoding="utf-8")
    return folder


def measure(runs: int) -> tuple[list[Timed], dict[str, int]]:
    """Every command `runs` times, in turn, after one unmeasured round; then the gzip sizes of what was built."""
    sitegen, python = str(BIN / "sitegen"), sys.executable
    here = [
        Timed("sitegen --help", [sitegen, "--help"], limit=0.15),
        Timed("sitegen build, from nothing", [sitegen, "build", "--quiet"], before=forget),
        Timed("sitegen build, one act changed", [sitegen, "build", "--quiet"], limit=0.6, before=edit),
        Timed("sitegen build, nothing changed", [sitegen, "build", "--quiet"], limit=0.3),
        Timed("python -c pass", [python, "-c", "pass"]),
    ]
    peer = Timed("mkdocs build", [python, "-m", "mkdocs", "build", "--quiet"])
    with tempfile.TemporaryDirectory() as name:
        site, docs = copy_site(Path(name) / "site"), write_mkdocs_project(Path(name) / "docs")
        for timed in [*here, peer]:  # fills the caches of the file system and of Python
            timed.once(docs if timed is peer else site)
            timed.wall.clear()
            timed.cpu.clear()
        for _ in range(runs):
            for timed in [*here, peer]:
                timed.once(docs if timed is peer else site)
        return [*here, peer], weigh(site / "build" / "site")


def forget(site: Path) -> None:
    """Nothing was ever built here."""
    for name in ("cache", "build/site", "build/.tmp-spare-site"):
        shutil.rmtree(site / name, ignore_errors=True)


def edit(site: Path) -> None:
    act = min(site.glob("content/*/01-*.md"))
    act.write_text(act.read_text("utf-8") + "\nA sentence more.\n", encoding="utf-8")


def weigh(site: Path) -> dict[str, int]:
    """Name -> bytes after gzip -9, as a server would send them: pages and data one by one, the rest by kind."""
    sizes: dict[str, int] = {}
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        packed = len(gzip.compress(path.read_bytes(), 9, mtime=0))
        relative = path.relative_to(site).as_posix()
        if path.suffix == ".html":
            name = relative
        elif relative.startswith("data/"):
            name = re.sub(r"\.[0-9a-f]{12}", "", relative)
        else:
            name = f"all {path.suffix or path.name}"
        sizes[name] = sizes.get(name, 0) + packed
    return sizes


def bake_times() -> dict[str, dict[str, float]]:
    """Run -> what its timings.json says of the bake, in seconds."""
    return {
        path.parent.name: {key: value for key, value in json.loads(path.read_text("utf-8")).items() if key == "seconds"}
        for path in sorted((ROOT / "build" / "runs").glob("*/timings.json"))
    }


def report(timings: list[Timed], sizes: dict[str, int], bakes: dict[str, dict[str, float]]) -> None:
    console = Console()
    peer = min(timings[-1].wall)
    table = Table("command", "min s", "median s", "cpu s", "÷ mkdocs", "limit s", title="whole processes")
    for timed in timings:
        least = min(timed.wall)
        limit = "" if timed.limit is None else f"{timed.limit:g} {'holds' if least <= timed.limit else 'PASSED'}"
        table.add_row(
            timed.name,
            f"{least:.3f}",
            f"{statistics.median(timed.wall):.3f}",
            f"{min(timed.cpu):.3f}",
            f"{least / peer:.2f}",
            limit,
        )
    console.print(table)
    table = Table("run", "bake s", title="bakes, as their timings.json tell")
    for run, seconds in bakes.items():
        table.add_row(run, f"{seconds['seconds']:.1f}" if seconds else "?")
    console.print(table)
    table = Table("file", "gzip bytes", title="what a reader receives")
    for name, size in sizes.items():
        table.add_row(name, f"{size:,d}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10, help="how often each command is timed (default 10)")
    parser.add_argument("--record", action="store_true", help=f"write the numbers to {RECORD.relative_to(ROOT)}")
    arguments = parser.parse_args()
    timings, sizes = measure(arguments.runs)
    bakes = bake_times()
    report(timings, sizes, bakes)
    acts, missing = peers.measure()
    peers.report(acts, missing)
    with tempfile.TemporaryDirectory() as name:
        reloads = reload.measure(copy_site(Path(name) / "site"), arguments.runs)
    reload.report(reloads)
    sys.path.insert(0, str(ROOT))  # for the browser of the tests and the models
    engines, without = engine.measure()
    engine.report(engines, without)
    redraws = redraw.measure()
    redraw.report(redraws)
    loads = pages.measure()
    pages.report(loads)
    record = {
        "machine": {"platform": platform.platform(), "python": platform.python_version(), "cpus": os.cpu_count()},
        "seconds": {t.name: {"min": min(t.wall), "median": statistics.median(t.wall)} for t in timings},
        "acts": [asdict(one) for one in acts],
        "bakes": bakes,
        "gzip": sizes,
        "engines": {
            one.name: {"decode ms": min(one.decode), "training s": one.training, "gzip": one.gzip_bytes}
            for one in engines
        },
        "pages": [asdict(one) for one in loads],
        "reload ms": {one.kind: min(one.times) for one in reloads},
        "redraw ms": {one.figure: max(one.costs) for one in redraws if one.costs},
    }
    for path in (ROOT / "build" / "bench.json", *((RECORD,) if arguments.record else ())):
        path.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
