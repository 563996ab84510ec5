"""The figure kinds on the built page: they draw what the run says, answer mouse, touch and keys, and stay legible."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle

ROOT = Path(__file__).parents[2]
CHAPTER = "attention-and-transformers/index.html"
FIGURES = {  # figure -> its kind and the step that brings it
    "block": ("transformer-block", "a6-s1"),
    "wiring": ("wiring", "a6-s2"),
    "replay": ("training-replay", "a6-s3"),
    "decode": ("decode", "a6-s4"),
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
Open = Callable[..., Any]
# WCAG's contrast of two computed colours, which come as rgb(…) or, where they are mixed, as color(srgb …).
CONTRAST = """
  const channels = (text) => {
    const most = text.startsWith("color(") ? 1 : 255;
    return text.match(/[\\d.]+/g).slice(0, 3).map((one) => one / most);
  };
  const luminance = (text) => {
    const [r, g, b] = channels(text).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, two) => {
    const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
"""


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return json.loads((ROOT / "build/runs/reverse-digits/run.json").read_text("utf-8"))


def at(series: dict[str, Any], *indices: int) -> Any:
    """One number of a series."""
    place = 0
    for index, length in zip(indices, series["shape"], strict=True):
        place = place * length + index
    return series["values"][place]


def live(open_page: Open, figure: str, query: str = "", **options: Any) -> Any:
    """The page at the step that brings the figure, once it lives."""
    kind, step = FIGURES[figure]
    page = open_page(f"{CHAPTER}{query}#{step}", **options)
    page.locator(f"#{figure} .figure-body").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{figure}[data-kind={kind}][data-live=yes]")
    settle(page)
    return page


def remount(page: Any, figure: str, script: str) -> Any:
    """Mounts the figure a second time, apart from the page's host, and evaluates `script` with `show` and `root`."""
    return page.evaluate(
        f"""async (id) => {{
          const element = document.getElementById(id);
          const module = await import(new URL(element.dataset.script, document.baseURI).href);
          const read = async (url) => (url ? (await fetch(url)).json() : null);
          const run = await read(element.dataset.run);
          Object.assign(run?.series ?? {{}}, (await read(element.dataset.timings))?.series);
          const options = JSON.parse(element.dataset.options);
          const place = () => {{
            const root = document.createElement("div");
            root.className = "figure-live";
            element.querySelector(".figure-body").append(root);
            return root;
          }};
          const mount = (root) => module.mount(root, {{ run, options, alt: "", base: "" }}, () => {{}});
          return ({script})({{ mount, place, run }});
        }}""",
        figure,
    )


# --------------------------------------------------------------------------------------------- all kinds at once


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_every_text_is_at_least_12_pixels_contrasts_and_stays_inside(
    open_page: Open, figure: str, theme: str, width: int
):
    page = live(open_page, figure, viewport={"width": width, "height": 844}, color_scheme=theme)

    found = page.evaluate(
        """(id) => {
          const body = document.querySelector(`#${id} .figure-body`);
          const outer = body.getBoundingClientRect();
          /* contrast */
          const paper = getComputedStyle(document.body).backgroundColor;
          const faults = [];
          let seen = 0;
          for (const text of body.querySelectorAll(".figure-live text")) {
            const box = text.getBoundingClientRect();
            if (!text.textContent.trim() || !box.width) continue;
            seen += 1;
            const style = getComputedStyle(text);
            const scale = text.getScreenCTM().a;
            const size = parseFloat(style.fontSize) * scale;
            if (size < 11.99) faults.push(`${text.textContent}: ${size} px`);
            if (box.left < outer.left - 1 || box.right > outer.right + 1) faults.push(`${text.textContent}: outside`);
            const square = text.parentNode.querySelector(".map-square, .box rect, rect");
            const within = text.closest(".map-cell, .box");
            const fill = within && square ? getComputedStyle(square).fill : paper;
            const ratio = contrast(style.fill, fill === "none" ? paper : fill);
            if (ratio < 4.5) faults.push(`${text.textContent}: contrast ${ratio.toFixed(2)} on ${fill}`);
          }
          return { seen, faults, overflow: document.documentElement.scrollWidth - innerWidth };
        }""".replace("/* contrast */", CONTRAST),
        figure,
    )

    assert found["seen"] > 10
    assert found["faults"] == []
    assert found["overflow"] <= 0


@pytest.mark.parametrize("figure", FIGURES)
def test_on_a_phone_a_figure_fits_the_part_of_the_screen_it_may_cover(open_page: Open, figure: str):
    page = live(open_page, figure, **PHONE)

    height = page.evaluate("(id) => document.querySelector(`#${id} .figure-live`).scrollHeight", figure)

    assert height <= 0.45 * 844


@pytest.mark.parametrize(
    ("figure", "states"),
    [
        ("block", [{"part": "all"}, {"part": "scores"}, {"part": "add-norm"}]),
        ("wiring", [{"attention": "all"}, {"attention": "cross"}]),
        ("replay", [{"t": 600}, {"t": 0}, {"t": 96}]),
        ("decode", [{"position": 6}, {"position": 0}, {"position": 3}]),
    ],
)
def test_a_picture_depends_on_its_state_alone(open_page: Open, figure: str, states: list[dict[str, Any]]):
    page = live(open_page, figure)

    same = remount(
        page,
        figure,
        f"""({{ mount, place }}) => {json.dumps(states)}.map((state, index, states) => {{
          const [one, two] = [place(), place()];
          const [direct, wandering] = [mount(one), mount(two)];
          direct.show(state);
          for (const other of [...states, state]) wandering.show(other);
          const plain = (root) => root.innerHTML.replace(/ class=""/g, "");
          const equal = plain(one) === plain(two);
          for (const [root, mounted] of [[one, direct], [two, wandering]]) {{ mounted.destroy?.(); root.remove(); }}
          return equal;
        }})""",
    )

    assert same == [True] * len(states)


@pytest.mark.parametrize("figure", FIGURES)
def test_markup_sets_no_style(site: Path, figure: str):
    text = (site / CHAPTER).read_text("utf-8")
    start = text.index(f'id="{figure}"')

    assert " style=" not in text[start : text.index("</figure>", start)]


def test_a_printed_value_contrasts_with_its_cell_at_every_weight(open_page: Open):
    for theme in ("light", "dark"):
        page = live(open_page, "replay", color_scheme=theme)
        worst = page.evaluate(
            """() => {
              const cell = document.querySelector("#replay .map-cell");
              const [square, text] = [cell.querySelector(".map-square"), cell.querySelector(".map-value")];
              /* contrast */
              let worst = [99, 0];
              for (let w = 0; w <= 1.0001; w += 0.01) {
                cell.style.setProperty("--w", w.toFixed(2));
                const ratio = contrast(getComputedStyle(square).fill, getComputedStyle(text).fill);
                if (ratio < worst[0]) worst = [ratio, w];
              }
              return worst;
            }""".replace("/* contrast */", CONTRAST)
        )
        assert worst[0] >= 4.5, (theme, worst)


# ---------------------------------------------------------------------------------------------- training-replay


def test_the_replay_prints_the_weights_of_the_run(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "replay", "?t=128")
    maps = run["series"]["cross_attention"]
    checkpoint = maps["coordinates"]["checkpoint"].index(128)

    printed = page.locator("#replay .heat-map").nth(1).locator(".map-value").all_text_contents()

    expected = [at(maps, checkpoint, 1, query, key) for query in range(6) for key in range(6)]
    shown = [float(text) if text else 0 for text in printed]
    assert shown == pytest.approx(expected, abs=0.0051 if max(expected) < 0.995 else 0.05)


def test_arrow_keys_on_the_scrubber_go_from_checkpoint_to_checkpoint(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "replay")
    scrub = page.locator("#replay .scrub-range")

    scrub.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")

    steps = run["series"]["cross_attention"]["coordinates"]["checkpoint"]
    loss = run["series"]["loss"]["values"][steps[3]]
    assert scrub.get_attribute("aria-valuetext").startswith(f"step {steps[3]} of 600, loss {loss:.1f}")
    assert page.locator("#replay .scrub-read").text_content() == f"step {steps[3]} of 600"
    expect(page).to_have_url(re.compile(rf"[?&]t={steps[3]}\b"))


def test_the_cursor_of_the_chart_moves_with_the_scrubber_and_its_axes_do_not(open_page: Open):
    page = live(open_page, "replay")
    ticks = page.locator("#replay .line-chart").first.locator(".tick")
    before, where = ticks.all_text_contents(), page.locator("#replay .cursor").first.get_attribute("x1")

    page.locator("#replay .scrub-range").fill("12")

    assert ticks.all_text_contents() == before
    assert float(page.locator("#replay .cursor").first.get_attribute("x1")) > float(where)


def test_play_runs_to_the_last_step_and_stops_by_itself_within_five_seconds(open_page: Open):
    page = live(open_page, "replay")

    page.get_by_role("button", name="Play the training").click()
    page.get_by_role("button", name="Pause the training").wait_for()
    page.get_by_role("button", name="Play the training").wait_for(timeout=5_000)

    assert page.locator("#replay .scrub-read").text_content() == "step 600 of 600"


def test_a_change_is_announced_when_the_reader_lets_go_not_on_the_way(open_page: Open):
    page = live(open_page, "replay")
    scrub, status = page.locator("#replay .scrub-range"), page.locator("#replay .scrub [role=status]")

    scrub.evaluate("(range) => { range.value = 5; range.dispatchEvent(new Event('input')) }")
    assert status.text_content() == ""
    scrub.evaluate("(range) => range.dispatchEvent(new Event('change'))")

    assert status.text_content().startswith("step 16 of 600, loss ")


def test_controls_are_44_pixels_and_let_the_page_scroll_under_a_finger(open_page: Open):
    page = live(open_page, "replay", **PHONE)

    for selector in ("#replay .play", "#replay .scrub-range"):
        box = page.locator(selector).bounding_box()
        assert min(box["width"], box["height"]) >= 44, selector
    touch = page.locator("#replay .scrub-range").evaluate("(range) => getComputedStyle(range).touchAction")
    assert touch == "pan-y"


def test_a_map_is_one_stop_for_the_tab_key_and_arrows_move_inside(open_page: Open):
    page = live(open_page, "replay", "?t=600")
    grid = page.locator("#replay .heat-map").first

    assert grid.locator("[tabindex='0']").count() == 1
    grid.locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")

    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("query 8, key 2: ")
    assert grid.locator("[tabindex='0']").count() == 1
    assert page.locator("#replay .readout").text_content().startswith("Writing 8, reading 2: head 1 ")
    assert grid.locator(".is-lit").all_text_contents() == ["2", "8"]


def test_hovering_a_token_lights_its_row_in_every_head(open_page: Open):
    page = live(open_page, "replay", "?t=600")

    page.locator("#replay .map-query").nth(2).hover()

    lit = page.locator("#replay .heat-map").evaluate_all(
        """(grids) => grids.map((grid) => {
          const bands = [...grid.querySelectorAll(".map-band")];
          const visible = bands.filter((band) => band.getAttribute("visibility") === "visible");
          return [grid.querySelectorAll(".is-lit").length, visible.length];
        })"""
    )
    assert lit == [[1, 1], [1, 1]]


def test_a_tap_on_a_cell_stays_lit(open_page: Open):
    page = live(open_page, "replay", "?t=600", **PHONE)

    page.locator("#replay .map-cell").nth(7).tap()

    assert page.locator("#replay .readout").text_content().startswith("Writing 8, reading 2: ")


# -------------------------------------------------------------------------------------------------------- decode


def test_decoding_shows_as_many_digits_as_are_written(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "decode", "?position=4")
    written = run["series"]["decode_attention"]["coordinates"]["query"]

    assert [text for text in page.locator("#decode .token-query").all_text_contents() if text] == written[:4]
    assert page.locator("#decode .slot.is-empty").count() == 2
    assert page.locator("#decode .bar-name").first.text_content() == written[3]


def test_before_the_first_digit_nothing_is_read(open_page: Open):
    page = live(open_page, "decode", "?position=0")

    assert page.locator("#decode .arc:visible").count() == 0
    assert set(page.locator("#decode .map-value").all_text_contents()) == {"–"}
    assert set(page.locator("#decode .bar-name").all_text_contents()) == {""}


def test_the_arcs_of_a_digit_are_as_wide_as_the_mean_weights(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "decode", "?position=6")
    attention = run["series"]["decode_attention"]
    mean = [sum(at(attention, head, 5, key) for head in range(2)) / 2 for key in range(6)]

    strokes = page.locator("#decode .arc").evaluate_all(
        "(arcs) => arcs.slice(30).map((arc) => +arc.getAttribute('stroke-width'))"
    )

    assert strokes == pytest.approx([14 * weight for weight in mean], abs=0.01)


# ------------------------------------------------------------------------------------ transformer-block, wiring


@pytest.mark.parametrize("figure", ["block", "wiring"])
def test_a_diagram_stands_without_javascript(open_page: Open, figure: str):
    page = open_page(CHAPTER, java_script_enabled=False)

    drawing = page.locator(f"#{figure} .figure-still .diagram-wide")

    assert drawing.is_visible()
    assert drawing.get_attribute("role") == "img"
    assert drawing.get_attribute("aria-label")
    assert not page.locator(f"#{figure} .figure-still .diagram-narrow").is_visible()


def test_the_block_states_the_parameters_of_the_run(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "block")
    counts = run["examples"]["parameter_counts"]["encoder"]

    texts = page.locator("#block .figure-live .diagram-wide .box-more").all_text_contents()

    attention = sum(counts[name] for name in ("W_Q", "W_K", "W_V", "W_O"))
    expected = [attention, counts["norm1"], counts["FFN"], counts["norm2"]]
    expected += [counts[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    assert texts == [f"{number:,}" for number in expected]


def test_a_press_on_a_box_lights_its_part_and_another_press_everything_again(open_page: Open):
    page = live(open_page, "block")
    box = page.locator("#block .figure-live .diagram-wide").get_by_role("button", name="output projection")

    box.click()
    page.wait_for_selector("#block .diagram-wide .box.is-part")
    assert box.get_attribute("aria-pressed") == "true"
    assert "mixed by one more matrix" in page.locator("#block .readout").text_content()
    box.press("Enter")
    expect(page.locator("#block .figure-live .is-part")).to_have_count(0)

    assert box.get_attribute("aria-pressed") == "false"


def test_the_wiring_hatches_the_future_and_colours_only_what_may_be_read(open_page: Open, run: dict[str, Any]):
    page = live(open_page, "wiring")

    maps = page.locator("#wiring .figure-live .diagram-wide .small-map")
    shared = "(map) => document.querySelector(map.querySelector('use').getAttribute('href'))"
    cells = "(one) => [...one.querySelectorAll('.map-fill')].flatMap((shade) => shade.outerHTML.match(/z/g)).length"
    fills = maps.evaluate_all(f"(maps) => maps.map({shared}).map({cells})")
    hatched = maps.evaluate_all("(maps) => maps.map((map) => map.querySelectorAll('.map-hatch').length)")

    def readable(name: str) -> int:
        series = run["series"][name]
        last, heads = series["shape"][0] - 1, range(series["shape"][1])
        means = [
            sum(at(series, last, head, query, key) for head in heads) / len(heads)
            for query in range(6)
            for key in range(6)
        ]
        return sum(mean >= 0.005 for mean in means)

    assert fills == [readable(name) for name in ("encoder_attention", "decoder_attention", "cross_attention")]
    assert fills[1] <= 21, "a causal map of six has 21 places"
    assert hatched == [0, 1, 0]


def test_choosing_an_attention_lights_its_box_its_map_and_for_the_cross_attention_the_memory(open_page: Open):
    page = live(open_page, "wiring", "?attention=cross")

    lit = page.locator("#wiring .figure-live .diagram-wide .is-part").evaluate_all(
        "(parts) => parts.map((part) => part.classList[0]).sort()"
    )

    assert lit == ["box", "small-map", "way-head", "way-line"]
