"""Baked runs: read and verified, written whole, and compared with the recipes of today."""

from sitegen.runs.differences import Difference, differences
from sitegen.runs.files import load, load_all, load_weights, names, publish, runs_folder, stage, swap, tidy, write
from sitegen.runs.freshness import Status, orphans, status, statuses
from sitegen.runs.timings import all_timings, load_timings, take_timings
from sitegen.runs.verification import load_verification, write_verification
from sitegen.runs.weights import checkpoints, pack, slices, unpack

__all__ = [
    "Difference",
    "Status",
    "all_timings",
    "checkpoints",
    "differences",
    "load",
    "load_all",
    "load_timings",
    "load_verification",
    "load_weights",
    "names",
    "orphans",
    "pack",
    "publish",
    "runs_folder",
    "slices",
    "stage",
    "status",
    "statuses",
    "swap",
    "take_timings",
    "tidy",
    "unpack",
    "write",
    "write_verification",
]
