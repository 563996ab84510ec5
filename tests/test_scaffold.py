"""What is begun builds as it is, replaces nothing, and is there whole or not at all."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sitegen import build, scaffold
from sitegen.cli import main
from sitegen.content import read
from sitegen.errors import ScaffoldError
from sitegen.overview import overview
from sitegen.scaffold import names
from sitegen.scaffold.writing import write_new


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def new_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("begun") / "lesson"
    scaffold.init(folder)
    return folder


@pytest.fixture
def lesson(new_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site as `sitegen init` makes it, which is the current folder."""
    folder = tmp_path / "lesson"
    shutil.copytree(new_site, folder)
    monkeypatch.chdir(folder)
    return folder


# --------------------------------------------------------------------------------------------------- a new site


def test_a_new_site_is_strictly_built_checked_and_its_run_fresh(lesson: Path):
    done = call("check")

    assert "4 pages, 1 figure" in call("build", "--strict").stdout
    assert (done.exit_code, done.stderr) == (0, "")
    assert "0 hand-typed numbers" in done.stdout
    assert [(row.run, row.state) for row in overview(lesson)] == [("fit-line", "fresh")]


def test_a_new_site_names_the_version_that_made_it_and_carries_nothing_that_was_rendered(lesson: Path):
    from sitegen import __version__

    files = tree(lesson)

    assert f"./wheels/sitegen-{__version__}-py3-none-any.whl" in files["requirements.txt"].decode()
    assert {name for name in files if name.startswith("build/")} == {
        *(f"build/runs/fit-line/{name}" for name in ("run.json", "weights.bin", "fall.png", "timings.json")),
        "build/runs/fit-line/definitions.json",
        "build/runs/verification.json",
    }
    assert {".gitignore", ".github/workflows/pages.yml", "Makefile", "README.md"} <= files.keys()


def test_a_new_site_is_published_by_the_same_actions_as_this_one(lesson: Path):
    here, there = (
        (folder / ".github" / "workflows" / "pages.yml").read_text("utf-8")
        for folder in (Path(__file__).resolve().parent.parent, lesson)
    )

    assert re.findall(r"uses: (\S+)", there) == re.findall(r"uses: (\S+)", here)
    assert "sitegen build --strict --url" in there


@pytest.mark.parametrize(
    "name",
    [
        "new",
        "in/a/deep/place",
        "with spaces",
        "Schön und 注意",
        "-dash",
        "semi;colon$HOME",
        "no \udcff'text",
        "two\nlines",
    ],
)
def test_a_site_begins_in_any_new_folder_and_the_way_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.chdir(tmp_path)

    done = call("init", "--", name)

    assert done.exit_code == 0, done.stderr
    assert read(tmp_path / name).title == "Small fits"
    (way,) = re.findall(r"^  cd .*", done.stdout, re.MULTILINE)
    there = subprocess.run(["bash", "-c", f"{way}; pwd"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert there == os.fsencode(tmp_path / name) + b"\n"


def test_a_site_begins_in_the_current_folder_where_only_hidden_things_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    done = call("init", ".")

    assert done.exit_code == 0, done.stderr
    assert "  cd " not in done.stdout
    assert (tmp_path / "content" / "site.toml").is_file()


def test_a_site_begins_nowhere_where_something_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("full", "hidden", "site/content"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("file", "full/b.txt", "full/a.txt", "hidden/.gitignore", "site/content/site.toml"):
        (tmp_path / name).touch()
    (tmp_path / "nowhere").symlink_to("not there")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    said = {name: call("init", name) for name in ("file", "nowhere", "file/in", "full", "hidden", "site", "site/sub")}

    assert {name: (done.exit_code, done.stderr) for name, done in said.items()} == {
        "file": (1, "file: is a file, and a site is a folder\n  hint: choose a folder that is new or empty\n"),
        "nowhere": (1, "nowhere: is a file, and a site is a folder\n  hint: choose a folder that is new or empty\n"),
        "file/in": (1, "file/in: cannot be written: Not a directory\n  hint: choose a folder that you may write to\n"),
        "full": (1, "full: is not empty: it has a.txt, b.txt\n  hint: choose a folder that is new or empty\n"),
        "hidden": (1, "hidden: is not empty: it has .gitignore\n  hint: choose a folder that is new or empty\n"),
        "site": (1, "site: is a site already\n  hint: sitegen new adds chapters, acts and runs to it\n"),
        "site/sub": (
            1,
            f"site/sub: lies inside of another site, {tmp_path}/site\n"
            f"  hint: choose a folder beside it: {tmp_path}/sub\n",
        ),
    }
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_read_only_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(path: Path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)  # root may write anywhere

    with pytest.raises(ScaffoldError) as caught:
        scaffold.init(tmp_path / "lesson")

    assert str(caught.value) == (
        f"{tmp_path}/lesson: cannot be written: Permission denied\n  hint: choose a folder that you may write to"
    )


@pytest.mark.parametrize(
    "stopped", [KeyboardInterrupt(), PermissionError(13, "Permission denied"), OSError(28, "No space left on device")]
)
def test_what_is_stopped_half_way_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: BaseException
):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / ".git").touch()
    opened, count = Path.open, 0

    def stops(path: Path, mode: str = "r", *arguments, **options):
        nonlocal count
        count += mode == "xb"
        if count == 9:
            raise stopped
        return opened(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", stops)
    with pytest.raises((KeyboardInterrupt, ScaffoldError)):
        scaffold.init(tmp_path / "kept")

    assert [path.name for path in tmp_path.rglob("*")] == ["kept", ".git"]


def test_a_file_that_is_there_stays_and_what_was_written_before_it_goes(tmp_path: Path):
    (tmp_path / "b").write_text("mine", encoding="utf-8")

    with pytest.raises(ScaffoldError, match="there is one already, and it stays as it is"):
        write_new(tmp_path, {"a/a": b"1", "b": b"2"})

    assert tree(tmp_path) == {"b": b"mine"}
    assert not (tmp_path / "a").exists()


def test_what_someone_else_writes_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    moved = shutil.move

    def meanwhile(staged: Path, target: Path):
        moved(staged, target)
        (tmp_path / "a" / "theirs").touch()
        (tmp_path / "b").write_text("theirs", encoding="utf-8")

    monkeypatch.setattr(shutil, "move", meanwhile)
    with pytest.raises(ScaffoldError, match=r"^b: there is one already"):
        write_new(tmp_path, {"a/1": b"1", "a/in/2": b"2", "b": b"3"})

    assert tree(tmp_path) == {"a/theirs": b"", "b": b"theirs"}
    assert not (tmp_path / "a" / "in").exists()


# `init` in a process for each folder, which dies at a step: before a file is written, before or after a move.
DIES = """
import os, shutil, sys
from pathlib import Path
from sitegen import scaffold

def step():
    global left
    left -= 1
    if left < 0:
        os._exit(9)

def opened(path, mode="r", *rest, open=Path.open, **named):
    if mode == "xb":
        step()
    return open(path, mode, *rest, **named)

def moved(*paths, move=shutil.move):
    step()
    move(*paths)
    step()

Path.open, shutil.move = opened, moved
for folder in sys.argv[1:]:
    left = int(Path(folder).name)
    if pid := os.fork():
        os.waitpid(pid, 0)
    else:
        scaffold.init(Path(folder))
        os._exit(0)
"""


@pytest.mark.parametrize("there", [False, True])
def test_whenever_init_is_killed_there_is_a_whole_site_or_the_next_one_makes_it(
    tmp_path: Path, new_site: Path, there: bool
):
    def seen(folder: Path) -> dict[str, bytes]:
        return {name: data for name, data in tree(folder).items() if not name.startswith(".sitegen-new-")}

    whole = tree(new_site)
    folders = [tmp_path / str(steps) for steps in (0, len(whole) - 1, *range(len(whole), len(whole) + 24))]
    for folder in folders if there else ():
        folder.mkdir()
        (folder / ".venv").mkdir()

    subprocess.run([sys.executable, "-c", DIES, *map(str, folders)], check=True)
    begun = {folder.name: seen(folder) for folder in folders if (folder / "content" / "site.toml").exists()}
    for folder in folders:
        if folder.name not in begun:
            scaffold.init(folder)

    assert 0 < len(begun) < len(folders)
    assert [name for name, files in begun.items() if files != whole] == []
    assert [folder for folder in folders if seen(folder) != whole] == []
    assert not list(tmp_path.glob(".*"))


# ------------------------------------------------------------------------------------------------- parts of one


def test_a_new_chapter_and_a_new_act_build_as_they_are(lesson: Path):
    said = [
        call("new", "chapter", "second-steps", "--title", 'Two "and" <run> \\ more'),
        call("new", "act", "turning", "--title", "Grüße"),
        call("new", "act", "turning", "--chapter", "lines"),
        call("new", "act", "seen-again", "--run", "fit-line"),
    ]
    site = read(lesson)

    assert [done.stdout.splitlines()[0] for done in said] == [
        "wrote content/02-second-steps/chapter.toml",
        "wrote content/02-second-steps/01-turning.md",
        "wrote content/01-lines/02-turning.md",
        "wrote content/02-second-steps/02-seen-again.md",
    ]
    assert [(chapter.title, [act.title for act in chapter.acts]) for chapter in site.chapters] == [
        ("Lines", ["Down the slope", "Turning"]),
        ('Two "and" <run> \\ more', ["Grüße", "Seen again"]),
    ]
    assert build.inspect(lesson).findings == ()
    assert "5 pages, 2 figures" in call("build").stdout


def test_an_act_that_shows_a_run_names_a_picture_and_a_number_of_it(lesson: Path):
    scaffold.new_act(lesson, "again", run="fit-line")

    text = (lesson / "content" / "01-lines" / "02-again.md").read_text("utf-8")

    assert 'run = "fit-line"\nstill = "fall"\nalt = "The line turns from flat to steep until' in text
    assert "{run}`fit-line.metrics.best_slope:.3f`" in text


def test_a_new_run_is_a_recipe_of_the_last_act_or_the_one_that_is_named(lesson: Path):
    scaffold.new_run(lesson, "wave")
    scaffold.new_run(lesson, "other-wave", act=3)

    found = {row.run: (row.act, row.state) for row in overview(lesson)}

    assert found == {"fit-line": (1, "fresh"), "wave": (1, "missing"), "other-wave": (3, "missing")}
    assert (lesson / "models" / "lines" / "other_wave.py").is_file()


def test_a_new_act_comes_behind_the_last_act_or_behind_everything(lesson: Path):
    folder = lesson / "content" / "01-lines"
    (folder / "07-end.md").write_text('+++\nkind = "section"\ntitle = "End"\n+++\nDone.\n', encoding="utf-8")
    between = scaffold.new_act(lesson, "two")
    (folder / "03-kept.md").write_text('+++\nkind = "section"\ntitle = "Kept"\n+++\nKept.\n', encoding="utf-8")
    behind = scaffold.new_act(lesson, "eight")
    (folder / "08-eight.md").rename(folder / "99-eight.md")

    assert (*between, *behind) == ("content/01-lines/02-two.md", "content/01-lines/08-eight.md")
    with pytest.raises(ScaffoldError, match="no file name is left behind 99"):
        scaffold.new_act(lesson, "more")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("act turning --chapter line", 1, "no chapter is called 'line'\n  hint: did you mean 'lines'?\n"),
        (
            "act turning --run fitline",
            1,
            "run 'fitline' is not baked\n  hint: sitegen train --run fitline bakes it; did",
        ),
        ("act descent", 1, "content/01-lines/01-descent.md:1: this part has the name 'descent' already\n  hint: "),
        ("act turning --title ' '", 1, "the title is empty\n  hint: leave --title out"),
        ("act turning --title 'a\nb'", 1, "the title 'a\\nb' has a control character\n  hint: a title is one line"),
        ("run fit-line", 1, "models/lines/descent.py:37: this recipe bakes a run called 'fit-line' already\n  hint: "),
        ("run descent", 1, "models/lines/descent.py: there is one already, and it stays as it is\n"),
        ("run while", 1, "'while' is a word of Python and can be no module\n  hint: while-run, perhaps\n"),
        ("run wave --act 0", 2, "Invalid value for '--act': 0 is not in the range"),
        ("chapter lines", 1, "content/01-lines/chapter.toml:1: this chapter has the name 'lines' already\n  hint: "),
        ("chapter verification", 1, "content/pages/verification.md:1: a page has the address 'verification' already"),
        ("chapter assets", 1, "the site's own files have the address 'assets'\n  hint: choose another name"),
        ("chapter import", 1, "'import' is a word of Python and can be no module\n  hint: import-chapter, perhaps\n"),
        ("run 1a", 2, "joined by hyphens\n  hint: a, perhaps\n"),
        ("run 注意", 2, "joined by hyphens\n  hint: such as first-steps\n"),
        (
            "chapter Über/Mut",
            2,
            "Invalid value for 'NAME': 'Über/Mut' is no name: lower-case words of a-z and 0-9, joined",
        ),
        ("act", 2, "Missing argument 'NAME'"),
    ],
)
def test_what_cannot_be_begun_is_told_with_a_way_out_and_nothing_is_written(
    lesson: Path, arguments: str, code: int, words: str
):
    before = tree(lesson)

    done = call("new", *shlex.split(arguments))

    assert (done.exit_code, done.stdout) == (code, "")
    assert words in done.stderr.replace(f"{lesson}/", "")
    assert tree(lesson) == before


def test_a_site_without_chapters_or_models_says_what_comes_first(lesson: Path):
    chapter = lesson / "content" / "01-lines" / "chapter.toml"
    chapter.write_text(chapter.read_text("utf-8").replace('models = "lines"\n', ""), encoding="utf-8")

    without_models = call("new", "run", "wave")
    shutil.rmtree(chapter.parent)
    without_chapters = call("new", "act", "turning")

    assert without_models.stderr == (
        'content/01-lines/chapter.toml:1: this chapter has no models\n  hint: write models = "lines" in it\n'
    )
    assert without_chapters.stderr == (
        "content: the site has no chapter\n  hint: begin one: sitegen new chapter first-steps\n"
    )


# ------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["a", "first-steps", "x2", "a" * 60])
def test_words_joined_by_hyphens_are_a_name(name: str):
    assert names.checked(name) == name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("First Steps", "first-steps, perhaps; --title has room for any words"),
        ("../../etc/passwd", "etc-passwd, perhaps; --title has room for any words"),
        ("3 Bäume.md", "baume-md, perhaps; --title has room for any words"),
        ("long " * 40, f"{'long-' * 11}long, perhaps; --title has room for any words"),
        ("注意力", "such as first-steps; --title has room for any words"),
        ("", "such as first-steps; --title has room for any words"),
        ("a\n", "a, perhaps; --title has room for any words"),
    ],
)
def test_what_is_no_name_comes_with_one_that_is(name: str, hint: str):
    with pytest.raises(ScaffoldError, match="is no name") as caught:
        names.checked(name)

    assert caught.value.hint == hint


@pytest.mark.parametrize("title", ['"', "\\", "\\n", "€ 注", "a\u2028b", "'''"])
def test_a_title_is_kept_as_it_is(title: str):
    assert tomllib.loads(f"title = {names.in_toml(title)}") == {"title": title}


# ------------------------------------------------------------------------------------------------------ the README


def test_what_the_readme_shows_of_a_new_site_stands_in_it(lesson: Path):
    fence = r"^\*\*`([^`]+)`\*\*\n+(`{3,})\w*\n(.*?)^\2$"
    readme = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")

    shown = {path: text for path, _, text in re.findall(fence, readme, re.MULTILINE | re.DOTALL)}

    assert shown["content/01-lines/01-descent.md"] == (lesson / "content/01-lines/01-descent.md").read_text("utf-8")
    assert shown.keys() == {"content/01-lines/01-descent.md", "models/lines/descent.py"}
    assert (lesson / "models/lines/descent.py").read_text("utf-8").endswith(shown["models/lines/descent.py"])
