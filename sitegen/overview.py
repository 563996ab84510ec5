"""Every run of a site with its state: the table of `sitegen runs` as values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from sitegen import runs
from sitegen.discovery import discover, model_packages
from sitegen.runs.files import bake_seconds
from sitegen.schema import Metric, RecipeInfo, Run


class Row(Struct, frozen=True):
    """One run. An orphan is on disk, but no recipe bakes it. `seconds`: how long its bake took."""

    run: str
    chapter: str | None  # its slug
    act: int | None
    seed: int | None
    steps: int | None
    metric: str
    state: Literal["fresh", "stale", "missing", "damaged", "orphan"]
    reasons: tuple[str, ...]
    size: int
    seconds: float | None


def overview(site_dir: Path) -> tuple[Row, ...]:
    """The runs in order of chapter, act and name, orphans last."""
    infos = discover(site_dir, model_packages(site_dir))
    baked, errors = runs.load_all(site_dir)
    states = runs.statuses(site_dir, infos, baked, errors)
    rows = [_row(site_dir, info, baked.get(info.name), states[info.name]) for info in infos]
    return (*rows, *(_orphan(site_dir, name, baked) for name in runs.orphans(infos, runs.names(site_dir))))


def key_metric(metrics: Mapping[str, Metric], headline: str | None = None) -> str:
    """The recipe's headline as "name 0.875 unit"; without one, the first metric by name that says which way is good,
    or the first."""
    names = sorted(metrics, key=lambda name: (name != headline, metrics[name].better is None, name))
    if not names:
        return ""
    metric = metrics[names[0]]
    return " ".join(filter(None, (names[0], f"{metric.value:.4g}", metric.unit)))


def _row(site_dir: Path, info: RecipeInfo, run: Run | None, status: runs.Status) -> Row:
    folder = runs.runs_folder(site_dir) / info.name
    steps = info.parameters.get("steps")
    metric = key_metric(run.metrics, info.headline) if run else ""
    return Row(
        info.name, info.chapter, info.act, info.seed, steps if isinstance(steps, int) else None, metric, status.state,
        status.reasons, _size(folder), bake_seconds(folder),
    )  # fmt: skip


def _orphan(site_dir: Path, name: str, baked: Mapping[str, Run]) -> Row:
    folder = runs.runs_folder(site_dir) / name
    reason = f"no recipe bakes it any more; if it is not wanted, remove build/runs/{name}"
    run = baked.get(name)
    metric = key_metric(run.metrics) if run else ""
    return Row(name, None, None, None, None, metric, "orphan", (reason,), _size(folder), bake_seconds(folder))


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file()) if folder.is_dir() else 0
