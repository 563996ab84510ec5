"""With every figure alive an act stays light, and its tables are elements once they are opened, or without scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from sitegen.check import BUDGETS

Open = Callable[..., Any]
CHAPTER = "attention-and-transformers/"


@pytest.mark.parametrize("act", [1, 2, 3, 4, 5, 6])
def test_an_act_with_all_its_figures_alive_keeps_its_budget_of_elements(open_page: Open, act: int):
    page = open_page(f"{CHAPTER}#a{act}")
    figures = page.locator(f"#a{act} figure[data-script]")

    for place in range(figures.count()):
        figures.nth(place).locator(".figure-body").scroll_into_view_if_needed()
        expect(figures.nth(place)).to_have_attribute("data-live", "yes", timeout=30_000)

    assert page.locator(f"#a{act} *").count() <= BUDGETS["elements"]


def test_a_table_is_made_when_it_is_opened_and_says_what_it_says_without_scripts(open_page: Open):
    rows = "#width .words tr"
    expected = open_page(CHAPTER, java_script_enabled=False).locator(rows).all_text_contents()

    page = open_page(CHAPTER)
    before = page.locator(rows).count()
    page.locator("#width .words summary").click()
    expect(page.locator("#width .words table")).to_be_visible()

    assert before == 0
    assert page.locator(rows).all_text_contents() == expected


def test_every_small_picture_of_a_garment_is_painted(open_page: Open):
    page = open_page(f"{CHAPTER}#a6-s5")
    page.wait_for_selector("#vision[data-live=yes]")

    shades = page.locator("#vision .vision-choice canvas").evaluate_all(
        "all => all.map((one) => new Set(one.getContext('2d').getImageData(0, 0, one.width, one.height).data).size)"
    )

    assert min(shades) > 4, "black alone has two numbers, 0 and 255"
