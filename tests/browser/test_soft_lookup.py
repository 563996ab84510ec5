"""Act one on the page: the exact lookup, scores on a dial, weights and their blend at any temperature."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import CHAPTER, Open, alive, baked, block, own, put, stills


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("soft-lookup")


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


def test_the_weights_and_the_blended_year_are_those_of_the_sweep(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "lookup")

    for query, temperature in (("Vaswani", 1), ("Weston", 0.01), ("Raffel", 0.0001)):
        at = {"query": query, "temperature": temperature}
        put(page, "lookup", view="weights", **at)
        shown = page.locator("#lookup .lookup-number").all_text_contents()
        year = float(page.locator("#lookup .answer-year").text_content())
        weights = block(run["series"]["sweep_weights"], **at)
        assert [float(one.strip("<%")) / 100 for one in shown] == pytest.approx(weights, abs=0.0101)
        assert year == pytest.approx(block(run["series"]["sweep_year"], **at)[0], abs=0.051)


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


def test_every_step_brings_its_still(site: Path):
    assert stills(site, "a1") == ["scores", "weights", "cold", "hot", "table"]
