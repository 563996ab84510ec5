"""A pytest plugin for a site's own tests: are the baked runs what they were when somebody last looked?

Name it once, in `conftest.py` of your tests: `pytest_plugins = ["sitegen.testing"]`. It loads no torch.

```python
def test_the_slope_is_learned(baked_run, run_snapshot):
    run = baked_run("fit-line")
    assert 1.9 < run.metrics["slope"].value < 2.1
    run_snapshot(run)
```

`baked_run(name)` reads a run of the site around the test, its digest checked. `run_snapshot(run)` holds it against
`snapshots/<run>.json` beside the test: what is declared `exact` or `drawn` must be equal, what is `tolerant` within its
tolerance, and what is `never` compared (seconds, and the provenance of the code) is left out. A failure names the
series, the index, both values and the tolerance. `pytest --update-run-snapshots` writes snapshots that are missing or
differ, and lists them; it refuses where `CI` is `true`, and touches nothing of tests that do not run.

`sitegen.testing.assert_run_matches(run, snapshot)` compares any two runs; with `elsewhere=True` by what numbers may
differ by on another kind of machine, pictures left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sitegen.schema import Run
from sitegen.testing.matching import assert_run_matches, mismatches
from sitegen.testing.snapshots import load, snapshot_text, write

__all__ = ["assert_run_matches", "mismatches"]

_OPTION = "--update-run-snapshots"
_WRITTEN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sitegen")
    group.addoption(_OPTION, action="store_true", help="write snapshots of runs that are missing or differ")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(_OPTION) and os.environ.get("CI") == "true":
        raise pytest.UsageError(f"{_OPTION} is for a desk: in CI nobody looks at what it writes")
    config.stash[_WRITTEN] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in config.stash[_WRITTEN]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="module")
def site_dir(request: pytest.FixtureRequest) -> Path:
    """The site around the test, wherever pytest was started."""
    here = request.path.parent
    for folder in (here, *here.parents):
        if (folder / "content" / "site.toml").is_file():
            return folder
    pytest.fail(f"{here} is in no site: no folder from there upwards has content/site.toml", pytrace=False)


@pytest.fixture(scope="module")
def baked_run(site_dir: Path) -> Callable[[str], Run]:
    """Name -> the baked run, whole and as its digest says."""
    from sitegen import runs
    from sitegen.errors import RunError, nearest

    def read(name: str) -> Run:
        known = runs.names(site_dir)
        if name not in known:
            pytest.fail(f"run {name!r} is not baked\n  hint: {nearest(name, known) or 'sitegen train'}", pytrace=False)
        try:
            return runs.load(runs.runs_folder(site_dir) / name)
        except RunError as error:
            told = str(error)
        pytest.fail(told, pytrace=False)  # no part of the other error, which would be printed too

    return read


@pytest.fixture
def run_snapshot(request: pytest.FixtureRequest) -> Callable[[Run], None]:
    """Holds a run against the snapshot of its name beside the test."""
    config = request.config

    def hold(run: Run) -> None:
        __tracebackhide__ = True
        if not isinstance(run, Run):
            kind = type(run).__name__
            pytest.fail(
                f"run_snapshot holds a run, and this is a {kind}\n  hint: run_snapshot(baked_run(NAME))", pytrace=False
            )
        path = request.path.parent / "snapshots" / f"{run.run}.json"
        before = load(path)
        if config.getoption(_OPTION) and (before is None or mismatches(before, run)):
            write(path, snapshot_text(run))
            config.stash[_WRITTEN].append(f"wrote {os.path.relpath(path, config.rootpath)}")
        elif before is None:
            pytest.fail(f"run {run.run!r} has no snapshot\n  hint: pytest {_OPTION} writes {path.name}", pytrace=False)
        else:
            assert_run_matches(run, before, hint=f"if the change is meant: pytest {_OPTION}")

    return hold
