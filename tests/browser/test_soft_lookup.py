"""Act one on the page: the exact lookup, scores on a dial, weights and their blend at any temperature."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, alive, baked, block, faults, height, wanderers
from tests.browser.test_figures import CHAPTER, PHONE

STATES = [
    {"view": view, "query": query, "temperature": temperature}
    for view, query, temperature in (
        ("table", "Vaswani", 1),
        ("table", "Raffel", 1),
        ("scores", "Weston", 1),
        ("weights", "Weston", 1),
        ("weights", "Raffel", 0.0001),
        ("weights", "Vaswani", 1000),
    )
]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("soft-lookup")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_every_text_is_legible_and_inside(open_page: Open, step: int, width: int, theme: str):
    page = alive(open_page, "lookup", f"a1-s{step}", viewport={"width": width, "height": 844}, color_scheme=theme)
    # names on the pieces of the answer stand on their colour
    found = [
        fault for fault in faults(page, "lookup") if not re.match(r"(Ashish|Geoffrey|Dzmitry|Jacob|[A-Z]):", fault)
    ]

    assert found == []


@pytest.mark.parametrize(("width", "window"), [(320, 700), (375, 667), (390, 844), (768, 1024)])
def test_on_any_small_window_nothing_is_cut_off(open_page: Open, width: int, window: int):
    page = alive(open_page, "lookup", "a1-s3", viewport={"width": width, "height": window})

    assert height(page, "lookup") <= 0.45 * window - 16  # the stage's own room above and below
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_name_contrasts_with_its_piece_of_the_answer(open_page: Open, theme: str):
    page = alive(open_page, "lookup", "a1-s3", color_scheme=theme)
    colours = page.evaluate(
        """() => ["#lookup .answer-name", "#lookup .answer-piece"].map((one) =>
          getComputedStyle(document.querySelector(one)).fill)"""
    )

    def luminance(colour: str) -> float:
        channels = [int(one) / 255 for one in re.findall(r"\d+", colour)[:3]]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
        return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted(luminance(colour) for colour in colours)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_all_steps_have_one_height_that_fits_a_phone_and_controls_are_large(open_page: Open):
    heights = []
    for step in range(1, 6):
        page = alive(open_page, "lookup", f"a1-s{step}", **PHONE)
        heights.append(height(page, "lookup"))
    small = page.locator("#lookup :is(.choice, .scrub-range)").evaluate_all(
        "(all) => all.filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 44).length"
    )

    assert len(set(heights)) == 1
    assert heights[0] <= 0.45 * 844
    assert small == 0


def test_a_picture_depends_on_its_state_alone(open_page: Open):
    page = alive(open_page, "lookup", "a1-s1")

    assert wanderers(page, "lookup", STATES) == []
    assert page.evaluate("document.querySelectorAll('#a1 *').length") <= 1_500


def test_the_exact_lookup_answers_its_row_and_nothing_else(open_page: Open):
    page = alive(open_page, "lookup", "a1-s1")
    drawing = page.locator("#lookup .lookup")

    expect(drawing).to_have_attribute("aria-label", "Looking up Vaswani: Ashish, 2017.")
    page.get_by_role("button", name="Weston").click()

    expect(drawing).to_have_attribute("aria-label", "Looking up Weston: there is no such row.")
    expect(page).to_have_url(re.compile(r"\?query=Weston#a1-s1$"))
    assert page.locator("#lookup .lookup-nothing").is_visible()
    assert page.locator("#lookup .lookup-band").is_hidden()


def test_the_scores_are_those_of_the_run(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "lookup", "a1-s2")

    shown = page.locator("#lookup .lookup-number").all_text_contents()

    expected = block(run["series"]["scores"], query="Weston")
    assert [float(one.replace("−", "-")) for one in shown] == pytest.approx(expected, abs=0.0005)


@pytest.mark.parametrize(("query", "temperature"), [("Vaswani", 1), ("Weston", 0.01), ("Raffel", 0.0001)])
def test_the_weights_and_the_blended_year_are_those_of_the_sweep(
    open_page: Open, run: dict[str, Any], query: str, temperature: float
):
    page = alive(open_page, "lookup", "a1-s3", f"?query={query}&temperature={temperature}")

    shown = page.locator("#lookup .lookup-number").all_text_contents()
    year = float(page.locator("#lookup .answer-year").text_content())

    weights = block(run["series"]["sweep_weights"], query=query, temperature=temperature)
    assert [float(one.strip("<%")) / 100 for one in shown] == pytest.approx(weights, abs=0.0101)
    assert year == pytest.approx(block(run["series"]["sweep_year"], query=query, temperature=temperature)[0], abs=0.051)


def test_a_tie_splits_the_answer_evenly_however_cold(open_page: Open):
    page = alive(open_page, "lookup", "a1-s4")

    pieces = page.locator("#lookup .answer-piece").evaluate_all("(all) => all.map((one) => one.width.baseVal.value)")
    names = [name for name in page.locator("#lookup .answer-name").all_text_contents() if name]

    assert names == ["Elizbar", "Ashish"]
    assert [piece for piece in pieces if piece > 0] == pytest.approx([max(pieces)] * 2, abs=0.02)


def test_hot_weights_are_alike_and_the_year_is_the_mean(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "lookup", "a1-s5")

    assert page.locator("#lookup .lookup-number").all_text_contents() == ["17%"] * 6
    assert float(page.locator("#lookup .answer-year").text_content()) == run["metrics"]["mean_year"]["value"]


def test_the_temperature_is_moved_by_keys_and_kept_in_the_address(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "lookup", "a1-s3")
    temperatures = run["series"]["sweep_weights"]["coordinates"]["temperature"]
    slider = page.locator("#lookup .scrub-range")

    slider.press("ArrowLeft")

    colder = temperatures[temperatures.index(1) - 1]
    expect(page).to_have_url(re.compile(rf"\?temperature={colder}#a1-s3$"))
    page.reload()
    expect(slider).to_have_attribute("aria-valuetext", f"{colder:.2f}")


def test_a_prediction_opens_the_answer_and_without_scripts_both_are_plain(open_page: Open):
    page = open_page(CHAPTER)
    answer = page.locator("#a1 details.answer")
    page.locator("#a1 .exercise").scroll_into_view_if_needed()
    page.locator("#a1 .alternative").nth(1).click()

    assert answer.get_attribute("open") is not None
    assert page.locator("#a1 .prediction").text_content() == "You predicted: about 2010."
    plain = open_page(CHAPTER, java_script_enabled=False)
    assert plain.locator("#a1 .exercise > ul > li").count() == 4
    plain.locator("#a1 details.answer summary").click()
    assert plain.locator("#a1 details.answer p").first.is_visible()


def test_every_step_brings_a_still_without_scripts(open_page: Open):
    page = open_page(CHAPTER, java_script_enabled=False)

    assert page.locator("#lookup .figure-still img").get_attribute("src").endswith("-table.png")
    stills = page.locator("#a1 .step-still").evaluate_all("(all) => all.map((one) => one.src.split('-').pop())")
    assert stills == ["scores.png", "weights.png", "cold.png", "hot.png"]
