"""What has become of the runs since a git revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from toy_site import PACE, RUN, WALK, sitegen, toy_site, write_module

from sitegen.errors import RunError
from sitegen.history import changes
from sitegen.train import train


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site in a folder of a repository, with its runs committed."""
    folder = toy_site(tmp_path / "lessons", walk=WALK, pace=PACE, run=RUN)
    train(folder, report=lambda event: None)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return folder


def test_what_is_the_same_changed_and_new_is_told_in_numbers(site: Path):
    write_module(site, "pace", "PACE = 0.2\n")
    write_module(site, "other", 'from sitegen.recipes import recipe\n@recipe("other", act=1, seed=0)\ndef f(bake): ...')
    train(site, report=lambda event: None)

    after, other, walk = changes(site, "HEAD")

    assert (after.state, other.state, walk.state) == ("changed", "new", "changed")
    height, top = walk.differences[:2]
    assert (height.field, height.before, height.after) == ("series.height[step=0]", 3.1, 3.2)
    assert (top.field, top.before, top.after) == ("metrics.top", pytest.approx(3.4), pytest.approx(3.8))


def test_nothing_changed_is_told_in_one_line(site: Path):
    done = sitegen("runs", "--diff", "HEAD", cwd=site)

    assert (done.returncode, done.stdout) == (0, "2 of 2 runs are the same\n")


def test_a_run_that_is_gone_is_told(site: Path):
    for path in sorted((site / "build/runs/after").iterdir()):
        path.unlink()
    (site / "build/runs/after").rmdir()

    assert [(each.run, each.state) for each in changes(site, "HEAD")] == [("after", "gone"), ("walk", "same")]


def test_an_unknown_revision_says_how_to_name_one(site: Path):
    with pytest.raises(RunError, match=r"git knows no revision 'nowhere'\n.*sitegen runs --diff main"):
        changes(site, "nowhere")


def test_a_site_that_git_does_not_keep_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(RunError) as told:
        changes(tmp_path, "main")

    assert told.value.message == "this site is in no git repository, and runs can only be compared with what git keeps"
