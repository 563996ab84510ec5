"""Act four on the page: the bottleneck, an alignment that forms, the crossing, and phrases that were held out."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle
from tests.browser.living import Open, alive, baked, block, own, put

SOURCE, TARGET = ["the", "red", "car", "<eos>"], ["la", "voiture", "rouge", "<eos>"]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("bahdanau-alignment")


def strokes(page: Any, rows: str) -> list[float]:
    return page.locator(f"{rows} .arc").evaluate_all("(arcs) => arcs.map((arc) => +arc.getAttribute('stroke-width'))")


# ----------------------------------------------------------------------------------------------------- bottleneck


def test_as_many_words_are_filled_as_the_vector_still_tells(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "bottleneck")
    recall = run["series"]["bottleneck_recall"]

    for length, width in ((32, 64), (8, 16), (1, 256)):
        put(page, "bottleneck", length=length, width=width)
        share = block(recall, width=width)[recall["coordinates"]["length"].index(length)]
        filled = page.locator("#bottleneck .word").evaluate_all(
            "(all) => all.filter((one) => one.getAttribute('visibility') === 'visible')"
            ".map((one) => +one.getAttribute('fill-opacity'))"
        )
        assert len(filled) == length
        assert sum(filled) == pytest.approx(share * length, abs=0.01)


# ------------------------------------------------------------------------------------------------------ alignment


def test_the_map_forms_from_an_even_one(open_page: Open):
    page = alive(open_page, "alignment", "a4-s3")

    assert set(page.locator("#alignment .map-value").all_text_contents()) == {".25"}
    assert page.locator("#alignment .readout").text_content() == "0 of 4 words read the right one most."


def test_loss_map_and_arcs_move_together(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "alignment", "a4-s3")
    cursor = page.locator("#alignment .cursor")
    before = float(cursor.get_attribute("x1"))

    page.locator("#alignment .scrub-range").fill("8")
    expect(page).to_have_url(re.compile(r"\?t=16#a4-s3"))

    weights = block(run["series"]["attention"], checkpoint=16)
    printed = [float(text) for text in page.locator("#alignment .map-value").all_text_contents()]
    assert printed == pytest.approx(weights, abs=0.0051)
    under = "#alignment .heat-map + .token-rows"
    assert strokes(page, under) == pytest.approx([14 * weight for weight in weights], abs=0.01)
    assert float(cursor.get_attribute("x1")) > before
    assert page.locator("#alignment .line-label").text_content() == f"loss {run['series']['loss']['values'][16]:.2f}"


def test_a_query_shows_what_it_reads(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "alignment", "a4-s2")

    for word in TARGET:
        weights = block(run["series"]["attention"], checkpoint=100, query=word)
        page.locator("#alignment").get_by_role("button", name=word, exact=True).click()
        settle(page)
        assert page.locator("#alignment .strand-weight").all_text_contents() == [f"{weight:.2f}" for weight in weights]
        assert page.locator("#alignment .slot.is-current").count() == 1
        best = SOURCE[weights.index(max(weights))]
        assert f"It reads {best} with {max(weights):.2f}" in page.locator("#alignment .readout").text_content()


def test_before_training_all_lines_are_alike_and_after_it_two_of_them_cross(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "alignment", "a4-s4")
    pair = page.locator("#alignment .alignment-pair .token-rows")

    before, after = (pair.nth(side).locator(".arc") for side in (0, 1))

    width = "(arcs) => arcs.map((arc) => +arc.getAttribute('stroke-width'))"
    assert set(before.evaluate_all(width)) == {3.5}
    widths = after.evaluate_all(width)
    assert widths == pytest.approx([14 * one for one in block(run["series"]["attention"], checkpoint=100)], abs=0.01)
    assert [widths[4 * query : 4 * query + 4].index(max(widths[4 * query : 4 * query + 4])) for query in (1, 2)] == [
        2,
        1,
    ]


# ------------------------------------------------------------------------------------------------------- held-out


def test_every_phrase_has_a_dot_a_word_filled_where_it_reads_rightly(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "held-out")
    outcomes = [*run["examples"]["held_out"], *run["examples"]["other_order"]]

    wrong = page.locator("#held-out .outcome").evaluate_all("(all) => all.map((one) => one.matches('.is-wrong'))")
    whole = page.locator("#held-out .outcome-whole[visibility=visible]").count()

    assert wrong == [not right for one in outcomes for right in one["rows_right"]]
    assert whole == sum(one["translated"] for one in outcomes)


def test_a_phrase_in_another_order_is_shown_with_its_faults(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "held-out", "?phrase=the+big+car")
    outcome = run["examples"]["other_order"][0]

    assert page.locator("#held-out .token-key").all_text_contents() == outcome["source"]
    assert page.locator("#held-out .token-query").all_text_contents() == outcome["target"]
    assert page.locator("#held-out .slot.is-wrong").count() == outcome["rows_right"].count(False)
    told = page.locator("#held-out .readout").text_content()
    assert told.endswith(f"It writes: {' '.join(outcome['written'])}.")


def test_a_press_on_the_columns_chooses_a_phrase(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "held-out")

    page.locator("#held-out .outcome").nth(4 * 9).click()

    phrase = " ".join(run["examples"]["held_out"][9]["source"][:-1])
    expect(page.locator("#held-out .scrub-read")).to_have_text(phrase)
    expect(page).to_have_url(re.compile(re.escape(f"?phrase={phrase.replace(' ', '+')}")))
