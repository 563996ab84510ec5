"""The theme: overrides, one style sheet, one folder named by its content."""

from __future__ import annotations

from pathlib import Path

from minimal_site import copied

from sitegen import assets
from sitegen.errors import SitegenError
from sitegen.schema import FigureKind, Location


def read(site: Path) -> assets.Theme:
    errors: list[SitegenError] = []
    theme = assets.read(site, errors)
    assert errors == []
    return theme


def test_a_kind_is_a_folder(tmp_path: Path):
    kind = read(copied(tmp_path)).kinds["trace"]

    assert kind == FigureKind(
        name="trace",
        series={"loss": ("step",)},
        state={"t": {"type": "checkpoint", "axis": "step", "default": "last"}},
        options={"color": {"type": "choice", "values": ["ink", "accent"], "default": "ink"}},
        tables=({"series": "loss", "caption": "Loss of each step", "rows": "step"},),
        needs_run=True,
        template="still.html.j2",
        script="figures/trace/figure.js",
        style=None,
        at=Location("templates/figures/trace/figure.toml", 1),
    )


def test_files_of_a_site_stand_before_those_of_the_theme(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "page.html.j2").write_text("mine")

    theme = read(site)

    assert theme.templates["page.html.j2"] == "mine"
    assert "{% block main %}" in theme.templates["base.html.j2"]


def test_sheets_are_joined_tokens_first_and_kinds_last(tmp_path: Path):
    site = copied(tmp_path)
    for name, rule in (("tokens", "--a: 1"), ("site", "--b: 1"), ("about", "--c: 1")):
        (site / "templates" / "css").mkdir(exist_ok=True)
        (site / "templates" / "css" / f"{name}.css").write_text(f".x {{ {rule} }}\n")
    (site / "templates" / "figures" / "trace" / "figure.css").write_text(".x { --d: 1 }\n")
    (site / "templates" / "figures" / "trace" / "figure.html.j2").write_text("<svg></svg>")

    css = read(site).assets["site.css"].decode()

    places = [css.index(rule) for rule in ("--a:1", "--b:1", "--c:1", "--d:1")]
    assert places == sorted(places)


def test_addresses_in_a_sheet_lead_from_the_folder_of_the_joined_one(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "images").mkdir()
    (site / "templates" / "images" / "dot.svg").write_text("<svg/>")
    (site / "templates" / "css").mkdir()
    (site / "templates" / "css" / "about.css").write_text(
        '.x { background: url("../images/dot.svg"); mask: url(data:image/png;base64,AA) }\n'
    )

    css = read(site).assets["site.css"].decode()

    assert '.x{background:url("images/dot.svg");mask:url(data:image/png;base64,AA)}' in css


def test_the_sheet_of_a_kind_that_only_scripts_draw_comes_with_its_script(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "images").mkdir()
    (site / "templates" / "images" / "dot.svg").write_text("<svg/>")
    (site / "templates" / "figures" / "trace" / "figure.css").write_text('.x { background: url("images/dot.svg") }')

    theme = read(site)

    assert theme.kinds["trace"].style == "figures/trace/figure.css"
    assert theme.assets["figures/trace/figure.css"].decode() == '.x{background:url("../../images/dot.svg")}'
    assert ".x{background" not in theme.assets["site.css"].decode()


def test_what_the_build_draws_has_a_sheet_of_the_page_and_one_that_comes_with_its_script(tmp_path: Path):
    site = copied(tmp_path)
    kind = site / "templates" / "figures" / "trace"
    (kind / "figure.html.j2").write_text("<svg></svg>")
    (kind / "figure.css").write_text(".drawn { --d: 1 }\n")

    alone = read(site)
    (kind / "still.css").write_text(".still { --e: 1 }\n")
    both = read(site)

    page, comes = both.assets["site.css"].decode(), both.assets["figures/trace/figure.css"].decode()
    assert alone.kinds["trace"].style is None
    assert ".drawn" in alone.assets["site.css"].decode()
    assert both.kinds["trace"].style == "figures/trace/figure.css"
    assert (".still" in page, ".drawn" in page, ".drawn" in comes) == (True, False, True)


def test_a_sheet_beside_a_script_comes_when_the_script_asks_for_it(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "images").mkdir()
    (site / "templates" / "images" / "dot.svg").write_text("<svg/>")
    (site / "templates" / "js").mkdir(exist_ok=True)
    (site / "templates" / "js" / "slides.css").write_text('.slides { background: url("../images/dot.svg") }')

    theme = read(site)

    assert theme.assets["js/slides.css"].decode() == '.slides{background:url("../images/dot.svg")}'
    assert ".slides{" not in theme.assets["site.css"].decode()


def test_scripts_and_sheets_are_published_without_their_comments(tmp_path: Path):
    site = copied(tmp_path)
    (site / "templates" / "figures" / "trace" / "figure.js").write_text(
        "/** A note. */\nexport const mount = 0;\nexport const a = `// kept ${1 /* gone */} /* kept */`; // gone\n"
    )
    (site / "templates" / "css").mkdir()
    (site / "templates" / "css" / "about.css").write_text("/* A note. */ .x { color: red }\n")

    assets = read(site).assets

    assert assets["figures/trace/figure.js"].decode().startswith("export const mount=0")
    assert "export const a=`// kept ${1" in assets["figures/trace/figure.js"].decode()
    assert "note" not in assets["figures/trace/figure.js"].decode()
    assert ".x{color:red}" in assets["site.css"].decode()
    assert "A note" not in assets["site.css"].decode()


def test_the_folder_is_named_by_content_alone(tmp_path: Path):
    first, second = copied(tmp_path / "a"), copied(tmp_path / "b")
    script = second / "templates" / "figures" / "trace" / "figure.js"
    script.touch()

    assert read(first).digest == read(second).digest
    script.write_text(script.read_text() + "// a comment is not published\n")
    assert read(first).digest == read(second).digest
    script.write_text(script.read_text() + "export const more = 1;\n")
    assert read(first).digest != read(second).digest


def test_what_only_bakes_need_is_not_published(tmp_path: Path):
    names = read(copied(tmp_path)).assets

    assert [name for name in names if name.endswith((".ttf", ".toml", ".j2"))] == []
    assert any(name.endswith(".woff2") for name in names)


def test_only_kinds_that_are_used_are_published_and_those_their_scripts_import(tmp_path: Path):
    site = copied(tmp_path)
    kinds = site / "templates" / "figures"
    for name in ("other", "drawn"):
        (kinds / name).mkdir()
        (kinds / name / "figure.toml").write_text("")
        (kinds / name / "figure.js").write_text("export const a = 1, mount = 2;\n")
    (kinds / "drawn" / "figure.html.j2").write_text("<svg></svg>")
    (kinds / "drawn" / "figure.css").write_text(".drawn { --d: 1 }\n")
    script = kinds / "trace" / "figure.js"

    alone = assets.read(site, [], {"trace"})
    script.write_text(f'import {{ a }} from "../other/figure.js";\n{script.read_text()}')
    both = assets.read(site, [], {"trace"})

    def published(theme: assets.Theme) -> set[str]:
        return {name.split("/")[1] for name in theme.assets if name.startswith("figures/")}

    assert (published(alone), published(both)) == ({"trace"}, {"other", "trace"})
    assert "--d:1" not in alone.assets["site.css"].decode()
    assert "--d:1" in read(site).assets["site.css"].decode()
    assert {"other", "drawn"} < alone.kinds.keys()


def test_a_script_that_shows_nothing_and_one_that_is_missing_are_told(tmp_path: Path):
    site = copied(tmp_path)
    script = site / "templates" / "figures" / "trace" / "figure.js"

    def wrong() -> list[str]:
        errors: list[SitegenError] = []
        assets.read(site, errors)
        return [f"{error.at}: {error.message}" for error in errors]

    assert wrong() == []
    for exported in ("export const mount = (root) => root;", "function a() {}\nexport { a as mount };"):
        script.write_text(exported)
        assert wrong() == []
    for kept in ("", "function mount(root) {}\n", "// mount"):
        script.write_text(kept)
        assert wrong() == ["templates/figures/trace/figure.js:1: figure.js exports no mount"]
    script.unlink()
    line = script.with_name("figure.toml").read_text("utf-8").partition("[state")[0].count("\n") + 1
    missing = "there is no figure.js to show the states of this kind"
    assert wrong() == [f"templates/figures/trace/figure.toml:{line}: {missing}"]


def test_a_template_that_no_page_is_made_with_is_told_with_the_name_that_was_meant(tmp_path: Path):
    own = tmp_path / "templates"
    (own / "figures" / "gauge").mkdir(parents=True)
    (own / "parts").mkdir()
    texts = {
        "pgae.html.j2": "{% include 'parts/mine.html.j2' %}",
        "page.html.j2": '{% extends "mine.html.j2" %}',
        "mine.html.j2": "",
        "parts/mine.html.j2": "",
        "figures/gauge/figure.html.j2": "",
        "figures/gauge/figure.toml": "",
        "figures/lost.html.j2": "",
        "css/mine.css": "",
    }
    (own / "css").mkdir()
    for name, text in texts.items():
        (own / name).write_text(text, encoding="utf-8")

    told = {str(error.at): error.hint for error in assets.unused_templates(tmp_path)}

    assert told.keys() == {"templates/figures/lost.html.j2", "templates/pgae.html.j2"}
    assert told["templates/pgae.html.j2"] == "did you mean 'page.html.j2'?"


def test_where_templates_are_chosen_by_what_stands_in_the_content_none_is_called_unused(tmp_path: Path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "mine.html.j2").write_text("", encoding="utf-8")
    (tmp_path / "templates" / "page.html.j2").write_text('{%- include page.slug ~ ".html.j2" %}', encoding="utf-8")

    assert assets.unused_templates(tmp_path) == []
