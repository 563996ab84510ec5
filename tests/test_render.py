"""Resolved sites to pages."""

from __future__ import annotations

import json
import re
from datetime import date
from html import unescape
from pathlib import Path

import pytest
import snapshots
from minimal_site import MINIMAL, copied
from msgspec.structs import replace

from sitegen import content, remembered, render
from sitegen.build import assemble, parallel
from sitegen.errors import Findings
from sitegen.render import stills
from sitegen.schema import Act, Figure, FigureRef, Location, Series, Step

AT = Location("a.md", 1)


def page(site: Path, path: str = "straight-lines/index.html") -> str:
    return assemble(site).files[path].decode()


def step(number: int, figure: str = "") -> Step:
    ref = FigureRef(figure, "trace", None, None, "Falls.", "", {}, {}, AT) if figure else None
    return Step(number, f"a1-s{number}", "T", "", ref, {}, AT)


@pytest.mark.parametrize("path", ["index.html", "404.html", "about/index.html", "straight-lines/index.html"])
def test_the_pages_of_the_minimal_site_are_as_they_were(path: str, tmp_path: Path):
    html = page(copied(tmp_path), path)

    digests = re.compile(r"\b[0-9a-f]{12}(?:[0-9a-f]{52})?\b")
    snapshots.compare(MINIMAL / "expected" / path, digests.sub("DIGEST", html))


def test_without_an_opening_its_description_leads_a_chapter(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "01-straight-lines" / "00-opening.md").unlink()

    html = page(site)

    assert '<p class="lead">A slope learned from three points.</p>' in html
    assert "opening-text" not in html


def test_pages_of_many_chapters_name_none_but_their_own(tmp_path: Path):
    site = copied(tmp_path)
    for number in range(2, 9):
        folder = site / "content" / f"{number:02}-more-{number}"
        folder.mkdir()
        (folder / "chapter.toml").write_text(f'title = "More {number}"\ndescription = "Of it."\n')

    files = assemble(site).files

    def named(path: str) -> list[str]:
        return re.findall(r'class="masthead-chapter" href="[^"]*"[^>]*>([^<]*)<', files[path].decode())

    assert named("straight-lines/index.html") == ["Straight lines"]
    assert named("more-8/index.html") == ["More 8"]
    assert named("about/index.html") == []
    assert files["index.html"].decode().count('class="chapter-card"') == 8


def test_without_a_footer_a_page_ends_with_its_text(tmp_path: Path):
    site = copied(tmp_path)
    settings = site / "content" / "site.toml"
    settings.write_text(re.sub(r"(?m)^footer = .*\n", "", settings.read_text("utf-8")), "utf-8")

    assert "<footer" in page(copied(tmp_path / "with"))
    assert "<footer" not in page(site)


def test_a_scene_is_a_figure_and_the_steps_that_share_it(tmp_path: Path):
    figure = next(iter(assemble(copied(tmp_path)).resolved().values()))
    figures: dict[str, Figure] = {"one": figure, "two": replace(figure, ref=replace(figure.ref, id="two"))}
    steps = (step(1), step(2, "one"), step(3), step(4, "two"), step(5))
    act = Act(1, "s", "a1", "T", "", steps, "", (), (), AT)

    scenes = render.scenes(act, figures)

    assert scenes == [
        render.Scene(None, steps[:1]),
        render.Scene(figures["one"], steps[1:3]),
        render.Scene(figures["two"], steps[3:]),
    ]


def test_json_in_attributes_survives_any_text(tmp_path: Path):
    site = copied(tmp_path)
    kind = site / "templates" / "figures" / "trace" / "figure.toml"
    kind.write_text(kind.read_text() + '\n[options.label]\ntype = "text"\n')
    path = site / "content" / "01-straight-lines" / "01-the-slope.md"
    label = "</script><b a=\"1\" b='2'>&amp;"
    path.write_text(path.read_text().replace("state = { t = 0 }", f"options = {{ label = {json.dumps(label)} }}"))

    html = page(site)

    attributes = re.findall(r'data-options="([^"]*)"', html)
    assert json.loads(unescape(attributes[0])) == {"color": "ink", "label": label}
    assert "</script><b" not in html


def test_text_of_the_author_is_escaped_where_it_is_plain(tmp_path: Path):
    site = copied(tmp_path)
    toml = site / "content" / "01-straight-lines" / "chapter.toml"
    toml.write_text(toml.read_text().replace("Straight lines", "Lines & <b>slopes</b>"))

    html = page(site)

    assert "<h1>Lines &amp; &lt;b&gt;slopes&lt;/b&gt;</h1>" in html


def test_a_figure_has_a_page_of_its_own_with_the_way_back_to_its_step(tmp_path: Path):
    files = assemble(copied(tmp_path)).files
    html = files["figures/the-slope-s1/index.html"].decode()

    assert sorted(path for path in files if path.startswith("figures/")) == [
        "figures/the-slope-s1/index.html",
        "figures/trace-again/index.html",
    ]
    assert '<link rel="canonical" href="https://example.org/minimal/straight-lines/">' in html
    assert '<a href="../../straight-lines/index.html#a1-s1" target="_top">The slope, step 1 of 2</a>' in html
    assert re.findall(r'data-run="(../../data/line-fit\.\w{12}\.json)"', html)
    assert 'data-state="{&#34;t&#34;: 0}"' in html
    assert (
        '<a href="../../straight-lines/index.html#notes" target="_top">Notes</a>'
        in files["figures/trace-again/index.html"].decode()
    )


def test_a_caption_that_cites_has_its_source_on_the_figures_own_page(tmp_path: Path):
    site = copied(tmp_path)
    path = site / "content" / "01-straight-lines" / "01-the-slope.md"
    path.write_text(path.read_text().replace("of each step, last", "as {cite}`others:text` had it, last"))

    assert 'id="ref-others"' in page(site, "figures/the-slope-s1/index.html")
    assert 'id="ref-others"' not in page(site, "figures/trace-again/index.html")


def test_provenance_gives_the_link_and_the_frame_of_a_figure(tmp_path: Path):
    html = page(copied(tmp_path))

    assert '<a class="share" href="../figures/the-slope-s1/index.html">https://example.org/minimal/figures/the' in html
    frame = unescape(re.findall(r'<code class="embed">(.*?)</code>', html)[0])
    assert frame == (
        '<iframe src="https://example.org/minimal/figures/the-slope-s1/index.html" title="The loss falls from one to '
        'nearly nothing in four steps" width="100%" height="720" loading="lazy"></iframe>'
    )


def test_every_address_is_relative_but_on_the_page_for_lost_ones(tmp_path: Path):
    files = assemble(copied(tmp_path)).files

    for path, data in files.items():
        addresses = (
            re.findall(r'(?:href|src|data-run|data-script)="([^"]*)"', data.decode()) if path.endswith(".html") else []
        )
        rooted = [address for address in addresses if address.startswith("/")]
        assert bool(rooted) == (path == "404.html"), path
        assert all(address.startswith("/minimal/") for address in rooted)


def test_no_marker_is_left_on_a_page(tmp_path: Path):
    files = assemble(copied(tmp_path)).files

    assert [path for path, data in files.items() if path.endswith(".html") and b"\0" in data] == []


def test_a_template_sees_no_undefined_name(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "page.html.j2").write_text("{{ nothing }}\n")

    with pytest.raises(Findings, match=r"templates/page\.html\.j2:1: .*'nothing' is undefined"):
        assemble(site)


def test_a_template_that_asks_for_a_missing_file_of_the_theme_is_told(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "page.html.j2").write_text("one\n{{ asset('site.cs') }}\n")

    with pytest.raises(
        Findings, match=r"templates/page\.html\.j2:2: .*'site\.cs'.*\n  hint: did you mean 'site\.css'\?"
    ):
        assemble(site)


_DRAWING = """\
{% import "shape.html.j2" as shape %}
<a href="{{ root }}about/index.html">{{ shape.square(one.run.metrics.slope.value) }}</a>
<img src="{{ asset("icons/icon.svg") }}" alt="{{ site.title }}">
"""


def _drawing(site: Path) -> Path:
    """Gives the minimal site's kind a template of its own, and another that this one asks for."""
    templates = site / "templates"
    (templates / "figures" / "trace" / "figure.html.j2").write_text(_DRAWING)
    (templates / "shape.html.j2").write_text("{% macro square(side) %}a square of {{ side }}{% endmacro %}")
    return templates


def test_a_drawing_finds_the_way_from_each_page_that_shows_it(tmp_path: Path):
    site = copied(tmp_path)
    _drawing(site)

    files = assemble(site).files
    shown = {
        path: re.search(r'<div class="figure-still">\s*(.*?)\s*</div>', files[path].decode(), re.DOTALL)
        for path in ("straight-lines/index.html", "figures/the-slope-s1/index.html")
    }

    for path, found in shown.items():
        root = "../" * path.count("/")
        assert found
        assert f'<a href="{root}about/index.html">a square of ' in found[1], path
        assert re.search(rf'src="{root}assets/\w{{12}}/icons/icon\.svg" alt="A minimal', found[1]), path


@pytest.mark.parametrize(
    ("changed", "anew"),
    [
        ("", 0),
        ("base.html.j2", 0),  # of the pages around it
        ("shape.html.j2", 2),
        ("figures/trace/figure.html.j2", 2),
        ("css/site.css", 2),  # the folder of the assets, for which the template asks
        ("site.toml", 2),
        ("text above a figure", 0),
        ("alt of a figure", 1),
    ],
)
def test_figures_are_drawn_once_for_all_pages_until_what_they_are_drawn_of_changes(
    changed: str, anew: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    site = copied(tmp_path)
    templates = _drawing(site)
    drawings: list[str] = []
    of = stills.Drawing.of

    def noted(self: stills.Drawing, figure: Figure) -> str:
        drawings.append(figure.ref.id)
        return of(self, figure)

    monkeypatch.setattr(stills.Drawing, "of", noted)
    monkeypatch.setattr(parallel, "_can_fork", lambda: False)
    theme = Path(__file__).parents[1] / "templates"
    act, notes = ((site / "content" / "01-straight-lines" / name) for name in ("01-the-slope.md", "02-notes.md"))

    with remembered.using(remembered.Memory()):
        assemble(site)
        assert sorted(drawings) == ["the-slope-s1", "trace-again"]
        drawings.clear()
        match changed:
            case "base.html.j2" | "css/site.css":
                other = templates / changed
                other.parent.mkdir(exist_ok=True)
                other.write_text((theme / changed).read_text() + "\n\n.more { color: red; }\n")
            case "shape.html.j2" | "figures/trace/figure.html.j2":
                (templates / changed).write_text((templates / changed).read_text() + "more")
            case "site.toml":
                toml = site / "content" / "site.toml"
                toml.write_text(toml.read_text().replace('title = "A minimal', 'title = "A more minimal'))
            case "text above a figure":
                notes.write_text(notes.read_text().replace("\n+++\n", "\n+++\n\nMore.\n", 1))
            case "alt of a figure":
                act.write_text(act.read_text().replace('alt = "', 'alt = "Anew: ', 1))
        after = assemble(site).files
        again = len(drawings)
    afresh = assemble(site).files

    assert (again, after) == (anew, afresh)


def test_a_drawing_follows_all_that_its_template_may_read(tmp_path: Path):
    figure = assemble(copied(tmp_path)).resolved()["the-slope-s1"]
    assert figure.run
    kind = replace(figure.kind, template="drawing.html.j2")
    options = {**kind.options, "day": {"values": [date(2026, 1, 1)]}}
    series = {**figure.run.series, "took": Series(("step",), {"step": [1]}, (1,), "never", [3.0])}
    figures = [
        replace(figure, kind=kind),
        replace(figure, kind=kind, state={"t": 1}),
        replace(figure, kind=kind, verified=True),
        replace(figure, kind=replace(kind, options=options)),
        replace(figure, kind=replace(kind, options={**options, "day": {"values": ["2026-01-01"]}})),
        replace(figure, kind=kind, run=replace(figure.run, digest="another", seed=8)),
        replace(figure, kind=kind, run=replace(figure.run, series=series), measured="of timings"),
        replace(figure, kind=kind, tables=()),  # which follow from what else a figure is
    ]
    environment = render.environment({"drawing.html.j2": "{{ one }}"}, None)
    site = content.read(MINIMAL)

    with remembered.using(remembered.Memory()):
        drawn = [stills.still(one, environment, site, str, ()) for one in figures]

    assert len(set(drawn[:-1])) == len(figures) - 1
    assert drawn[-1] == drawn[0]


@pytest.mark.parametrize(
    ("url", "prefix"), [("", "/"), ("https://a.org", "/"), ("https://a.org/b", "/b/"), ("https://a.org/b/c/", "/b/c/")]
)
def test_the_prefix_is_the_path_of_the_published_site(url: str, prefix: str):
    assert render.prefix_of(replace(content.read(MINIMAL), url=url)) == prefix


FIGURE = '```{figure} trace\nid = "%s"\nrun = "line-fit"\nstill = "curve"\nalt = "Falls."\n```\n'


def test_a_page_may_hold_figures_whose_data_and_own_pages_are_found_from_there(tmp_path: Path):
    site = copied(tmp_path)
    pages = site / "content" / "pages"
    pages.joinpath("index.md").write_text('+++\ntitle = "Welcome"\n+++\nBefore.\n\n' + FIGURE % "first")
    pages.joinpath("about.md").write_text(
        '+++\ntitle = "About"\n+++\n' + FIGURE % "second" + "\n[On](/straight-lines/#a1-s2).\n"
    )

    files = assemble(site).files

    for path, identity, root in (("index.html", "first", ""), ("about/index.html", "second", "../")):
        html = files[path].decode()
        (data,) = re.findall(r'data-run="([^"]*)"', html)
        assert data.startswith(f"{root}data/line-fit.")
        assert data.removeprefix(root) in files
        assert '<div class="caption"></div>' in html, "figures beside chapters have no number"
        own = files[f"figures/{identity}/index.html"].decode()
        assert f'data-run="../../{data.removeprefix(root)}"' in own
        home = "" if root == "" else ', <a href="../../index.html" target="_top">A minimal site</a>'
        assert f'From <a href="../../{path}" target="_top">{"About" if root else "Welcome"}</a>{home}.</p>' in own


def test_the_first_page_tells_what_a_chapter_teaches_and_how_long_it_takes(tmp_path: Path):
    site = copied(tmp_path)
    toml = site / "content" / "01-straight-lines" / "chapter.toml"
    toml.write_text(toml.read_text() + 'outcomes = ["fit a *line*", "tell a slope"]\n')
    (site / "content" / "pages" / "index.md").write_text('+++\ntitle = "T"\n+++\nFirst.\n\n## Later\nBehind.\n')

    html = page(site, "index.html")

    assert "<li>fit a <em>line</em></li>\n<li>tell a slope</li>" in html
    assert "1 act · 2 steps · about 1 minute" in html
    assert html.index("First.") < html.index("fit a") < html.index("Behind.")


def test_chapters_lead_to_those_beside_them(tmp_path: Path):
    site = copied(tmp_path)
    second = site / "content" / "02-more-lines"
    second.mkdir()
    (second / "chapter.toml").write_text('title = "More lines"\ndescription = "D"\n')

    first, last = page(site), page(site, "more-lines/index.html")

    assert '<a href="../more-lines/index.html" rel="next"><span>Next</span> More lines</a>' in first
    assert '<a href="../straight-lines/index.html" rel="prev"><span>Before</span> Straight lines</a>' in last
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in last


def test_quoted_code_leads_to_its_lines_in_the_repository(tmp_path: Path):
    site = copied(tmp_path)
    toml = site / "content" / "site.toml"
    assert '<p class="quote-place">models/lines/fit.py:6</p>' in page(site)

    toml.write_text(toml.read_text() + 'repository = "https://example.org/lines/"\n')

    link = '<a href="https://example.org/lines/blob/HEAD/models/lines/fit.py#L6-L12">models/lines/fit.py:6</a>'
    assert link in page(site)
