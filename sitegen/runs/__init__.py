"""Baked runs: read and verified, written whole, and compared with the recipes of today."""

from sitegen.runs.files import load, load_all, load_weights, names, publish, runs_folder, stage, tidy, write
from sitegen.runs.freshness import Status, orphans, status, statuses
from sitegen.runs.weights import checkpoints, pack, slices, unpack

__all__ = [
    "Status",
    "checkpoints",
    "load",
    "load_all",
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
    "tidy",
    "unpack",
    "write",
]
