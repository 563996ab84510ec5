"""What decides the bytes of a bake besides its source: package versions and the worker's environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# The same versions as the `train` extra of pyproject.toml.
VERSIONS: dict[str, str] = {"torch": "2.13.0", "numpy": "2.4.6", "matplotlib": "3.11.2", "pillow": "13.0.0"}

THREADS = 1

SAME_BYTES = "linux-x86_64-v3"  # the class of machines whose bytes are promised

# Each of these alone can change bits or pictures; they must stand before torch is imported.
ENVIRONMENT: dict[str, str] = {
    "ATEN_CPU_CAPABILITY": "default",
    "CUDA_VISIBLE_DEVICES": "",
    "LC_ALL": "C.UTF-8",
    "MATPLOTLIBRC": os.devnull,
    "MKL_CBWR": "COMPATIBLE",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "NUMEXPR_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
}

# Where things lie and how to reach the network: none of it can change a number.
_PASSED_ON = (
    *("HOME", "PATH", "SITEGEN_DATA", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USERPROFILE", "XDG_CACHE_HOME"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_DIR", "SSL_CERT_FILE"),
)


def cache_folder(caller: Mapping[str, str]) -> Path:
    """Where downloads and matplotlib's font list are kept between bakes."""
    base = caller.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path(caller.get("HOME") or Path.home()) / ".cache") / "sitegen"


def worker_environment(caller: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a bake worker, given the caller's: nothing hostile comes through."""
    passed = {name: caller[name] for name in _PASSED_ON if name in caller}
    if "SITEGEN_DATA" in passed:  # the worker stands in another folder
        places = passed["SITEGEN_DATA"].split(os.pathsep)
        passed["SITEGEN_DATA"] = os.pathsep.join(str(Path(place).expanduser().absolute()) for place in places if place)
    package_root = Path(__file__).resolve().parents[1]
    own = {"PYTHONPATH": str(package_root), "MPLCONFIGDIR": str(cache_folder(caller) / "matplotlib")}
    return {**passed, **own, **ENVIRONMENT}
