"""Each save of a file to what every open page is told: the site anew, or the last good one and what is to be mended."""

from __future__ import annotations

import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from minimal_site import copied, write_run

from sitegen.serve import ServeError, Workshop, serving

ACT = "content/01-straight-lines/01-the-slope.md"
PAGE = "straight-lines/index.html"
VERSION = "straight-lines/"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return copied(tmp_path)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def workshop(site: Path, said: list[str]) -> Iterator[Workshop]:
    with serving(site, report=said.append) as running:
        running.build(())
        said.clear()
        yield running


def edit(site: Path, path: str, old: str, new: str) -> str:
    text = (site / path).read_text("utf-8")
    assert old in text
    (site / path).write_text(text.replace(old, new), "utf-8")
    return path


def told(workshop: Workshop) -> list[tuple[str, str]]:
    """(place, message) of what is to be mended."""
    problems = workshop.live.state.told("")["problems"]
    return [(problem["place"], problem["message"]) for problem in problems]


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.read()


def test_what_is_served_is_what_is_built_but_for_the_name_of_one_folder(site: Path, workshop: Workshop):
    from sitegen.build import assemble

    files = assemble(site).files
    folder = next(path for path in files if path.endswith("site.css")).removesuffix("/site.css")

    named = {
        path.replace(folder, "assets/live"): data.replace(folder.encode(), b"assets/live")
        for path, data in files.items()
    }
    served = dict(workshop.live.state.files)
    del named["worker.js"], served["worker.js"]  # which has the digest of all
    assert served == named
    assert not (site / "build/site").exists()


EDITS = (
    (ACT, "Three points, one number.", "Three points, and one number."),
    ("content/site.toml", 'title = "', 'title = "So: '),
    ("content/01-straight-lines/chapter.toml", 'title = "', 'title = "So: '),
    ("content/bibliography.toml", 'title = "', 'title = "So: '),
    ("templates/figures/trace/figure.js", "export", "console.info(1);\nexport"),
    ("templates/figures/trace/figure.toml", 'default = "last"', 'default = "first"'),
)


def test_every_kind_of_input_makes_another_page(site: Path, workshop: Workshop):
    versions = [workshop.live.state.version(VERSION)]
    for edited in EDITS:
        workshop.build((edit(site, *edited),))
        versions.append(workshop.live.state.version(VERSION))

    assert told(workshop) == []
    assert len(set(versions)) == len(EDITS) + 1


def test_files_of_the_theme_that_the_site_makes_its_own_are_taken(site: Path, workshop: Workshop):
    versions = [workshop.live.state.version(VERSION)]
    theme = Path(__file__).parents[1] / "templates"
    for path, old, new in (
        ("css/site.css", "body {", "body { gap: 3px;"),
        ("js/boot.js", "})();", "console.info(1); })();"),
        ("chapter.html.j2", "<article", "<article data-own"),
        ("figure.html.j2", "<figcaption", "<figcaption data-own"),
    ):
        own = site / "templates" / path
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text((theme / path).read_text("utf-8"), "utf-8")
        workshop.build((edit(site, f"templates/{path}", old, new),))
        versions.append(workshop.live.state.version(VERSION))

    assert told(workshop) == []
    assert len(set(versions)) == 5


def test_a_run_that_was_baked_anew_is_shown(site: Path, workshop: Workshop):
    before = workshop.live.state.version(VERSION)
    write_run(site, seed=2)

    workshop.build(("build/runs/line-fit/run.json",))

    assert workshop.live.state.version(VERSION) != before


def test_a_glossary_that_comes_into_being_is_read(site: Path, workshop: Workshop):
    (site / "content/glossary.toml").write_text('[slope]\nterm = "slope"\ndefinition = "How steep."\n', "utf-8")

    workshop.build(("content/glossary.toml",))

    assert b"How steep." in b"".join(workshop.live.state.files.values())


def test_mistakes_are_told_all_at_once_over_the_last_good_page(site: Path, workshop: Workshop, said: list[str]):
    good = workshop.live.state.files
    edit(site, ACT, "line-fit.metrics.slope", "line-fit.metrics.slop")
    edit(site, "content/pages/about.md", "+++\n", "+++\nnonsense = 1\n")

    workshop.build((ACT,))

    assert workshop.live.state.files is good
    assert [place for place, _ in told(workshop)] == [f"{ACT}:28", "content/pages/about.md:2"]
    problems = workshop.live.state.told("")["problems"]
    assert problems[0] == {
        "place": f"{ACT}:28",
        "message": "run 'line-fit' has no metric 'slop'",
        "hint": "did you mean 'slope'?",
    }
    assert said[0] == f"{ACT}:28: run 'line-fit' has no metric 'slop'\n  hint: did you mean 'slope'?"
    assert said[-1] == f"{ACT}: not built, 2 things to mend"


def test_in_the_terminal_a_mistake_is_told_once(site: Path, workshop: Workshop, said: list[str]):
    edit(site, ACT, "line-fit.metrics.slope", "line-fit.metrics.slop")
    workshop.build((ACT,))
    edit(site, ACT, "Guess", "Do guess")
    workshop.build((ACT,))

    assert [line.split(":")[-1] for line in said[1:]] == [" not built, 1 thing to mend"] * 2


def test_what_is_mended_is_told_no_more(site: Path, workshop: Workshop, said: list[str]):
    before = workshop.live.state.version(VERSION)
    edit(site, ACT, "line-fit.metrics.slope", "line-fit.metrics.slop")
    workshop.build((ACT,))
    edit(site, ACT, "line-fit.metrics.slop", "line-fit.metrics.slope")

    workshop.build((ACT, "content/site.toml"))

    assert told(workshop) == []
    assert workshop.live.state.version(VERSION) == before
    assert said[-1].startswith(f"{ACT} and 1 more: built in ")


def test_a_site_that_is_broken_at_first_is_served_when_it_is_mended(site: Path, said: list[str]):
    edit(site, "content/site.toml", "title", "titel")
    with serving(site, report=said.append) as workshop:
        workshop.build(())
        first = told(workshop)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            fetched(workshop.address)
        edit(site, "content/site.toml", "titel", "title")
        workshop.build(("content/site.toml",))

        assert first[0][0].startswith("content/site.toml")
        assert b"<h1" in fetched(f"{workshop.address}straight-lines/")


def test_a_chapter_that_comes_is_found_and_one_that_goes_is_not(site: Path, workshop: Workshop):
    new = site / "content/02-curves"
    new.mkdir()
    (new / "chapter.toml").write_text('title = "Curves"\ndescription = "Not straight."\n', "utf-8")
    (new / "01-notes.md").write_text('+++\ntitle = "Notes"\nkind = "section"\n+++\n\nOne.\n', "utf-8")
    workshop.build(("content/02-curves/chapter.toml",))
    there = "curves/index.html" in workshop.live.state.files
    shutil.rmtree(new)

    workshop.build(("content/02-curves/chapter.toml",))

    assert there
    assert told(workshop) == []
    assert "curves/index.html" not in workshop.live.state.files


def test_a_chapter_that_is_renamed_is_found_by_its_new_name_once_links_follow(site: Path, workshop: Workshop):
    (site / "content/01-straight-lines").rename(site / "content/01-lines")
    write_run(site, chapter="lines")
    workshop.build(("content/01-lines/chapter.toml",))
    dead = told(workshop)
    edit(site, "content/pages/about.md", "/straight-lines/", "/lines/")

    workshop.build(("content/pages/about.md",))

    assert dead == [("content/pages/about.md:8", "the link '/straight-lines/#a1-s2' is dead")]
    assert told(workshop) == []
    assert "lines/index.html" in workshop.live.state.files
    assert PAGE not in workshop.live.state.files


@pytest.mark.parametrize("damage", [b"\xff\xfe\x00", b"+++\ntitle = ", b"\x00" * 99])
def test_half_a_file_is_a_mistake_with_its_place(damage: bytes, site: Path, workshop: Workshop):
    (site / ACT).write_bytes(damage)

    workshop.build((ACT,))

    assert {place.split(":")[0] for place, _ in told(workshop)} == {ACT}


def test_a_script_that_no_browser_can_read_is_a_mistake_with_its_line(site: Path, workshop: Workshop):
    path = "templates/figures/trace/figure.js"
    before = (site / path).read_text("utf-8")
    (site / path).write_text(f"const = ;\n{before}", "utf-8")
    workshop.build((path,))

    assert told(workshop) == [(f"{path}:1", "the script cannot be read from here on: const = ;")]

    (site / path).write_text(before, "utf-8")
    workshop.build((path,))
    assert told(workshop) == []


def test_a_file_that_nobody_may_read_is_a_mistake(site: Path, workshop: Workshop):
    (site / ACT).unlink()
    (site / ACT).symlink_to(site / ACT)  # a circle: no permission stops who is root

    workshop.build((ACT,))

    assert len(told(workshop)) == 1


def test_whatever_happens_in_a_build_is_told(workshop: Workshop, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by\nnought")

    monkeypatch.setattr("sitegen.serve.building.Draft.gather", broken)

    workshop.build((ACT,))

    assert told(workshop) == [("", "internal error: ZeroDivisionError: by nought")]


def test_a_model_that_was_edited_makes_its_runs_stale_until_it_is_as_before(site: Path, workshop: Workshop):
    fit = edit(site, "models/lines/fit.py", "weights = [0.0]", "weights = [0.5]")
    workshop.build((fit,))
    stale = workshop.live.state.stale
    edit(site, fit, "weights = [0.5]", "weights = [0.0]  # as ever")

    workshop.build((fit,))

    assert stale == ("line-fit",)
    assert workshop.live.state.stale == ()


def test_a_run_that_was_baked_is_stale_no_more_though_a_claim_is_false_now(site: Path, workshop: Workshop):
    fit = edit(site, "models/lines/fit.py", "weights = [0.0]", "weights = [0.5]")
    act = edit(site, ACT, "claims = [", 'claims = ["line-fit.metrics.slope > 100",')
    workshop.build((fit, act))
    before = workshop.live.state.stale, len(told(workshop))
    write_run(site)

    workshop.build(("build/runs/line-fit/run.json",))

    assert before == (("line-fit",), 1)
    assert workshop.live.state.stale == ()
    assert len(told(workshop)) == 1


def test_a_model_with_a_mistake_in_it_is_told_with_its_line(site: Path, workshop: Workshop):
    fit = edit(site, "models/lines/fit.py", "weights = [0.0]", "weights = [0.0")

    workshop.build((fit,))

    assert "models/lines/fit.py:8" in {place for place, _ in told(workshop)}


def test_a_run_that_was_never_baked_can_be(site: Path, workshop: Workshop):
    shutil.rmtree(site / "build/runs/line-fit")

    workshop.build(("build/runs/line-fit/run.json",))

    assert workshop.live.state.stale == ("line-fit",)
    assert told(workshop)


def test_under_a_prefix_the_page_for_lost_addresses_leads_back_to_it(site: Path, said: list[str]):
    with serving(site, prefix="/repo/", report=said.append) as workshop:
        workshop.build(())

        with pytest.raises(urllib.error.HTTPError) as lost:
            fetched(f"{workshop.address}no/where")

        assert workshop.address.endswith("/repo/")
        assert lost.value.code == 404
        assert b'href="/repo/' in lost.value.read()
        lost.value.close()


def test_two_servers_of_one_site_do_not_disturb_each_other(site: Path, workshop: Workshop):
    with serving(site, report=lambda _: None) as other:
        other.build(())

        assert other.address != workshop.address
        assert fetched(other.address + VERSION) == fetched(workshop.address + VERSION)


def test_a_port_in_use_is_told_before_anything_is_built(site: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(ServeError, match=f"^port {port} cannot be used: "), serving(
            site, port=port, report=lambda _: None
        ):  # fmt: skip
            pass


def test_it_works_until_it_is_interrupted(site: Path, workshop: Workshop, said: list[str], monkeypatch):
    changes = iter([(), ("content/site.toml",)])

    def looked(self, rest: float) -> tuple[str, ...]:
        for change in changes:
            return change
        raise KeyboardInterrupt

    monkeypatch.setattr("sitegen.serve.Watch.changes", looked)

    workshop.work()

    assert len(said) == 2
    assert said[0].startswith("content/site.toml: built in ")
    assert said[1] == "stopped"
