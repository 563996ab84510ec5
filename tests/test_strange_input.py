"""Whatever stands in a site's files, it is read or told with its place; `make soak` tries for ten minutes.

Each test tries a few inputs, the same ones in each run; the soak tries others each time, and says with which seed.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from minimal_site import copied
from strange import JSON, MARKDOWN, TOML, VALUES, changed, texts

from sitegen import figures, markdown, runs
from sitegen.assets.kinds import TABLE, kind_of_text
from sitegen.build import inspect
from sitegen.content.keys import ACT
from sitegen.errors import Findings, SitegenError
from sitegen.figures.entries import ENTRY, TYPES
from sitegen.frontmatter import Toml, control, decoded, split
from sitegen.markdown.directives import FIGURE
from sitegen.runs.decode import decode
from sitegen.schema import Claim, FigureRef, Location
from sitegen.values import Known, check, expression_html

AT = Location("a.md", 1)
SECONDS = float(os.environ.get("SITEGEN_SOAK_SECONDS", "600"))
FILES = {
    "content/site.toml": TOML,
    "content/bibliography.toml": TOML,
    "content/glossary.toml": TOML,
    "content/01-straight-lines/chapter.toml": TOML,
    "content/01-straight-lines/01-the-slope.md": MARKDOWN + TOML,
    "content/01-straight-lines/02-notes.md": MARKDOWN,
    "content/pages/about.md": MARKDOWN,
    "templates/figures/trace/figure.toml": TOML,
    "build/runs/line-fit/run.json": JSON,
    "build/runs/line-fit/timings.json": JSON,
    "build/runs/verification.json": JSON,
}
# What a kind declares, and what TOML may have in its place.
DECLARED = {
    "series.loss": '["step"]',
    "state.t.type": '"TYPE"',
    "state.t.axis": '"step"',
    "state.t.default": '"last"',
    "options.o.type": '"TYPE"',
    "table.series": '"loss"',
    "table.rows": '"step"',
}
MEMBERS = (
    *("run", "replays", "series", "series.loss", "state", "state.t", "options", "options.o", "table"),
    *(f"state.t.{name}" for name in ENTRY),
    *(f"options.o.{name}" for name in ENTRY),
    *(f"table.{name}" for known in TABLE.values() for name in known),
)
WRITTEN = (
    *("1", "1.5", "true", "nan", "-inf", "99999999999999999999", '""', '"a"', '"step"', "2026-01-01", "12:00:00"),
    *("[]", "[1]", '["a"]', "[[]]", "[{}]", "{}", "{ a = 1 }", "{ a = [] }", '{ step = "a" }', "{ step = [1] }"),
)
GLOSSARY = (
    '[slope]\nterm = "slope"\naliases = ["slopes"]\nsymbols = ["w"]\ndefinition = "How *steep*, $w$."\nsee = []\n'
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = copied(tmp_path_factory.mktemp("strange"))
    (site / "content" / "glossary.toml").write_text(GLOSSARY)
    (site / "build" / "runs" / "verification.json").write_text('{"runs": {}}')
    (site / "build" / "runs" / "line-fit" / "timings.json").write_text('{"processor": "one", "seconds": 1.5}')
    return site


@pytest.fixture(scope="session")
def originals(site: Path) -> dict[str, str]:
    return {path: (site / path).read_text("utf-8") for path in FILES}


def told(errors: list[SitegenError], text: str) -> None:
    """Each error has words and, if it knows its line, one that the text has."""
    for error in errors:
        assert error.message.strip()
        assert error.at is None or error.at.line is None or 1 <= error.at.line <= text.count("\n") + 2, str(error)


# --------------------------------------------------------------------------------------- what is tried, piece by piece


def as_read(text: str) -> str:
    """The text of a file that holds this."""
    return control(decoded(text.encode(), "a.md"), "a.md", [])


def read_markdown(text: str) -> None:
    text = as_read(text)
    for source in (
        markdown.Source(text, "a.md", 1, "notes", 1),
        markdown.Source(text, "a.md", 1, "a1", 1, raw_html=True),
    ):
        told(list(markdown.section(source).errors), text)
        told(list(markdown.act(source, "slope").errors), text)
    errors: list[SitegenError] = []
    markdown.inline(text, AT, errors)
    told(errors, text)


def read_front_matter(text: str) -> None:
    text = as_read(text)
    errors: list[SitegenError] = []
    for keys in (ACT, FIGURE):
        Toml(text, "a.md").fields(keys, "a thing", errors)
    try:
        split(f"+++\n{text}", "a.md")
    except SitegenError as error:
        errors.append(error)
    told(errors, text + "\n")


def read_value(run: runs.Run, expression: str) -> None:
    known = Known({run.run: run})
    for look in (
        lambda: expression_html(expression, known, AT),
        lambda: check(Claim(expression, "<", 1.0, expression, AT), known),
    ):
        try:
            look()
        except SitegenError as error:
            told([error], expression)


def read_run(text: str) -> None:
    try:
        decode(text.encode("utf-8", "surrogatepass"), "line-fit", "run.json")
    except SitegenError as error:
        told([error], text)


def read_site(site: Path, originals: dict[str, str], path: str, text: str) -> None:
    """A site with one file changed."""
    content = text.encode("utf-8", "surrogatepass")
    (site / path).write_bytes(content)
    try:
        inspect(site)
    except Findings as found:
        for error in found.errors:
            place = site / error.at.path if error.at else None
            if place and place.is_file() and error.at and error.at.line:
                lines = place.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
                assert 1 <= error.at.line <= lines + 1, str(error)
    finally:
        (site / path).write_text(originals[path], "utf-8")


def trials(site: Path, originals: dict[str, str]) -> Iterator[tuple[str, int, st.SearchStrategy[object], Callable]]:
    """(name, how many in each test run, strategy, what is done with what it gives)."""
    run = runs.load(site / "build" / "runs" / "line-fit")
    slope = originals["content/01-straight-lines/01-the-slope.md"].split("+++\n", 2)[2]
    yield "markdown", 60, texts(MARKDOWN), read_markdown
    yield "changed markdown", 20, changed(slope, MARKDOWN), read_markdown
    yield "front matter", 60, texts(TOML), read_front_matter
    yield "values", 60, texts(VALUES, 8), lambda text: read_value(run, text)
    yield "run", 40, changed(originals["build/runs/line-fit/run.json"], JSON), read_run
    paths = st.sampled_from(sorted(FILES))
    files = paths.flatmap(lambda path: st.tuples(st.just(path), changed(originals[path], FILES[path])))
    yield "site", 8, files, lambda one: read_site(site, originals, *one)


def tried(strategy: st.SearchStrategy[object], act: Callable[..., None], count: int, *, number: int | None) -> None:
    """`number` is a seed; without one the same inputs are tried each time."""

    @settings(
        max_examples=count, deadline=None, database=None, derandomize=number is None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def one(value: object) -> None:
        act(value)

    (seed(number)(one) if number is not None else one)()


@pytest.mark.parametrize("name", ["markdown", "changed markdown", "front matter", "values", "run", "site"])
def test_strange_input_is_read_or_told(name: str, site: Path, originals: dict[str, str]):
    count, strategy, act = {each: rest for each, *rest in trials(site, originals)}[name]

    tried(strategy, act, count, number=None)


@pytest.mark.parametrize("type_", [*TYPES, "none"])
def test_whatever_a_kind_declares_is_told_or_draws_figures(type_: str, site: Path):
    run = runs.load(site / "build" / "runs" / "line-fit")
    ref = FigureRef("one", "k", run.run, "curve", "Falls.", "", {}, {}, AT)
    usable = 0
    for name, written in itertools.product(MEMBERS, WRITTEN):
        around = (name.rpartition(".")[0], name)
        kept = {k: v for k, v in DECLARED.items() if k not in around and not k.startswith(f"{name}.")}
        text = "".join(f"{key} = {value}\n" for key, value in {**kept, name: written}.items())
        kind, wrong = kind_of_text("k", text.replace("TYPE", type_), frozenset({"figures/k/figure.js"}))
        if kind is None:
            assert all(str(one).startswith("templates/figures/k/figure.toml:") for one in wrong), text
            continue
        errors: list[SitegenError] = []
        usable += 1
        figures.resolve(ref, figures.Known({"k": kind}, {run.run: run}, {run.run: True}), errors)
        assert all(one.at for one in errors), text

    assert usable or type_ in ("none", "choice", "records")


@pytest.mark.soak
@pytest.mark.timeout(SECONDS * 2 + 120)
def test_strange_input_is_read_or_told_for_ten_minutes(site: Path, originals: dict[str, str], tmp_path: Path):
    own = tmp_path / "site"
    shutil.copytree(site, own)
    chance, end, rounds = random.Random(), time.monotonic() + SECONDS, 0

    while time.monotonic() < end:
        number = chance.randrange(2**32)
        print(f"seed {number}", flush=True)
        for _, count, strategy, act in trials(own, originals):
            tried(strategy, act, 5 * count, number=number)
        rounds += 1

    assert rounds
