"""With every figure alive an act stays light, and its tables are elements once they are opened, or without scripts."""

from __future__ import annotations

from playwright.sync_api import expect

from sitegen.check import BUDGETS
from tests.browser.living import CHAPTER, Open
from tests.browser.test_figures import CHAPTERS


def test_acts_with_all_their_figures_alive_keep_their_budget_of_elements(open_page: Open):
    for chapter in CHAPTERS:
        page = open_page(chapter)
        counts = page.evaluate(
            """async () => {
              const { story } = await import(document.querySelector("script[type=module]").src);
              const own = [...story.figures.values()].filter((one) => one.element.closest(".act"));
              for (const figure of own) await figure.mount();
              const lives = own.every(({ element }) => !element.dataset.script || element.dataset.live === "yes");
              const acts = [...document.querySelectorAll(".act")];
              return lives ? acts.map((act) => act.querySelectorAll("*").length) : [];
            }"""
        )
        assert counts
        assert max(counts) <= BUDGETS["elements"], (chapter, counts)


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
