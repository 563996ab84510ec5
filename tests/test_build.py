"""From a folder to a published one: whole, the same everywhere, or not at all."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from minimal_site import copied, write_run

import sitegen
from sitegen import render, runs
from sitegen.build import build, inspect, memory, program, publish
from sitegen.build.compiled import compiled_templates
from sitegen.errors import ContentError, Findings, SitegenError
from sitegen.schema import Measure, Verification, VerifiedRun

PACKAGE = Path(sitegen.__file__).resolve().parent.parent


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def run_python(program: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        env={"PYTHONPATH": str(PACKAGE), "PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


BUILD = "from pathlib import Path; from sitegen.build import build; build(Path('.'))"


def test_a_build_says_what_it_wrote(tmp_path: Path):
    site = copied(tmp_path)

    report = build(site)

    found = tree(site / "build" / "site")
    assert (report.pages, report.figures, report.files) == (4, 2, len(found))
    assert report.bytes == sum(map(len, found.values()))
    assert report.warnings == ()
    assert str(report).startswith("4 pages, 2 figures, ")


def test_only_what_figures_replay_is_copied(tmp_path: Path):
    site = copied(tmp_path)
    other = runs.runs_folder(site) / "other"
    shutil.copytree(runs.runs_folder(site) / "line-fit", other)

    build(site)

    digest = runs.load(runs.runs_folder(site) / "line-fit").digest[:12]
    data = sorted(path.name for path in (site / "build" / "site" / "data").iterdir())
    assert data == [f"line-fit.{digest}-curve.png", f"line-fit.{digest}.bin", f"line-fit.{digest}.json"]


def test_an_image_beside_the_text_is_published_under_the_digest_of_its_content(tmp_path: Path):
    site = copied(tmp_path)
    folder = site / "content" / "01-straight-lines"
    (folder / "plot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    notes = folder / "02-notes.md"
    notes.write_text(notes.read_text() + "\n![A plot](plot.svg)\n")

    build(site)

    (name,) = (path.name for path in (site / "build" / "site" / "media").iterdir())
    assert f'<img src="../media/{name}" alt="A plot" />' in (site / "build/site/straight-lines/index.html").read_text()


def test_two_builds_give_the_same_bytes_whatever_surrounds_them(tmp_path: Path):
    first, second = copied(tmp_path / "a"), copied(tmp_path / "b" / "c")
    for path in second.rglob("*"):
        os.utime(path, (1, 1))

    one = run_python(BUILD, first, TZ="Asia/Tokyo", PYTHONHASHSEED="1", LC_ALL="C")
    two = run_python(BUILD, second, TZ="America/Lima", PYTHONHASHSEED="2", LC_ALL="C.UTF-8")

    assert (one.returncode, two.returncode) == (0, 0), one.stderr + two.stderr
    assert tree(first / "build" / "site") == tree(second / "build" / "site")


def test_a_build_names_no_path_of_this_machine(tmp_path: Path):
    site = copied(tmp_path)
    build(site)

    assert [path for path, data in tree(site / "build" / "site").items() if str(tmp_path).encode() in data] == []


def test_a_build_imports_nothing_that_bakes(tmp_path: Path):
    program = f"{BUILD}; import sys; print(*{{name.split('.')[0] for name in sys.modules}})"

    done = run_python(program, copied(tmp_path))

    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) & {"torch", "numpy", "matplotlib", "PIL"} == set()


def test_a_build_of_what_did_not_change_imports_nothing_that_reads_a_site(tmp_path: Path):
    site = copied(tmp_path)
    told = "import sys; print(*sorted(one for one in sys.modules if one.startswith('sitegen.')))"

    first, second = (run_python(f"{BUILD}; {told}", site, XDG_CACHE_HOME=str(tmp_path)).stdout.split() for _ in "12")

    assert "sitegen.content" in first
    assert second == [
        "sitegen.build",
        *(f"sitegen.build.{one}" for one in ("inputs", "last", "program", "report", "trees")),
        "sitegen.pins",
    ]


def test_a_failed_build_leaves_the_old_site(tmp_path: Path):
    site = copied(tmp_path)
    build(site)
    before = tree(site / "build")
    (site / "content" / "01-straight-lines" / "01-the-slope.md").write_text("no front matter")

    with pytest.raises(Findings):
        build(site)

    assert tree(site / "build") == before


def test_a_page_that_is_gone_leaves_no_orphan(tmp_path: Path):
    site = copied(tmp_path)
    build(site)
    (site / "content" / "pages" / "about.md").unlink()
    toml = site / "content" / "site.toml"
    toml.write_text(toml.read_text().replace("[About](/about/)", ""))

    build(site)

    assert not (site / "build" / "site" / "about").exists()


def test_a_stale_run_is_a_warning_and_strictly_an_error(tmp_path: Path):
    site = copied(tmp_path)
    write_run(site, seed=2)

    report = build(site)

    told = "run 'line-fit' is stale: seed was 2, is 1"
    assert [warning.message for warning in report.warnings] == [told]
    assert 'class="stale"' in (site / "build/site/straight-lines/index.html").read_text()
    with pytest.raises(Findings, match=told):
        build(site, strict=True)


def test_a_run_without_a_recipe_is_a_warning(tmp_path: Path):
    site = copied(tmp_path)
    shutil.rmtree(site / "models")
    for path in (site / "content").rglob("*.*"):
        text = path.read_text().replace('code = "models.lines.fit:slope"\n', "")
        path.write_text(text.replace("```{code} models.lines.fit:line_fit\n```\n", ""))

    assert [warning.message for warning in build(site).warnings] == ["no recipe bakes run 'line-fit' any more"]


def test_a_site_can_be_built_elsewhere(tmp_path: Path):
    site = copied(tmp_path)

    report = build(site, out=tmp_path / "public" / "lessons")

    assert (tmp_path / "public" / "lessons" / "index.html").is_file()
    assert report.out == tmp_path / "public" / "lessons"
    assert not (site / "build" / "site").exists()


def test_a_build_needs_no_folder_for_compiled_templates(tmp_path: Path):
    first, second = copied(tmp_path / "a"), copied(tmp_path / "b")
    (tmp_path / "file").write_text("no folder")

    kept = run_python(BUILD, first, XDG_CACHE_HOME=str(tmp_path / "cache"))
    not_kept = run_python(BUILD, second, XDG_CACHE_HOME=str(tmp_path / "file"))

    assert (kept.returncode, not_kept.returncode) == (0, 0), kept.stderr + not_kept.stderr
    assert list((tmp_path / "cache" / "sitegen" / "templates").iterdir())
    assert tree(first / "build" / "site") == tree(second / "build" / "site")


@pytest.mark.parametrize("harm", ["other words", "one bit", "cut off", "empty"])
def test_a_compiled_template_that_came_to_harm_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
):
    def rendered() -> str:
        return (
            render.environment({"a.html.j2": "Start reading"}, compiled_templates()).get_template("a.html.j2").render()
        )

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = rendered()
    (path,) = (tmp_path / "sitegen" / "templates").iterdir()
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "other words": whole.replace(b"Start reading", b"Start rexding"),
            "one bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "cut off": whole[:-9],
            "empty": b"",
        }[harm]
    )

    assert path.read_bytes() != whole
    assert (first, rendered()) == ("Start reading", "Start reading")
    assert path.read_bytes() == whole


# -------------------------------------------------------------------------------------------- killed on the way


def test_a_build_killed_while_it_writes_leaves_the_old_site_and_the_next_one_tidies_up(tmp_path: Path):
    site = tmp_path / "site"
    publish({"index.html": b"old"}, site)
    program = f"""
import os, signal
from collections.abc import Callable
from pathlib import Path
from sitegen.build import publish
class Last(bytes): pass
write = Path.write_bytes
def die(path, data):
    if path.name == "z.html":
        os.kill(os.getpid(), signal.SIGKILL)
    return write(path, data)
Path.write_bytes = die
publish({{"index.html": b"new", "z.html": b""}}, Path({str(site)!r}))
"""

    done = run_python(program, tmp_path)

    assert done.returncode == -signal.SIGKILL
    assert tree(site) == {"index.html": b"old"}
    assert len(list(tmp_path.glob(".tmp-new-site-*"))) == 1
    publish({"index.html": b"newer"}, site)
    assert tree(tmp_path) == {"site/index.html": b"newer"}


def test_a_build_that_fails_while_it_writes_leaves_nothing_of_it_and_names_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    site = tmp_path / "site"
    publish({"index.html": b"old"}, site)
    monkeypatch.setattr(Path, "write_bytes", full)

    with pytest.raises(OSError, match="No space left on device") as caught:
        publish({"index.html": b"new"}, site)

    assert caught.value.filename == str(site)
    assert tree(tmp_path) == {"site/index.html": b"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_site_that_was_only_moved_aside_comes_back(tmp_path: Path):
    site = tmp_path / "site"
    publish({"index.html": b"old"}, site)
    site.rename(tmp_path / ".tmp-old-site")

    publish({"index.html": b"new"}, site)

    assert tree(tmp_path) == {"site/index.html": b"new"}


def test_the_site_before_is_kept_aside_and_mended_into_the_next(tmp_path: Path):
    site, spare = tmp_path / "site", tmp_path / ".spare"
    publish({"index.html": b"old", "a/one.html": b"stays", "b/two.html": b"goes", "c": b""}, site, spare)
    publish({"index.html": b"new", "a/one.html": b"stays", "c/d/e.html": b"comes"}, site, spare)
    kept = (site / "a" / "one.html").stat()
    publish({"index.html": b"newest", "a/one.html": b"stays"}, site, spare)

    assert tree(site) == {"index.html": b"newest", "a/one.html": b"stays"}
    assert sorted(path.name for path in site.iterdir()) == ["a", "index.html"]
    assert (site / "a" / "one.html").stat() == kept, "what stays as it is, is the same file"
    assert tree(spare)["index.html"] == b"new"


def test_a_file_that_another_build_replaces_meanwhile_is_not_taken_for_what_was_read(tmp_path: Path, monkeypatch):
    site, link = tmp_path / "site", os.link
    publish({"a.html": b"1"}, site)

    def replaced_first(before: str, new: str) -> None:
        Path(before).unlink()
        Path(before).write_bytes(b"of another build")
        link(before, new)

    monkeypatch.setattr(os, "link", replaced_first)
    publish({"a.html": b"1", "b.html": b"2"}, site)

    assert tree(site) == {"a.html": b"1", "b.html": b"2"}


def test_what_was_done_to_a_published_site_or_to_the_spare_one_is_undone(tmp_path: Path):
    site, spare, files = tmp_path / "site", tmp_path / ".spare", {"a.html": b"1", "b/c.html": b"2", "d.html": b"3"}
    publish(files, site, spare)
    publish(files, site, spare)
    for folder in (site, spare):
        (folder / "a.html").write_bytes(b"?")
        (folder / "b" / "c.html").unlink()
        (folder / "b" / "c.html").symlink_to(folder / "d.html")
        (folder / "more").mkdir()
        (folder / "more" / "more.html").write_bytes(b"")

    publish(files, site, spare)

    assert tree(site) == files
    assert not (site / "b" / "c.html").is_symlink()
    assert sorted(path.name for path in site.iterdir()) == ["a.html", "b", "d.html"]


def test_the_folder_of_a_build_that_still_runs_is_left_alone(tmp_path: Path):
    running = tmp_path / f".tmp-new-site-{os.getppid()}"
    running.mkdir()

    publish({"index.html": b"new"}, tmp_path / "site")

    assert running.is_dir()


# ----------------------------------------------------------------------------------------------- inspection


def test_an_inspection_writes_nothing_and_finds_nothing_wrong_with_the_minimal_site(tmp_path: Path):
    site = copied(tmp_path)

    told = inspect(site)

    assert told.findings == ()
    assert not (site / "build" / "site").exists()
    assert str(told).endswith("numbers: 5 from runs, 1 cited, 1 given, 0 hand-typed numbers")


def test_an_inspection_finds_typed_numbers_and_unused_runs(tmp_path: Path):
    site = copied(tmp_path)
    shutil.copytree(runs.runs_folder(site) / "line-fit", runs.runs_folder(site) / "other")
    notes = site / "content" / "01-straight-lines" / "02-notes.md"
    notes.write_text(notes.read_text() + "\nIt is right\nin 99 % of cases.\n")

    messages = [str(finding).partition("\n")[0] for finding in inspect(site).findings]

    assert messages == [
        "build/runs/other/run.json: run 'other' is baked, but no page shows it",
        "content/01-straight-lines/02-notes.md:35: the number 99 was typed by hand",
    ]


# ------------------------------------------------------------------------------------------------ verification


def verified_site(tmp_path: Path, digest: str | None = None) -> Path:
    """The minimal site with a page about verification, and a record of its run, or of another digest."""
    site = copied(tmp_path)
    page = site / "content/pages/verification.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text('+++\ntitle = "How"\n+++\nWithin {run}`line-fit.verification.steps.free.worst:<=e`.\n', "utf-8")
    run = runs.load(site / "build/runs/line-fit")
    free = {"free": Measure(1234, 1e-13, 1e-9), "loss": Measure(60, 0.0, 1e-12)}
    entry = VerifiedRun(digest or run.digest, {"steps": free}, "linux-x86_64-v3", {"torch": "2.13.0"})
    runs.write_verification(site, Verification(runs={"line-fit": entry}))
    return site


def test_strict_refuses_a_run_that_is_not_verified(tmp_path: Path):
    site = verified_site(tmp_path, digest="another")

    with pytest.raises(Findings, match=r"build/runs/line-fit/run.json: run 'line-fit' is not verified"):
        build(site, strict=True)

    page = (build(site).out / "straight-lines/index.html").read_text("utf-8")
    assert "✓ from this code" in page
    assert 'not yet, <a href="../verification/index.html">' in page


def test_a_verified_run_passes_strictly_and_its_figures_say_so(tmp_path: Path):
    page = (build(verified_site(tmp_path), strict=True).out / "straight-lines/index.html").read_text("utf-8")

    assert "✓ verified" in page
    assert "✓ from this code" not in page
    assert '<a href="../verification/index.html#run-line-fit">' in page


def test_a_stale_run_is_not_verified_any_more(tmp_path: Path):
    site = verified_site(tmp_path)
    for module in (site / "models").rglob("*.py"):
        module.write_text(module.read_text("utf-8") + "\nEDITED = True\n", "utf-8")

    page = (build(site).out / "straight-lines/index.html").read_text("utf-8")

    assert "✗ not verified since its code changed" in page


def test_the_page_of_verification_takes_every_number_from_the_record(tmp_path: Path):
    page = (build(verified_site(tmp_path)).out / "verification/index.html").read_text("utf-8")

    said = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "1,234 comparisons in 1 run; largest difference ≤ 10 −13 ( line-fit ), allowed 1" in said
    assert "60 comparisons in 1 run; largest difference none , allowed 1" in said
    rows = re.findall(r"<tr><th scope=.row.>(.*?)</tr>", page)
    assert [re.sub(r"<[^>]+>", " ", row).split()[:5] for row in rows] == [
        ["Every", "training", "step", "loss", "60"], ["Every", "training", "step", "free", "1,234"],
    ]  # fmt: skip
    assert 'id="run-line-fit"' in page
    assert "linux-x86_64-v3 with torch 2.13.0" in page


def test_a_site_without_a_record_has_no_verified_figure(tmp_path: Path):
    page = (build(copied(tmp_path)).out / "straight-lines/index.html").read_text("utf-8")

    assert "verified" not in page


# ------------------------------------------------------------------------------------- where a site may be published


@pytest.mark.parametrize("out", [".", "..", "content", "content/x", "models", "templates", "build/runs", "build"])
def test_the_sources_of_a_site_are_never_replaced_by_it(tmp_path: Path, out: str):
    site = copied(tmp_path)
    before = sorted(path for path in tmp_path.rglob("*") if path.is_file())

    with pytest.raises(SitegenError, match=r"cannot be published to|holds something else"):
        build(site, out=site / out)

    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == before


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path):
    site = copied(tmp_path)
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")

    with pytest.raises(SitegenError, match="holds something else than a published site") as caught:
        build(site, out=other)

    assert caught.value.hint == "empty it yourself, or choose another folder"
    assert (other / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("name", ["content/pages/pipe.md", "models/lines/pipe.py", "templates/pipe.css"])
@pytest.mark.parametrize("ask", [build, inspect])
def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path, name: str, ask: Callable[[Path], object]):
    site = copied(tmp_path)
    (site / name).parent.mkdir(exist_ok=True)
    os.mkfifo(site / name)

    with pytest.raises(ContentError, match="this is a pipe, a socket or a device") as caught:
        ask(site)

    assert str(caught.value.at) == name


def test_a_name_that_no_page_could_spell_is_told(tmp_path: Path):
    site = copied(tmp_path)
    try:
        Path(os.fsdecode(bytes(site / "content" / "pages") + b"/\xff.png")).write_bytes(b"")
    except OSError:
        pytest.skip("this disk takes no such name")

    with pytest.raises(ContentError, match=r"content/pages: the name .* is not UTF-8"):
        build(site)


@pytest.mark.parametrize("name", [".git", ".gitattributes", "CNAME"])
def test_what_people_put_beside_a_published_site_is_not_removed(tmp_path: Path, name: str):
    site, out = copied(tmp_path), tmp_path / "out"
    build(site, out=out)
    (out / name).write_text("lessons.example")
    about = site / "content" / "pages" / "about.md"
    about.write_text(about.read_text("utf-8") + "\nNews of today.\n", "utf-8")

    with pytest.raises(SitegenError, match=f"holds {name}, which is no part of a site") as caught:
        build(site, out=out)

    assert caught.value.hint == "publish to another folder, and copy the site from there"
    assert (out / name).read_text() == "lessons.example"


def test_an_empty_folder_and_a_published_site_may_be_replaced(tmp_path: Path):
    site, out = copied(tmp_path), tmp_path / "out"
    out.mkdir()

    build(site, out=out)
    build(site, out=out)

    assert (out / "index.html").is_file()


def test_a_link_to_a_folder_stays_a_link_and_its_folder_gets_the_site(tmp_path: Path):
    site, real = copied(tmp_path), tmp_path / "real"
    real.mkdir()
    (site / "build").mkdir(exist_ok=True)
    (site / "build" / "site").symlink_to(real)

    build(site)
    build(site)

    assert (site / "build" / "site").is_symlink()
    assert (real / "index.html").is_file()
    assert sorted(path.name for path in (site / "build").glob(".tmp*")) == []


def test_a_build_from_memory_gives_the_bytes_of_a_first_one_and_a_damaged_memory_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site = copied(tmp_path)
    build(site)
    first, memory = tree(site / "build" / "site"), tmp_path / "cache" / "sitegen" / "memory"
    kept = tree(memory)

    build(site)
    assert tree(site / "build" / "site") == first
    assert tree(memory) == kept, "nothing new was found out"

    def harmed(data: bytes) -> tuple[bytes, ...]:
        return data[:-5], b"", data[:40] + bytes([data[40] ^ 1]) + data[41:], b"\0" + data[1:], data[:70] + b"\xff"

    for harm in range(5):
        for name, data in kept.items():
            (memory / name).write_bytes(harmed(data)[harm])
        build(site)
        assert tree(site / "build" / "site") == first
        assert tree(memory) == kept, "a damaged memory is made anew"


def test_a_site_is_built_where_nothing_can_be_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "cache").write_text("a file, where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site = copied(tmp_path)

    assert build(site).pages == 4


def test_what_is_new_is_remembered_beside_the_rest_until_there_is_much_of_it(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    known = {bytes([k]) * 16: (b"told" * 9, b"") for k in range(20)}
    whole = tmp_path / "sitegen" / "memory" / program.name_of(tmp_path)

    def after(used: dict[bytes, tuple[bytes, bytes]]) -> memory.Kept:
        kept = memory.read(tmp_path)
        kept.used = used
        memory.write(tmp_path, kept)
        found = memory.read(tmp_path)
        assert used.items() <= found.known.items()
        return found

    assert not after(known).since
    first, more = whole.read_bytes(), {**known, b"new" * 5: (b"one more", b"")}
    assert [*after(more).since] == [b"new" * 5]
    assert [*after(known).since] == []
    assert whole.read_bytes() == first

    few = dict([*more.items()][10:])
    assert not after(few).since
    assert memory.read(tmp_path).known == few, "what was used no more is forgotten in the end"
