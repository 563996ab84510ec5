"""What surrounds the code holds too: pins, the wheel, the Makefile and the workflows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import sitegen
from sitegen import pins

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MINIMAL = ROOT / "tests" / "sites" / "minimal"
RUN_SITEGEN = "from sitegen.cli import main; main()"


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} said:\n{done.stdout}{done.stderr}"
    return done


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_train_extra_pins_what_the_bake_worker_pins():
    extra = dict(requirement.split("==") for requirement in PROJECT["project"]["optional-dependencies"]["train"])

    assert extra == pins.VERSIONS


def test_the_light_dependencies_hold_nothing_that_bakes():
    names = {re.split(r"[<>=]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}

    assert names & {*pins.VERSIONS, "playwright", "mkdocs"} == set()


# ------------------------------------------------------------------------------------------------------ the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the checkout without network: the build backend is part of the dev extra."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_the_whole_theme_and_no_lesson(wheel: Path):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    theme = [path for path in (ROOT / "templates").rglob("*") if path.is_file() and "__pycache__" not in path.parts]

    assert {name.split("/")[0] for name in names} == {"sitegen"}
    assert {path.relative_to(ROOT / "templates").as_posix() for path in theme} == {
        name.removeprefix("sitegen/theme/") for name in names if name.startswith("sitegen/theme/")
    }


def test_the_wheel_builds_a_site_as_the_checkout_does(wheel: Path, tmp_path: Path):
    shutil.copytree(MINIMAL, tmp_path / "by-wheel")
    shutil.copytree(MINIMAL, tmp_path / "by-checkout")
    zipfile.ZipFile(wheel).extractall(tmp_path / "unpacked")
    program = f"import sitegen; print(sitegen.__file__); {RUN_SITEGEN}"

    done = run(sys.executable, "-c", program, "build", cwd=tmp_path / "by-wheel", PYTHONPATH=str(tmp_path / "unpacked"))
    run(sys.executable, "-c", RUN_SITEGEN, "build", cwd=tmp_path / "by-checkout")

    assert done.stdout.splitlines()[0].startswith(str(tmp_path / "unpacked"))
    assert tree(tmp_path / "by-wheel" / "build" / "site") == tree(tmp_path / "by-checkout" / "build" / "site")


def test_the_wheel_has_the_one_version_that_is_written_down(wheel: Path):
    assert "version" not in PROJECT["project"]
    assert wheel.name == f"sitegen-{sitegen.__version__}-py3-none-any.whl"


def test_the_sdist_gives_the_same_wheel_and_has_all_that_the_readme_leads_to(wheel: Path, tmp_path: Path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)
    (sdist,) = tmp_path.glob("*.tar.gz")
    run("tar", "-xzf", sdist.name, cwd=tmp_path)
    unpacked = tmp_path / sdist.name[:-7]

    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=unpacked)
    readme = (unpacked / "README.md").read_text("utf-8")
    named = re.findall(r"(?:\]\(|(?:src|srcset|href)=\")(?![a-z]+:|#)([^)#\"]+)", readme)

    assert {"REFERENCE.md", "content/pages/guide.md"} <= {*named}
    assert [path for path in named if not (unpacked / path).is_file()] == []

    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()


# --------------------------------------------------------------------------------------- Makefile and workflows


def make(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """GNU make without what an outer make passes on."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    return subprocess.run(["make", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_make_help_works_from_another_folder(tmp_path: Path):
    done = make("-C", str(ROOT), "help", cwd=tmp_path)

    assert done.returncode == 0
    assert re.search(r"^  make site +\S", done.stdout, re.MULTILINE)


@pytest.fixture
def fresh_makefile(tmp_path: Path) -> Path:
    """The Makefile in a folder of its own, where nothing is installed yet."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_make_names_the_python_it_needs(fresh_makefile: Path):
    old = fresh_makefile / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.1" && exit 0\nexit 1\n')
    old.chmod(0o755)

    done = make("site", f"PYTHON={old}", cwd=fresh_makefile)

    assert done.returncode != 0
    assert "sitegen needs Python 3.11 or newer" in done.stderr
    assert "Python 3.8.1" in done.stderr
    assert "hint: name another one" in done.stderr


def pretend_installed(folder: Path, *, stale: bool) -> Path:
    """Every layer has its stamp; `sitegen` and pip only write down how they were called. Gives that record."""
    calls = folder / "calls"
    bin_folder = folder / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    for name, exit_code in (("sitegen", f'[ "$1" != runs ] || exit {int(stale)}'), ("python", "exit 0")):
        (bin_folder / name).write_text(f'#!/bin/sh\necho {name} "$@" >>"{calls}"\n{exit_code}\n')
        (bin_folder / name).chmod(0o755)
    for layer in ("made", "light", "train", "dev"):
        (folder / ".venv" / f"{layer}.stamp").touch()
    return calls


@pytest.mark.parametrize("stale", [False, True])
def test_make_site_bakes_only_where_a_run_is_missing_or_stale(fresh_makefile: Path, stale: bool):
    calls = pretend_installed(fresh_makefile, stale=stale)

    done = make("-j4", "site", cwd=fresh_makefile)

    assert done.returncode == 0, done.stderr
    train = ["sitegen train"] if stale else []
    assert calls.read_text().splitlines() == ["sitegen runs --stale", *train, "sitegen build"]


def test_a_changed_pyproject_is_installed_anew(fresh_makefile: Path):
    calls = pretend_installed(fresh_makefile, stale=False)
    a_minute_ago = (fresh_makefile / "pyproject.toml").stat().st_mtime - 60
    os.utime(fresh_makefile / ".venv" / "light.stamp", (a_minute_ago, a_minute_ago))

    make("site", cwd=fresh_makefile)
    make("site", cwd=fresh_makefile)

    installs = [line for line in calls.read_text().splitlines() if line.startswith("python -m pip")]
    assert len(installs) == 1
    assert installs[0].endswith("install --editable .")


def test_make_says_how_to_get_a_missing_browser(fresh_makefile: Path):
    done = make("chromium", "CHROMIUM=/nowhere/chromium", cwd=fresh_makefile)

    assert done.returncode != 0
    assert "the browser tests need Chromium, and /nowhere/chromium is not there" in done.stderr
    assert "hint: " in done.stderr


def test_every_workflow_action_is_pinned_to_a_version_and_pages_installs_no_torch():
    workflows = {path.stem: path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}

    assert sorted(workflows) == ["ci", "pages"]
    for text in workflows.values():
        assert all(re.search(r"@v\d+$", use) for use in re.findall(r"uses: (\S+)", text))
    assert "[train]" not in workflows["pages"]
    assert "[dev]" not in workflows["pages"]
    assert "make" not in re.findall(r"run: (\w+)", workflows["pages"])
