"""The command line: exit codes, words, and no traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from toy_site import PACE, RUN, WALK, command, sitegen, toy_site, write_module

from sitegen.build import BuildReport
from sitegen.cli import main
from sitegen.errors import CheckError, ContentError, Findings, RunError
from sitegen.schema import CHECKS, Location


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A toy site, which is the current folder."""
    site = toy_site(tmp_path, walk=WALK, pace=PACE, run=RUN)
    monkeypatch.chdir(site)
    return site


# ------------------------------------------------------------------------------------------------ which site


def test_the_site_is_the_nearest_one_around(site: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(site / "models" / "toy")

    assert "walk" in call("runs").stdout


def test_outside_of_any_site_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    outside, wrong = call("runs"), call("runs", "--site", "nowhere")

    assert (outside.exit_code, wrong.exit_code) == (2, 2)
    assert "is in no site: no folder from here upwards has content/site.toml" in outside.stderr
    assert "nowhere is no site: it has no content/site.toml" in wrong.stderr


# ------------------------------------------------------------------------------------------------------ help


@pytest.mark.parametrize("group", [(), ("new",)])
def test_help_says_in_full_what_each_command_does(group: tuple[str, ...]):
    listed = call(*group, "--help").stdout.partition("Commands:\n")[2].splitlines()

    assert len(listed) > 2
    assert [line for line in listed if not line.endswith(".") or line.endswith("..")] == []


# ---------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (TypeError("a\n b"), 1, "internal error: TypeError: a b\n  hint: SITEGEN_TRACEBACK=1 sitegen … shows where\n"),
        (AssertionError(), 1, "internal error: AssertionError\n  hint: SITEGEN_TRACEBACK=1 sitegen … shows where\n"),
        (KeyboardInterrupt(), 130, "stopped; what was there before is as it was\n"),
    ],
)
def test_what_no_one_expected_is_one_line(site: Path, monkeypatch: pytest.MonkeyPatch, error, code, said):
    def broken(*args, **kwargs):
        raise error

    monkeypatch.setattr("sitegen.build.build", broken)
    told = call("build")
    monkeypatch.setenv("SITEGEN_TRACEBACK", "1")
    shown = call("build")

    assert (told.exit_code, told.stderr) == (code, said)
    assert shown.exception is error or code == 130


def test_too_deep_a_nesting_is_told_as_such(site: Path, monkeypatch: pytest.MonkeyPatch):
    def deep(*args, **kwargs):
        deep()

    monkeypatch.setattr("sitegen.build.build", deep)

    assert "RecursionError: something is nested too deeply" in call("build").stderr


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_stop_while_a_command_is_imported_is_one_line(site: Path, monkeypatch: pytest.MonkeyPatch, wrapped: bool):
    class Stop:
        def find_spec(self, name, path=None, target=None):
            if name == "sitegen.overview":
                if wrapped:
                    raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "sitegen.overview", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Stop(), *sys.meta_path])
    told = call("runs")

    assert (told.exit_code, told.stderr) == (130, "stopped; what was there before is as it was\n")


def test_all_errors_come_at_once_with_places_and_hints(site: Path, monkeypatch: pytest.MonkeyPatch):
    errors = [
        ContentError("unknown run", at=Location("content/b.md", 2), hint="did you mean 'walk'?"),
        ContentError("no title", at=Location("content/a.md", 9)),
    ]

    def broken(*args, **kwargs):
        raise Findings(errors)

    monkeypatch.setattr("sitegen.build.build", broken)

    done = call("build")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "content/a.md:9: no title\ncontent/b.md:2: unknown run\n  hint: did you mean 'walk'?\n2 things to mend\n"
    )


def test_a_program_gets_one_document_with_every_error_by_its_place(site: Path, monkeypatch: pytest.MonkeyPatch):
    errors = [
        ContentError("unknown run", at=Location("content/b.md", 2), hint="did you mean 'walk'?"),
        RunError("not baked"),
    ]

    def broken(*args, **kwargs):
        raise Findings(errors)

    monkeypatch.setattr("sitegen.build.build", broken)

    done = call("build", "--format", "json")

    assert (done.exit_code, done.stderr) == (1, "")
    assert json.loads(done.stdout) == {
        "command": "build",
        "ok": False,
        "errors": [
            {"kind": "RunError", "path": None, "line": None, "message": "not baked", "hint": None},
            {"kind": "ContentError", "path": "content/b.md", "line": 2, "message": "unknown run",
             "hint": "did you mean 'walk'?"},
        ],
    }  # fmt: skip


def test_each_command_that_finds_something_tells_programs_what_it_did(site: Path, monkeypatch: pytest.MonkeyPatch):
    told = BuildReport(Path("out"), 2, 1, 3, 400, (RunError("stale", at=Location("build/runs/walk/run.json")),))
    monkeypatch.setattr("sitegen.build.build", lambda *_, **__: told)

    trained = json.loads(call("train", "--run", "walk", "--format", "json").stdout)
    built = json.loads(call("build", "--format", "json").stdout)
    verified = call("verify", "--run", "walk", "--check", "files", "--format", "json")
    unreadable = call("train", "--run", "wlk", "--format", "json")

    assert trained == {"command": "train", "ok": True, "errors": [], "warnings": [], "baked": ["walk"]}
    assert built == {
        "command": "build", "ok": True, "errors": [], "out": "out", "pages": 2, "figures": 1, "files": 3, "bytes": 400,
        "warnings": [{"kind": "RunError", "path": "build/runs/walk/run.json", "line": None, "message": "stale",
                      "hint": None}],
    }  # fmt: skip
    assert (json.loads(verified.stdout)["passed"], verified.exit_code) == (["walk"], 0)
    assert (unreadable.exit_code, unreadable.stdout) == (2, "")  # a word that was not understood is told to a person


def test_github_gets_each_error_at_the_line_of_its_file(site: Path, monkeypatch: pytest.MonkeyPatch):
    errors = [
        ContentError("half: 50 %", at=Location("content/a, b.md", 2), hint="all of it"),
        CheckError("too large", at=Location("index.html")),
        RunError("not baked"),
    ]
    warnings = (RunError("stale", at=Location("build/runs/walk/run.json")),)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(site.parent))
    monkeypatch.setattr("sitegen.build.build", lambda *_, **__: BuildReport(Path("out"), 2, 1, 3, 400, warnings))

    warned = call("build", "--quiet").stderr

    def broken(*args, **kwargs):
        raise Findings(errors)

    monkeypatch.setattr("sitegen.build.build", broken)
    told = [line for line in call("build").stderr.splitlines() if line.startswith("::")]

    assert warned == f"::warning file={site.name}/build/runs/walk/run.json,line=1,title=RunError::stale\n"
    assert told == [
        "::error title=RunError::not baked",
        f"::error file={site.name}/content/a%2C b.md,line=2,title=ContentError::half: 50 %25%0Ahint: all of it",
        f"::error file={site.name}/index.html,line=1,title=CheckError::too large",
    ]


def test_a_file_that_cannot_be_written_is_no_traceback(site: Path):
    (site / "build").write_text("in the way", encoding="utf-8")

    done = call("train")

    assert done.exit_code == 1
    assert done.stderr == (
        "build/runs: Not a directory\n  hint: something else is where a folder must be: move it away\n"
    )


def test_a_broken_recipe_is_told_where_it_stands(site: Path):
    write_module(site, "walk", WALK.replace("act=1", "act=ACT"))

    for name in ("train", "runs"):
        done = call(name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith("models/toy/walk.py:7: ACT is not a literal\n  hint: ")
        assert done.stderr.endswith("1 thing to mend\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "--run", "wlak"], "no recipe bakes a run called 'wlak'\n  hint: did you mean 'walk'?"),
        (["train", "--chapter", "first"], "no recipe of chapter 'first'\n  hint: did you mean 'first-steps'?"),
        (["train", "--act", "9"], "no recipe of act 9\n  hint: acts with recipes: 1, 2"),
        (["train", "--act", "one"], "'one' is not a valid integer"),
        (["train", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["runs", "--why", "wlak"], "no run is called 'wlak'\n  hint: did you mean 'walk'?"),
        (["trian"], "No such command 'trian'"),
    ],
)
def test_wrong_usage_exits_2_and_names_what_is_near(site: Path, arguments: list[str], words: str):
    done = call(*arguments)

    assert done.exit_code == 2
    assert words in done.stderr


# -------------------------------------------------------------------------------------------- train and runs


def test_a_training_and_the_table_of_runs(site: Path):
    trained = sitegen("train", "--act", "1", cwd=site)
    listed, stale, why = call("runs"), call("runs", "--stale"), call("runs", "--why", "after")

    assert (trained.returncode, trained.stdout) == (0, "")
    assert trained.stderr.splitlines()[0] == "walk: loads PyTorch, then bakes"
    assert trained.stderr.splitlines()[-1] == "walk: baked"
    assert (listed.exit_code, stale.exit_code, why.exit_code) == (0, 1, 0)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["run", "walk", "after"]
    assert [line.split()[0] for line in stale.stdout.splitlines()] == ["run", "after"]
    assert why.stdout == "after is missing:\n  it was never baked\n"


def test_quiet_trains_without_a_word(site: Path):
    done = sitegen("train", "--quiet", cwd=site)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    fresh = call("runs", "--stale")
    assert (fresh.exit_code, fresh.stdout) == (0, "all runs are fresh\n")
    assert call("runs", "--why", "walk").stdout == "walk is fresh\n"


def test_why_names_the_constant_that_changed(site: Path):
    sitegen("train", "--quiet", "--act", "1", cwd=site)
    path = site / "models/toy/pace.py"
    path.write_text(path.read_text(encoding="utf-8").replace("0.1", "0.2"), encoding="utf-8")

    assert call("runs", "--why", "walk").stdout == "walk is stale:\n  module models.toy.pace changed: PACE\n"


def test_a_closed_pipe_is_no_traceback(site: Path):
    with subprocess.Popen(command("runs"), cwd=site, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        told = process.stderr.read()

    assert b"Traceback" not in told


# --------------------------------------------------------------------------------- build, serve and check


def test_build_says_what_it_built_unless_quiet(site: Path, monkeypatch: pytest.MonkeyPatch):
    calls = []

    def built(folder: Path, **options: object) -> BuildReport:
        calls.append((folder, options))
        return BuildReport(Path("out"), 2, 1, 3, 2048, ())

    monkeypatch.setattr("sitegen.build.build", built)

    loud, quiet = call("build", "--out", "there"), call("build", "--strict", "--quiet")

    assert (loud.stdout, quiet.stdout) == ("2 pages, 1 figure, 3 files, 2 KB in out\n", "")
    assert calls == [
        (site, {"out": Path("there"), "strict": False, "url": ""}),
        (site, {"out": None, "strict": True, "url": ""}),
    ]


@pytest.mark.parametrize(
    "url",
    ["example.org/lessons", "https://x.y/z?q", "https://x.y/z#f", "https://x.y?q", "https://x.y/<b>", "https:///x"],
)
def test_an_address_of_the_site_that_is_none_is_a_matter_of_usage(site: Path, url: str):
    done = call("build", "--url", url)

    assert done.exit_code == 2
    assert f"{url!r} is no address of a site\n  hint: --url https://host/path/" in done.stderr


def test_serve_passes_on_where_and_how_to_serve(site: Path, monkeypatch: pytest.MonkeyPatch):
    calls = []

    def served(folder: Path, *, port: int, prefix: str, open_page: bool, report) -> None:
        calls.append((folder, port, prefix, open_page))
        report("serving")

    monkeypatch.setattr("sitegen.serve.serve", served)

    assert call("serve").stdout == "serving\n"
    for prefix in ("repo", "/repo", "/repo/"):
        assert call("serve", "--port", "0", "--prefix", prefix, "--open").exit_code == 0
    assert calls == [(site, 8000, "", False), *[(site, 0, "/repo/", True)] * 3]


@pytest.mark.parametrize("prefix", ["a b", "/a/../b/", "./a"])
def test_a_prefix_that_is_no_path_is_a_matter_of_usage(site: Path, prefix: str):
    done = call("serve", "--prefix", prefix)

    assert done.exit_code == 2
    assert "that is no path\n  hint: --prefix /repo/" in done.stderr


def test_the_help_of_verify_lists_all_checks():
    from sitegen.cli.baking import NAMES

    assert re.split(", | and ", NAMES) == [*CHECKS]


def test_an_interrupt_while_the_command_line_is_loaded_says_nothing_and_is_130(tmp_path: Path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", "utf-8")
    call = [sys.executable, "-c", "from sitegen.cli import main; main()", "--help"]

    done = subprocess.run(call, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupt_is_one_line_and_130(site: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("sitegen.build.build", interrupted)

    done = call("build")

    assert (done.exit_code, done.stderr) == (130, "stopped; what was there before is as it was\n")


def test_check_tells_its_findings_and_exits_1(site: Path, monkeypatch: pytest.MonkeyPatch):
    from sitegen.build import Inspection
    from sitegen.check import Measurements

    clean = Inspection((), (), Measurements(measured=8, cited=1, given=2, findings=()))
    finding = ContentError("unused", at=Location("content/a.md", 1))
    monkeypatch.setattr("sitegen.build.inspect", lambda folder: clean)
    well = call("check")
    monkeypatch.setattr("sitegen.build.inspect", lambda folder: Inspection((finding,), (), clean.measurements))
    unwell = call("check")

    assert (well.exit_code, well.stdout) == (
        0,
        "0 sizes: all within budget, 0 above 90% of it\nnumbers: 8 from runs, 1 cited, 2 given, 0 hand-typed numbers\n",
    )
    assert (unwell.exit_code, unwell.stderr) == (1, "content/a.md:1: unused\n1 thing to mend\n")


def test_check_lists_sizes_near_their_budget_and_verbosely_all(site: Path, monkeypatch: pytest.MonkeyPatch):
    from sitegen.build import Inspection
    from sitegen.check import Measurements, Size

    sizes = (Size("css", "site.css", 11_500), Size("elements", "a#a1", 20), Size("elements", "a#a2", 1501))
    found = Inspection((), sizes, Measurements(measured=8, cited=1, given=2, findings=()))
    monkeypatch.setattr("sitegen.build.inspect", lambda folder: found)

    short, verbose = (call(*arguments).stdout.splitlines() for arguments in (["check"], ["check", "--verbose"]))

    assert [line.split()[-1] for line in short[:-2]] == ["site.css", "a#a2"]
    assert [line.split()[-1] for line in verbose[:-2]] == ["site.css", "a#a1", "a#a2"]
    assert short[-2] == verbose[-2] == "3 sizes: 1 over budget, 1 above 90% of it"
