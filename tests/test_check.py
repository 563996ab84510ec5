"""Promises to readers, on HTML written for the purpose."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

import pytest
from minimal_site import MINIMAL, copied
from msgspec.structs import replace

from sitegen import check, content, discovery
from sitegen.build import inspect
from sitegen.markdown.markers import Marker
from sitegen.schema import Location, Section, Site

HEAD = "<h1>T</h1>"


def broken(html: str, *others: str, prefix: str = "/") -> list[str]:
    """What is wrong with a page at a/index.html, beside other files."""
    outlines = {"a/index.html": check.outline(html), "b/index.html": check.outline('<h1 id="top">B</h1>')}
    return [str(error) for error in check.broken(outlines, {*outlines, *others}, prefix=prefix)]


@pytest.mark.parametrize(
    "href",
    [
        "#here",
        "",
        "../b/index.html",
        "../b/",
        "../b",
        "../b/index.html#top",
        "?t=4#here",
        "https://x.org/",
        "mailto:a@b.c",
        "c.png",
    ],
)
def test_a_link_that_leads_somewhere_is_well(href: str):
    assert broken(f'{HEAD}<p id="here"><a href="{href}">x</a></p>', "a/c.png") == []


@pytest.mark.parametrize(
    ("href", "message"),
    [
        ("#there", "a/index.html:2: the link '#there' leads to no place on its page\n  hint: did you mean 'here'?"),
        (
            "../b/index.html#tip",
            "a/index.html:2: the link '../b/index.html#tip' leads to no place on its page\n  hint: did you mean 'top'?",
        ),
        ("../bb/", "a/index.html:2: the link '../bb/' is dead\n  hint: did you mean '/b/'?"),
        (
            "/b/",
            "a/index.html:2: the link '/b/' leaves the site\n"
            "  hint: write it from the page, or from the root of the site",
        ),
    ],
)
def test_a_link_that_leads_nowhere_is_told(href: str, message: str):
    assert broken(f'{HEAD}\n<p id="here"><a href="{href}">x</a></p>', prefix="/p/") == [message]


def test_pictures_and_data_that_are_not_there_are_dead_links_too():
    html = f'{HEAD}<img src="x.png" alt=""><figure data-run="y.json"><img src="c.png" alt="C"></figure>'

    assert [line.partition("\n")[0] for line in broken(html, "a/c.png")] == [
        "a/index.html:1: the link 'y.json' is dead",
        "a/index.html:1: the link 'x.png' is dead",
    ]


def test_a_dead_link_of_the_text_is_told_where_it_was_written():
    html = f'{HEAD}<p><a href="#no">x</a></p>'
    prose = f'<p>{Marker("line", (), Location("content/a.md", 7))}<a href="#no">x</a></p>'
    outlines = {"a/index.html": check.outline(html)}

    errors = check.broken(outlines, outlines.keys(), [check.Prose("a/index.html", prose, "../")])

    assert [str(error) for error in errors] == ["content/a.md:7: the link '#no' leads to no place on its page"]


def test_an_id_may_stand_once():
    assert broken(f'{HEAD}<p id="x"></p>\n<p id="x"></p>') == [
        "a/index.html:2: two elements of one page have the id 'x'\n"
        "  hint: rename what is called so: a section, a heading, a figure or a formula"
    ]


def test_headings_do_not_jump():
    assert broken("<h1>A</h1><h2>B</h2><h3>C</h3><h2>D</h2>") == []
    assert broken("<h1>A</h1>\n<h3>C</h3>") == ["a/index.html:2: a heading of level 3 follows one of level 1"]


def test_a_picture_needs_an_alternative_text_which_may_be_empty():
    assert broken(f'{HEAD}<img src="c.png">', "a/c.png") == [
        "a/index.html:1: the picture 'c.png' has no alternative text"
    ]
    assert broken(f'{HEAD}<img src="c.png" alt="">', "a/c.png") == []


def test_a_figure_needs_words():
    bare = '<figure id="f" data-kind="map"><img src="c.png" alt=""></figure>'
    drawn = '<figure id="f"><svg role="img" aria-label="A line"></svg><table></table></figure>'

    assert broken(HEAD + bare, "a/c.png") == ["a/index.html:1: figure 'f' has no alternative text"]
    assert broken(HEAD + drawn) == []
    assert [str(one) for one in check.wordless({"a/index.html": check.outline(bare + drawn)})] == [
        "a/index.html:1: figure 'f' has no table\n  hint: add [table] to templates/figures/map/figure.toml"
    ]


def test_elements_are_counted_for_each_act():
    html = '<section class="act" id="a1"><p>x<br>y</p></section><section class="act" id="a2"></section><p></p>'

    assert check.outline(html).acts == {"a1": 3, "a2": 1}


# ----------------------------------------------------------------------------------------------- measurements


def site(html: str) -> Site:
    line = Marker("line", (), Location("content/a.md", 7))
    section = Section("s", "S", "section", f"<p>{line}{html}</p>", (), (), (), Location("content/a.md", 1))
    whole = content.read(MINIMAL)
    chapter = replace(whole.chapters[0], opening=None, parts=(section,), attribution="")
    return replace(whole, chapters=(chapter,), pages=(), footer="")


@pytest.mark.parametrize("text", ["it is 0.98", "99.8 % of all", "12% of all", "about 1,234.5 ms", "a drop of 0.5."])
def test_a_typed_measurement_is_found_with_its_line(text: str):
    found = check.measurements(site(text))

    assert [error.at for error in found.findings] == [Location("content/a.md", 7)]


@pytest.mark.parametrize(
    "text",
    [
        "six digits, 600 steps, the year 2017",
        "see §11.4 and section 11.4",
        "under CC BY-SA 4.0",
        "doi:10.1038/nature14539",
        "version 2.13 and 1.2.3",
        "<code>x = 0.5</code> and <math><mn>0.5</mn></math>",
        "<table><tr><td>0.5</td></tr></table>",
    ],
)
def test_what_is_no_measurement_is_left_alone(text: str):
    assert check.measurements(site(text)).findings == ()


def test_each_class_of_numbers_is_counted():
    value = Marker("value", ("a.metrics.b:.2f",), Location("content/a.md", 7))

    found = check.measurements(
        site(f'{value} <span class="cited">0.5</span> <span class="given">0.5 <em>0.6</em></span> 0.7')
    )

    assert (found.measured, found.cited, found.given, len(found.findings)) == (1, 1, 1, 1)


def test_a_run_that_no_page_shows_is_told():
    errors = check.unused_runs(content.read(MINIMAL), ["a", "b"], {"a"})

    assert [str(error) for error in errors] == [
        "build/runs/b/run.json: run 'b' is baked, but no page shows it\n"
        "  hint: show it in a figure, or remove its recipe and the folder build/runs/b"
    ]


def test_a_recipe_of_an_act_that_is_not_there_is_told_but_for_those_a_section_shows():
    (info,) = discovery.discover(MINIMAL, discovery.model_packages(MINIMAL))

    errors = check.without_act(content.read(MINIMAL), [info, replace(info, name="other", act=7), replace(info, act=7)])

    assert [(error.message, error.at, error.hint) for error in errors] == [
        ("recipe 'other' is of act 7, which chapter 'straight-lines' does not have", info.at, "its acts: 1")
    ]


# ---------------------------------------------------------------------------------------------------- budgets


def test_a_model_on_demand_has_a_budget_of_its_own_and_is_no_part_of_the_site_that_is_kept():
    large, small = "data/large.0123.bin", "data/small.0123.bin"
    noise = b"".join(hashlib.sha256(bytes([k, n])).digest() for k in range(250) for n in range(40))
    files = {large: noise, small: noise[:1000]}

    sizes = {size.name: size for size in check.sizes({}, files, on_demand={large})}

    assert (sizes[large].kind, sizes[small].kind) == ("model on demand", "model")
    assert sizes["site"].amount == sizes[small].amount
    assert sizes[large].finding is None
    assert check.sizes({}, files)[-2].finding is not None


def test_scripts_are_followed_along_their_imports():
    figure = '<section class="act" id="a1"><figure data-script="../assets/d/figures/f/figure.js"></figure></section>'
    files = {
        "a/index.html": figure.encode(),
        "assets/d/js/site.js": b'import { a } from "./a.js";\nimport("./late.js");\n',
        "assets/d/js/a.js": b"export const a = 1;\n",
        "assets/d/js/late.js": b"export {};\n",
        "assets/d/js/engine/e.js": b"e" * 5000,
        "assets/d/figures/f/figure.js": b'import{b}from"./b.js";import{a}from"../../js/a.js";',
        "assets/d/figures/f/b.js": b"export const b = 2;\n",
    }

    found = {
        (size.kind, size.name): size.amount for size in check.sizes({"a/index.html": check.outline(figure)}, files)
    }

    packed = {path: len(zlib.compress(data, 9)) for path, data in files.items()}
    assert found["code of an act", "a/index.html#a1"] == (
        packed["assets/d/figures/f/figure.js"] + packed["assets/d/figures/f/b.js"]
    )
    site = packed["assets/d/js/site.js"] + packed["assets/d/js/a.js"]
    assert found["shared js", "a/index.html"] == site
    assert found["first view", "a/index.html"] == packed["a/index.html"] + site


def test_only_what_is_over_its_budget_is_a_finding():
    most = check.BUDGETS["css"]

    assert check.Size("css", "site.css", most).finding is None
    assert (
        str(check.Size("css", "site.css", most + 1024).finding)
        == "site.css: css weighs 13.0 KB compressed, 12 KB are allowed"
    )
    assert str(check.Size("elements", "a#a1", 1501).finding) == "a#a1: an act has 1,501 elements, 1,500 are allowed"


def test_a_page_without_the_rows_of_its_tables_is_the_same_to_a_check():
    rows = "<tr><td>1</td></tr>\n<tr><td>2</td></tr>\n"
    html = f'<h1>A</h1>\n<table><thead><tr><th>a</th></tr></thead>\n<tbody>{rows}</tbody></table>\n<a href="b">b</a>'

    short = check.without_rows(html)

    assert "<td>" not in short
    assert check.outline(short).links == check.outline(html).links == [("b", 6)]


# ---------------------------------------------------------------------------------------------------------- glyphs

DRAWN = {
    "text": frozenset(map(ord, "é—Σ")),
    "code": frozenset(map(ord, "é")),
    "math": frozenset([*map(ord, "α∑"), 0x1D465]),
}


def undrawn(
    html: str, pages: dict[str, str] | None = None, scripts: dict[str, tuple[str, str]] | None = None
) -> list[str]:
    return [str(error).partition("\n")[0] for error in check.undrawn(site(html), pages or {}, scripts or {}, DRAWN)]


def test_a_character_that_no_face_draws_is_told_with_its_line_and_name():
    assert undrawn("née — Σ 漢 and 漢") == [
        "content/a.md:7: no face of the site draws '漢' (U+6F22, cjk unified ideograph-6f22)"
    ]


def test_code_and_formulas_have_faces_of_their_own():
    html = "<code>é Σ</code> <math><mi>x</mi><mi>α</mi><mi>y</mi><mi>exp</mi></math>"

    assert undrawn(html) == [
        "content/a.md:7: no face of the site draws 'Σ' (U+03A3, greek capital letter sigma), "
        "'𝑦' (U+1D466, mathematical italic small y)"
    ]


def test_a_line_in_another_script_is_one_finding():
    (told,) = undrawn("注意力机制")

    assert told.startswith("content/a.md:7: no face of the site draws '制' (U+5236")
    assert told.endswith("and 2 more")


def test_a_site_may_leave_what_its_faces_lack_to_the_fonts_of_its_readers(tmp_path: Path):
    site = copied(tmp_path)
    act = site / "content" / "01-straight-lines" / "01-the-slope.md"
    act.write_text(act.read_text("utf-8") + "\n注意力\n", "utf-8")
    settings = site / "content" / "site.toml"

    def told() -> list[str]:
        return [str(one.hint) for one in inspect(site).findings if "no face" in one.message]

    before = told()
    assert len(before) == 1
    assert before[0].startswith("with system_fonts = true in content/site.toml")
    settings.write_text(f"system_fonts = true\n{settings.read_text('utf-8')}", "utf-8")
    assert told() == []


def test_what_runs_and_scripts_bring_is_told_too_and_each_character_once():
    pages = {"a/index.html": "<p>\n<td>☂</td> ☂ é</p>", "b/index.html": "<p>漢</p>"}
    scripts = {"templates/js/a.js": ("// ☃ is silent\nsay('☄');", "say('☄');")}

    assert undrawn("漢", pages, scripts) == [
        "content/a.md:7: no face of the site draws '漢' (U+6F22, cjk unified ideograph-6f22)",
        "templates/js/a.js:2: no face of the site draws '☄' (U+2604, comet)",
        "a/index.html:2: no face of the site draws '☂' (U+2602, umbrella)",
    ]


def test_what_is_never_drawn_needs_no_face():
    assert undrawn("soft\u00adhyphen, joiner\u200d, variant\ufe00") == []


def test_files_that_are_one_where_case_does_not_count_are_told():
    found = check.broken({}, ["js/Chart.js", "js/chart.js", "js/charts.js"])

    assert [str(error) for error in found] == [
        "js/chart.js: 'js/chart.js' and 'js/Chart.js' differ only in case\n"
        "  hint: some computers take them for one file: rename what they are made of"
    ]


def test_a_link_that_no_address_can_be_read_from_is_told():
    found = check.broken({"index.html": check.outline('<a href="http://[">x</a>')}, ["index.html"])

    assert [error.message for error in found] == ["the link 'http://[' is no address"]


# --------------------------------------------------------------------------------------------- scripts and sheets

SCRIPT = "export function mount(root) {\n  const size = [1, 2];\n  return { show() {} };\n}\n"
SHEET = "p { color: red; }\nq {\n  color: blue;\n}\n"


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("a.js", SCRIPT, "/* never closed", 1),
        ("a.js", "size =", "=", 2),
        ("a.js", "2];", "2;", 2),
        ("a.js", "[1, 2]", "'one", 2),
        ("a.js", "};\n}", "};", 3),
        ("a.css", "red;", "red; /* never closed", 1),
        ("a.css", "blue;\n}", "blue;", 2),
        ("a.css", "q {", "a{{{ 'x", 2),
        ("a.css", "blue", "'blue", 3),
        ("a.css", "color: blue", "color blue", 3),
        ("a.css", "q {\n  color: blue;\n}", "q", 2),
    ],
)
def test_the_first_mistake_of_a_script_or_sheet_is_told_with_its_line(name: str, old: str, new: str, line: int):
    text = SCRIPT if name.endswith(".js") else SHEET
    assert check.syntax_errors(name, text) == []
    assert old in text

    found = check.syntax_errors(name, text.replace(old, new))

    assert [str(error.at) for error in found] == [f"templates/{name}:{line}"]


MODERN_SCRIPT = """
import words from "./words.json" with { type: "json" };
export * as all from "./all.js";
class Held { #kept = 1; static { this.made = 0; } async *each() { yield* []; } has(other) { return #kept in other; } }
const letters = /[\\p{L}--[a-z]]/v, { a = 1_000n, ...rest } = {};
for await (const one of all()) rest.b ??= one?.x?.[0]?.(a) ?? 2 ** 3;
try { await import("./d.js") } catch { }
const told = String.raw`\\u ${`${a}`}`
/b/g.exec("")
"""
MODERN_SHEET = """
@import url("x.css") layer(a) supports(display: grid);
@layer base, theme;
@property --x { syntax: "<length>"; inherits: false; initial-value: 0px; }
@container card (width >= 30rem) { a:hover { color: red } }
@media (400px <= width < 700px) { @supports selector(a:has(b)) { a { color: red; } } }
@page :first { margin: 1cm; @top-left { content: counter(page) } }
.a { --empty:; &:hover { color: red } > b:is(h1, h2)::before { content: "\\201C" / "alt" } .c & { inset: 0 } }
@font-face { src: url(data:font/woff2;base64,abc=) format("woff2"); unicode-range: U+0025-00FF, U+4?? }
.w-1\\/2[href^="a" i] { width: calc(50% - -1 * var(--x, 1px)); color: rgb(0 0 0 / 50%) !important }
"""


def test_what_browsers_learned_of_late_is_no_mistake():
    assert check.syntax_errors("a.js", MODERN_SCRIPT) == []
    assert check.syntax_errors("a.css", MODERN_SHEET) == []


def test_every_script_and_sheet_of_the_theme_can_be_read():
    templates = Path(__file__).resolve().parent.parent / "templates"
    files = [path for path in sorted(templates.rglob("*")) if path.suffix in (".js", ".css")]
    assert len(files) > 100

    assert [error for path in files for error in check.syntax_errors(path.name, path.read_text("utf-8"))] == []


def test_an_inspection_reads_the_scripts_and_sheets_of_the_site_itself(tmp_path: Path):
    site = copied(tmp_path)
    with (site / "templates" / "figures" / "trace" / "figure.js").open("a", encoding="utf-8") as script:
        script.write("const = ;\n")
    (site / "templates" / "css").mkdir(exist_ok=True)
    (site / "templates" / "css" / "site.css").write_text("a{{{ 'x", "utf-8")
    lines = (site / "templates" / "figures" / "trace" / "figure.js").read_text("utf-8").count("\n")

    found = [str(one.at) for one in inspect(site).findings if one.at and one.at.path.endswith((".js", ".css"))]

    assert found == ["templates/css/site.css:1", f"templates/figures/trace/figure.js:{lines}"]
