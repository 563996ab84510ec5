"""Every figure of the site is legible, reachable and true to its state; then the figures of act six, one by one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle
from tests.browser.living import (
    CHAPTER,
    CONTRAST,
    FAULTS,
    PHONE,
    ROOT,
    Open,
    baked,
    figures,
    own,
    wanderers,
)

KINDS = figures()
CHAPTERS = [
    f"{path.parent.name.partition('-')[2]}/index.html" for path in sorted((ROOT / "content").glob("*/chapter.toml"))
]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("reverse-digits")


def at(series: dict[str, Any], *indices: int) -> Any:
    """One number of a series."""
    place = 0
    for index, length in zip(indices, series["shape"], strict=True):
        place = place * length + index
    return series["values"][place]


# ------------------------------------------------------------------------------------------------- all figures

# States of a figure that differ: its own, then for each name some of its values; from what the page allows.
STATES = """(id) => {
  const allowed = JSON.parse(document.getElementById(id).dataset.allowed ?? "{}");
  const third = (all, part) => all[Math.floor((part * (all.length - 1)) / 2)];
  const some = (all) => (all.length < 5 ? all : [0, 1, 2].map((part) => third(all, part)));
  const values = ([name, range]) => {
    if (Array.isArray(range)) return some(range).map((value) => ({ [name]: value }));
    const { min = 0, max = min + 1, whole } = range;
    const middle = (min + max) / 2;
    return [min, whole ? Math.round(middle) : middle, max].map((value) => ({ [name]: value }));
  };
  return [{}, ...Object.entries(allowed).flatMap(values)];
}"""
# The faults of a figure in all these states and themes, each with where it is.
EVERYWHERE = """async ([id, states, themes]) => {
  const { story } = await import(document.querySelector("script[type=module]").src);
  const frame = () => new Promise(requestAnimationFrame);
  const faultsOf = /* faults */;
  const found = new Map();
  let seen = 0;
  for (const theme of themes) {
    document.documentElement.dataset.theme = theme;
    for (const state of states) {
      story.reset(id);
      story.change(id, state);
      await frame(); await frame();
      const { seen: words, faults } = faultsOf(id);
      seen = Math.max(seen, words);
      for (const fault of faults) found.set(`${theme} ${fault}`, JSON.stringify(state));
    }
  }
  story.reset(id);
  return { seen, faults: [...found].map(([fault, state]) => `${innerWidth} ${fault} ${state}`) };
}""".replace("/* faults */", FAULTS)
SMALL = """(id) => [...document.querySelectorAll(`#${id} .figure-live :is(button, input, select)`)]
  .filter((one) => one.checkVisibility() && (one.offsetHeight < 44 || one.offsetWidth < 44))
  .map((one) => `${one.className} ${one.textContent} ${one.offsetWidth} ${one.offsetHeight}`)"""
# What is written into a figure's attributes while it has hardly any room, none, and room again, and is no number.
SQUEEZED = """async (id) => {
  const live = document.querySelector(`#${id} .figure-live`);
  const frame = () => new Promise(requestAnimationFrame);
  const found = [];
  for (const width of ["60px", "1px", "0", ""]) {
    live.style.width = width;
    await frame(); await frame();
    for (const mark of live.querySelectorAll("svg *")) {
      for (const { name, value } of mark.attributes) {
        if (/NaN|Infinity/.test(value)) found.push(`${width} ${mark.tagName} ${name}=${value}`);
      }
    }
  }
  if (live.getAttribute("style") === "") live.removeAttribute("style"); // asking makes it what it is now
  return found;
}"""
LETTERS = "mask-letter"  # a sentence's letters are pressed one by one and stand close, as letters do
WORKING = {"lab-reverser", "lab-training", "mask-it"}  # what they draw is computed meanwhile, with weights


def test_every_figure_of_the_texts_has_its_page(site: Path):
    assert sorted(KINDS) == sorted(path.parent.name for path in site.glob("figures/*/index.html"))


@pytest.mark.parametrize("figure", KINDS)
def test_a_figure_is_legible_inside_and_reachable_and_depends_on_its_state_alone(open_page: Open, figure: str):
    page = open_page(f"figures/{figure}/index.html", color_scheme="light", reduced_motion="reduce")
    element = page.locator(f"figure#{figure}")
    assert element.get_attribute("data-kind") == KINDS[figure]
    if not element.get_attribute("data-script"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        return
    page.wait_for_selector(f"#{figure}[data-live=yes]")
    states = page.evaluate(STATES, figure)
    found: list[str] = []

    for width, more in ((1280, ["dark"]), (768, []), (390, ["light"])):
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        own_state = page.evaluate(EVERYWHERE, [figure, [{}], ["light", "dark"]])
        assert own_state["seen"] >= 8
        found += own_state["faults"] + page.evaluate(EVERYWHERE, [figure, states[1:], more])["faults"]

    assert found == []
    assert page.evaluate(SQUEEZED, figure) == []  # and what SVG refuses is a complaint of the page
    assert [one for one in page.evaluate(SMALL, figure) if not one.startswith(LETTERS)] == []
    sliders = page.locator(f"#{figure} .figure-live input[type=range]")
    assert set(sliders.evaluate_all("all => all.map((one) => getComputedStyle(one).touchAction)")) <= {"pan-y"}
    assert page.locator(f"#{figure} [style]:not(.figure-live *, .figure-body)").count() == 0, "markup sets no style"
    if figure not in WORKING:
        assert wanderers(page, figure, states) == []


# Goes to every step and tells of its figure how high it is, and how high its stage; whether steps share it.
STAGES = """async (wanted) => {
  const { story } = await import(document.querySelector("script[type=module]").src);
  const frame = () => new Promise(requestAnimationFrame);
  const found = [];
  for (const step of story.steps) {
    const figure = story.figures.get(step.dataset.figure);
    if (!figure || !(wanted ?? [figure.id]).includes(figure.id)) continue;
    story.go(step, { focus: false });
    await figure.mount();
    while (figure.element.dataset.live === "pending") await frame();
    await frame(); await frame(); await frame();
    const { live, body } = figure;
    const shared = step.closest(".scene").querySelectorAll(".step").length > 1;
    found.push({ id: figure.id, shared, tall: live.scrollHeight, inside: body.scrollHeight, stage: body.clientHeight });
  }
  return found;
}"""
TALL = {  # those that take more than 45 % of a phone's height; each has a step of its own, above which it does not stay
    "four-kernels": 422, "pooling": 436, "width": 446, "heads": 456, "vision": 690,
    "fill-in": 471, "reversal": 403, "decoder-block": 467, "strings-replay": 422, "deep-layers": 629, "sort": 625,
}  # fmt: skip


def test_on_a_phone_figures_leave_room_for_the_text(open_page: Open):
    for chapter in CHAPTERS:
        page = open_page(chapter, **PHONE)

        found = page.evaluate(STAGES, None)

        assert {
            one["id"] for one in found if one["shared"] and not one["inside"] <= one["stage"] <= 0.45 * 844 + 1
        } == set()
        alone = {one["id"]: one["tall"] for one in found if not one["shared"]}
        assert {name: tall for name, tall in alone.items() if tall > max(0.45 * 844, TALL.get(name, 0) + 12)} == {}
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(("width", "window"), [(320, 700), (375, 667), (390, 844), (768, 1024)])
def test_on_any_small_window_what_steps_share_has_one_height_and_is_not_cut_off(
    open_page: Open, width: int, window: int
):
    page = open_page(f"{CHAPTER}#a1-s3", viewport={"width": width, "height": window})

    found = page.evaluate(STAGES, ["lookup"] if width < 375 else ["lookup", "samples"])

    assert len(found) == (5 if width < 375 else 7)
    assert all(one["tall"] <= 0.45 * window - 16 for one in found)  # the stage's own room above and below
    assert len({(one["id"], one["tall"]) for one in found}) == len({one["id"] for one in found})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_every_figure_has_its_picture_its_description_and_its_numbers(open_page: Open):
    for chapter in CHAPTERS:
        page = open_page(chapter, java_script_enabled=False)

        lost = page.locator(".figure").evaluate_all(
            """(all) => all.flatMap((figure) => {
              if (figure.closest("details:not([open])")) return [];
              const stills = [...figure.querySelectorAll(".figure-still :is(img, svg[role=img])")];
              const shown = stills.find((one) => one.checkVisibility());
              const words = figure.querySelector(".figure-still").textContent.trim(); // some consist of words
              const said = shown ? (shown.getAttribute("alt") ?? shown.getAttribute("aria-label")) : words;
              const rows = figure.querySelectorAll(".words table tbody tr").length;
              return said.length > 60 && (rows > 1 || !figure.dataset.run) ? [] : [`${figure.id}: ${said} ${rows}`];
            })"""
        )

        assert lost == []
        stills = page.locator(".scene").evaluate_all(
            """(all) => all.flatMap((scene) => {
              const steps = scene.querySelectorAll(".step").length;
              const pictures = scene.querySelectorAll(".figure-still > img, .step-still").length;
              const drawn = !scene.querySelector(".figure-still > img"); // by the build, in one state
              return drawn || pictures === steps ? [] : [scene.querySelector(".step").id];
            })"""
        )
        assert stills == [], "every step brings a still"


# A link to a figure's state -> what then stands there.
LINKS = [
    ("variance", "?d=16", ".histogram-label", "d = 16"),
    ("saturation", "?d=16", ".scrub-read", "d = 16"),
    ("scaled", "?d=8&scaling=raw", ".histogram-label", "d = 8"),
    ("masking", "?mask=infinity", ".choice[aria-pressed=true]", "−∞"),
    ("additive", "?part=tanh", ".box.is-part", "tanh"),
    ("bottleneck", "?length=16", ".scrub-read", "16 words"),
    ("alignment", "?word=rouge", ".choice[aria-pressed=true]", "rouge"),
    ("alignment", "?view=replay&t=16", ".scrub-read", "step 16 of 100"),
    ("alignment", "?view=crossing&t=8", ".alignment-pair .chart-title >> nth=1", "after 8 steps"),
    ("held-out", "?phrase=the+old+lamp", ".scrub-read", "the old lamp"),
    ("one-head", "?query=6", ".readout", "The 3 reads itself most, 0.72, then the 5, 0.12."),
    ("heads", "?head=3", ".readout", "cross, head 1: mirror 0.81"),
    ("shuffle", "?positions=with", ".shuffle-result", "Largest difference: 4.99"),
    ("position-code", "?position=63", ".scrub-read", "position 63"),
    ("position-gap", "?start=40", ".readout", "40 and 47: similarity 0.71"),
    ("vision", "?garment=12", ".vision-title >> nth=0", "T-shirt, taken for shirt"),
]


@pytest.mark.parametrize(("figure", "query", "selector", "text"), LINKS)
def test_a_link_restores_a_state_also_after_a_reload(
    open_page: Open, figure: str, query: str, selector: str, text: str
):
    page = own(open_page, figure, query)

    for _ in range(2):
        expect(page.locator(f"#{figure} .figure-live {selector}")).to_contain_text(text)
        expect(page).to_have_url(re.compile(re.escape(query)))
        page.reload()


def test_an_address_beyond_what_a_figure_allows_is_put_right(open_page: Open):
    page = own(open_page, "replay", "?t=4999&nonsense=1")

    expect(page).to_have_url(re.compile(r"index\.html\?t=600$"))
    assert page.locator("#replay .scrub-read").text_content() == "step 600 of 600"


# --------------------------------------------------------------------------------------------------- heads, maps


def test_a_printed_value_contrasts_with_its_cell_at_every_weight(open_page: Open):
    for theme in ("light", "dark"):
        page = own(open_page, "replay", color_scheme=theme)
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
    page = own(open_page, "replay", "?t=128")
    maps = run["series"]["cross_attention"]
    checkpoint = maps["coordinates"]["checkpoint"].index(128)

    printed = page.locator("#replay .heat-map").nth(1).locator(".map-value").all_text_contents()

    expected = [at(maps, checkpoint, 1, query, key) for query in range(6) for key in range(6)]
    shown = [float(text) if text else 0 for text in printed]
    assert shown == pytest.approx(expected, abs=0.0051 if max(expected) < 0.995 else 0.05)


def test_arrow_keys_on_the_scrubber_go_from_checkpoint_to_checkpoint(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "replay")
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
    page = own(open_page, "replay")
    ticks = page.locator("#replay .line-chart").first.locator(".tick")
    before, where = ticks.all_text_contents(), page.locator("#replay .cursor").first.get_attribute("x1")

    page.locator("#replay .scrub-range").fill("12")

    assert ticks.all_text_contents() == before
    assert float(page.locator("#replay .cursor").first.get_attribute("x1")) > float(where)


def test_play_runs_to_the_last_step_and_stops_by_itself_within_five_seconds(open_page: Open):
    page = own(open_page, "replay")

    page.get_by_role("button", name="Play the training").click()
    page.get_by_role("button", name="Pause the training").wait_for()
    page.get_by_role("button", name="Play the training").wait_for(timeout=5_000)

    assert page.locator("#replay .scrub-read").text_content() == "step 600 of 600"


def test_a_change_is_announced_when_the_reader_lets_go_not_on_the_way(open_page: Open):
    page = own(open_page, "replay")
    scrub, status = page.locator("#replay .scrub-range"), page.locator("#replay .scrub [role=status]")

    scrub.evaluate("(range) => { range.value = 5; range.dispatchEvent(new Event('input')) }")
    assert status.text_content() == ""
    scrub.evaluate("(range) => range.dispatchEvent(new Event('change'))")

    assert status.text_content().startswith("step 16 of 600, loss ")


def test_a_map_is_one_stop_for_the_tab_key_and_arrows_move_inside(open_page: Open):
    page = own(open_page, "replay", "?t=600")
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
    page = own(open_page, "replay", "?t=600")

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
    page = own(open_page, "replay", "?t=600", **PHONE)

    page.locator("#replay .map-cell").nth(7).tap()

    assert page.locator("#replay .readout").text_content().startswith("Writing 8, reading 2: ")


# -------------------------------------------------------------------------------------------------------- decode


def test_decoding_shows_as_many_digits_as_are_written(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "decode", "?position=4")
    written = run["series"]["decode_attention"]["coordinates"]["query"]

    assert [text for text in page.locator("#decode .token-query").all_text_contents() if text] == written[:4]
    assert page.locator("#decode .slot.is-empty").count() == 2
    assert page.locator("#decode .bar-name").first.text_content() == written[3]


def test_before_the_first_digit_nothing_is_read(open_page: Open):
    page = own(open_page, "decode", "?position=0")

    assert page.locator("#decode .arc:visible").count() == 0
    assert set(page.locator("#decode .map-value").all_text_contents()) == {"–"}
    assert set(page.locator("#decode .bar-name").all_text_contents()) == {""}


def test_the_arcs_of_a_digit_are_as_wide_as_the_mean_weights(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "decode", "?position=6")
    attention = run["series"]["decode_attention"]
    mean = [sum(at(attention, head, 5, key) for head in range(2)) / 2 for key in range(6)]

    strokes = page.locator("#decode .arc").evaluate_all(
        "(arcs) => arcs.slice(30).map((arc) => +arc.getAttribute('stroke-width'))"
    )

    assert strokes == pytest.approx([14 * weight for weight in mean], abs=0.01)


# ------------------------------------------------------------------------------------ transformer-block, wiring


def test_a_diagram_stands_without_javascript(open_page: Open):
    page = open_page(CHAPTER, java_script_enabled=False)

    for figure in ("block", "wiring"):
        drawing = page.locator(f"#{figure} .figure-still .diagram-wide")
        assert drawing.is_visible()
        assert drawing.get_attribute("role") == "img"
        assert drawing.get_attribute("aria-label")
        assert not page.locator(f"#{figure} .figure-still .diagram-narrow").is_visible()


def test_the_block_states_the_parameters_of_the_run(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "block")
    counts = run["examples"]["parameter_counts"]["encoder"]

    texts = page.locator("#block .figure-live .diagram-wide .box-more").all_text_contents()

    attention = sum(counts[name] for name in ("W_Q", "W_K", "W_V", "W_O"))
    expected = [attention, counts["norm1"], counts["FFN"], counts["norm2"]]
    expected += [counts[name] for name in ("W_Q", "W_K", "W_V", "W_O")]
    assert texts == [f"{number:,}" for number in expected]


def test_a_press_on_a_box_lights_its_part_and_another_press_everything_again(open_page: Open):
    page = own(open_page, "block")
    box = page.locator("#block .figure-live .diagram-wide").get_by_role("button", name="output projection")

    box.click()
    page.wait_for_selector("#block .diagram-wide .box.is-part")
    assert box.get_attribute("aria-pressed") == "true"
    assert "mixed by one more matrix" in page.locator("#block .readout").text_content()
    box.press("Enter")
    expect(page.locator("#block .figure-live .is-part")).to_have_count(0)

    assert box.get_attribute("aria-pressed") == "false"


def test_the_wiring_hatches_the_future_and_colours_only_what_may_be_read(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "wiring")

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
    page = own(open_page, "wiring", "?attention=cross")

    lit = page.locator("#wiring .figure-live .diagram-wide .is-part").evaluate_all(
        "(parts) => parts.map((part) => part.classList[0]).sort()"
    )

    assert lit == ["box", "small-map", "way-head", "way-line"]
