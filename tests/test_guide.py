"""The guide is true: its commands lead from an empty folder with the wheel in it to a lesson that can be published."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "content" / "pages" / "guide.md"

pytestmark = pytest.mark.bake


def commands() -> list[str]:
    """Every line of every block of shell."""
    blocks = re.findall(r"^```bash\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


class Shell:
    """A terminal in an empty folder: it goes where `cd` leads, and `activate` puts an environment first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")}
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        author = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        # what pip is asked for is here already, so it needs no index
        self.environment = {
            **kept,
            **author,
            "PATH": path,
            "HOME": str(folder),
            "PIP_NO_INDEX": "1",
            "OMP_NUM_THREADS": "1",
        }

    def say(self, command: str) -> str:
        words = command.split()
        if words[0] == "cd":
            self.folder /= words[1]
            return ""
        if command == ". .venv/bin/activate":
            self.environment["PATH"] = f"{self.folder}/.venv/bin:{self.environment['PATH']}"
            self._lend_what_is_installed()
            return ""
        return self._until_ctrl_c(command) if words[:2] == ["sitegen", "serve"] else self._run(command)

    def _lend_what_is_installed(self) -> None:
        """The new environment sees the packages of this one behind its own, so that nothing is fetched."""
        (packages,) = self.folder.glob(".venv/lib/python*/site-packages")
        for old in packages.glob("setuptools*"):  # which Python 3.11 puts there, too old for what is lent
            shutil.rmtree(old)
        (packages / "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")

    def _run(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command} said:\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def _until_ctrl_c(self, command: str) -> str:
        """Starts it, waits for the address, and stops it."""
        with subprocess.Popen(
            ["bash", "-c", f"exec {command} --port 0"], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as served:  # fmt: skip
            told = ""
            while "http://" not in told:
                line = served.stdout.readline()
                assert line, f"{command} said:\n{told}"
                told += line
            served.send_signal(signal.SIGINT)
            told += served.stdout.read()
        assert "Traceback" not in told
        return told


def test_each_command_of_the_guide_works_from_an_empty_folder(tmp_path: Path):
    wheel = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(wheel, cwd=ROOT, check=True, capture_output=True)
    shell = Shell(tmp_path)

    said = {command: shell.say(command) for command in commands()}

    lesson = tmp_path / "my-lesson"
    assert shell.folder == lesson
    assert "http://127.0.0.1:" in said["sitegen serve"]
    assert "1 of 1 run verified" in said["sitegen verify --run wave --record"]
    recorded = json.loads((lesson / "build" / "runs" / "verification.json").read_text("utf-8"))
    assert list(recorded["runs"]) == ["fit-line", "wave"]
    page = (lesson / "build" / "site" / "lines" / "index.html").read_text("utf-8")
    loss = json.loads((lesson / "build" / "runs" / "wave" / "run.json").read_text("utf-8"))["metrics"]["loss"]["value"]
    assert f">{loss:.3f}</" in page
    # the run that came with it is what its code bakes here
    assert "1 of 1 run passed" in shell.say("sitegen verify --run fit-line --check rebake")
    assert "1 passed" in shell.say("python -m pytest tests/test_runs.py")
    # and what the workflow and the Makefile of the lesson need is there
    wheels = re.findall(r"^\./(wheels/.+)$", (lesson / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    assert [path.relative_to(lesson).as_posix() for path in lesson.glob("wheels/*")] == wheels
    assert "sitegen build" in shell.say("make site")
    assert shell.say("git status --porcelain") == ""
    asked = shell.say("python -c 'import sitegen; print(sitegen.__file__)'")
    assert asked.startswith(f"{tmp_path}/.venv/lib/")
