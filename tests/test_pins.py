"""What is pinned, and what of a caller's environment reaches a worker."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sitegen import pins

ROOT = Path(__file__).resolve().parent.parent


def test_the_pinned_versions_are_those_of_the_train_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert [f"{name}=={version}" for name, version in pins.VERSIONS.items()] == project["optional-dependencies"][
        "train"
    ]


def test_a_worker_gets_places_and_pins_and_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    caller = {
        "HOME": "/home/her",
        "PATH": "/bin",
        "SITEGEN_DATA": "data",
        "PYTHONPATH": "/junk",
        "LD_PRELOAD": "/junk.so",
        "GLIBC_TUNABLES": "x",
        "OMP_NUM_THREADS": "2",
        "TZ": "Asia/Kathmandu",
    }

    assert pins.worker_environment(caller) == {
        "HOME": "/home/her",
        "PATH": "/bin",
        "SITEGEN_DATA": str(tmp_path / "data"),
        "PYTHONPATH": str(ROOT),
        "MPLCONFIGDIR": str(Path("/home/her/.cache/sitegen/matplotlib")),
        **pins.ENVIRONMENT,
    }


def test_the_cache_is_where_the_desktop_says():
    assert pins.cache_folder({"XDG_CACHE_HOME": "/cache", "HOME": "/home/her"}) == Path("/cache/sitegen")
    assert pins.cache_folder({"HOME": "/home/her"}) == Path("/home/her/.cache/sitegen")
    assert pins.cache_folder({"XDG_CACHE_HOME": "here", "HOME": "/home/her"}) == Path("/home/her/.cache/sitegen")
