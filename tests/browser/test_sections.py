"""The parts behind the acts: their figures, their references, and what is folded away."""

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
Open = Callable[..., Any]


def unfolded(open_page: Open, **options: Any) -> Any:
    """The page at the pretraining section, its law unfolded and alive."""
    page = open_page(f"{CHAPTER}#pretraining", **options)
    page.locator("#pretraining summary", has_text="scaling law").click()
    page.locator("#scaling-law .figure-body").scroll_into_view_if_needed()
    page.wait_for_selector('#scaling-law[data-kind="scaling-law"][data-live=yes]')
    settle(page)
    return page


def test_the_masks_stand_without_a_script_and_fit_a_phone(open_page: Open):
    page = open_page(f"{CHAPTER}#pretraining", java_script_enabled=False, viewport={"width": 320, "height": 700})
    figure = page.locator('#pretraining-masks[data-kind="pretraining-masks"]')
    expect(figure.locator(".diagram-narrow")).to_be_visible()
    expect(figure.locator(".diagram-wide")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_mask_is_open_where_the_family_may_read(open_page: Open):
    page = open_page(CHAPTER)
    drawing = page.locator("#pretraining-masks .diagram-wide use")
    shared = "document.querySelector(one.getAttribute('href')).querySelector('.mask-open')"
    paths = drawing.evaluate_all(f"all => all.map((one) => {shared}.getAttribute('d'))")
    cells = [path.count("z") for path in paths]
    # BERT: all of 5 × 5; T5: 4 × 4, then 4 × 4 across and 10 up to the diagonal; GPT: 15 up to the diagonal
    assert cells == [25, 16 + 16 + 10, 15]


def test_one_slider_moves_all_three_laws_and_says_what_it_bought(open_page: Open):
    run = json.loads((ROOT / "build/runs/scaling-law/run.json").read_text("utf-8"))
    page = unfolded(open_page)
    figure = page.locator("#scaling-law")

    slider = figure.get_by_role("slider", name="grown")
    slider.focus()
    slider.press("End")

    expect(slider).to_have_attribute("aria-valuetext", "1000 times as much")
    left = run["series"]["loss_left"]["values"]
    falls = [f"{round(100 * (1 - left[4 * law + 3]))}%" for law in range(3)]
    assert re.findall(r"\d+%", figure.locator(".readout").inner_text()) == falls
    lasts = [run["series"][f"loss_by_{name}"]["values"][-1] for name in ("parameters", "tokens", "compute")]
    assert figure.locator(".line-label").all_text_contents() == [f"{loss:.2f}" for loss in lasts]


def test_the_law_lives_at_a_tap_on_a_phone(open_page: Open):
    page = unfolded(open_page, viewport={"width": 390, "height": 844}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    charts = page.locator("#scaling-law .line-chart")
    tops = charts.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert tops == sorted(set(tops))


def test_a_citation_leads_to_its_entry_and_the_entry_back(open_page: Open):
    page = open_page(CHAPTER)
    citation = page.locator("#cite-devlin2018-1")
    citation.click()
    entry = page.locator("#ref-devlin2018")
    expect(entry).to_be_in_viewport()
    entry.locator(".reference-places a").first.click()
    expect(citation).to_be_in_viewport()


def test_a_citation_inside_a_folded_part_is_unfolded_by_the_way_back(open_page: Open):
    page = open_page(CHAPTER)
    page.locator("#ref-hoffmann2022 .reference-places a").first.click()
    expect(page.locator("#cite-hoffmann2022-1")).to_be_in_viewport()


def test_every_place_of_the_references_exists(open_page: Open):
    page = open_page(CHAPTER)
    lost = page.evaluate(
        "[...document.querySelectorAll('.references a[href^=\"#\"], a[role=doc-biblioref]')]"
        ".map((link) => link.getAttribute('href').slice(1)).filter((id) => !document.getElementById(id))"
    )
    assert lost == []


def test_each_piece_of_the_tour_unfolds_to_code(open_page: Open):
    page = open_page(f"{CHAPTER}#code")
    parts = page.locator("#code details.details")
    assert parts.count() == 8
    for part in parts.all():
        part.locator("summary").click()
        expect(part.locator("pre.code")).to_be_visible()
