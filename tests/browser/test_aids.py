"""What helps a reader: definitions at words, what a symbol lights, contents, keys, search, copies, the first page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle

CHAPTER = "attention-and-transformers/index.html"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
Open = Callable[..., Any]


def stirred(open_page: Open, path: str, **options: Any) -> Any:
    """A page whose reader has moved, so that its aids are there."""
    page = open_page(path, **options)
    page.set_default_timeout(20_000)
    page.dispatch_event("body", "pointerover")
    page.wait_for_function(
        """() => document.querySelector("link[href$='aids.css']")
          && (document.querySelector(".rail") || !document.querySelector(".contents"))"""
    )
    settle(page)
    return page


# ------------------------------------------------------------------------------------------------ words and symbols


def test_a_word_says_what_it_means_under_the_mouse_at_the_focus_and_at_a_click(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a1-s3")
    word, note = page.locator("#a1-s3 a.term", has_text="softmax"), page.locator(".term-note")

    word.hover()
    expect(note).to_be_visible()
    expect(note).to_contain_text("It makes shares of numbers")
    expect(word).to_have_attribute("aria-describedby", "term-note")
    note.hover()  # one can go there, to follow its links
    page.wait_for_timeout(400)
    expect(note).to_be_visible()
    page.mouse.move(900, 20)
    expect(note).to_have_count(0)

    page.locator("#a1-s3 h3").focus()
    page.keyboard.press("Tab")
    expect(note).to_be_visible()
    expect(word).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Tab")
    expect(note.locator(".term-more")).to_be_focused()
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    expect(word).to_be_focused()

    page.keyboard.press("Space")
    expect(note).to_be_visible()
    word.click()  # what a click has pinned, the next takes away
    word.click()
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    assert page.url.split("#")[0].endswith(CHAPTER), "and nobody was led away"


def test_a_tap_opens_a_note_within_the_window_and_the_next_tap_closes_it(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a3-s4", **PHONE)

    page.locator("#a3-s4 a.term").first.tap()
    note = page.locator(".term-note")
    expect(note).to_be_visible()
    box = note.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.touchscreen.tap(195, 40)
    expect(note).to_have_count(0)


def test_a_symbol_lights_what_has_its_role_and_is_lit_by_it(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a1-s3")
    page.wait_for_selector("#lookup[data-live=yes]")
    scene = page.locator(".scene", has=page.locator("#a1-s3"))
    glow = "one => getComputedStyle(one).filter !== 'none'"
    ground = "one => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)'"
    letter = page.locator("#a1-s3 .equation .query").first
    mark = scene.locator(".figure-live .dial-query").first
    assert not mark.evaluate(glow)

    page.locator("#a1-s3 .symbols a", has_text="query").hover()
    expect(scene).to_have_attribute("data-lit", "query")
    assert mark.evaluate(glow)
    assert letter.evaluate(ground)
    page.keyboard.press("Escape")
    page.mouse.move(5, 5)
    assert scene.get_attribute("data-lit") is None

    scene.locator(".figure-live .lookup-value").first.hover()
    expect(scene).to_have_attribute("data-lit", "value")
    assert page.locator("#a1-s3 .equation .value").first.evaluate(ground)
    assert not letter.evaluate(ground)


def test_without_scripts_a_word_leads_to_its_entry_and_the_entry_back(open_page: Open):
    page = open_page(CHAPTER, java_script_enabled=False)

    page.locator("#a1-s3 a.term", has_text="softmax").click()
    entry = page.locator("#softmax")
    expect(entry).to_be_in_viewport()
    entry.locator(".entry-uses a", has_text="act 1, step 3").click()

    expect(page.locator("#a1-s3")).to_be_in_viewport()
    assert not page.is_visible(".tools")


# ------------------------------------------------------------------------------------------------- contents and keys


def test_keys_go_by_steps_and_open_contents_that_know_the_place(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a2-s2", reduced_motion="reduce")
    active = "(id) => document.querySelector('[aria-current=step]')?.id === id"
    page.wait_for_function(active, arg="a2-s2")

    page.keyboard.press("j")
    page.wait_for_function(active, arg="a2-s3")
    expect(page.locator("#a2-s3 h3")).to_be_focused()
    page.keyboard.press("k")
    page.wait_for_function(active, arg="a2-s2")
    expect(page.locator(".rail [aria-current]")).to_contain_text("2")

    page.keyboard.press("c")
    sheet = page.locator("dialog.aid-contents")
    expect(sheet.locator(".sheet-steps a")).to_have_count(5)
    expect(sheet.locator("[aria-current]")).to_have_text("One query, forty keys")
    expect(sheet.locator("[aria-current]")).to_be_focused()
    sheet.get_by_role("link", name="Learning to align").click()
    expect(sheet).to_be_hidden()
    expect(page.locator("#a4-title")).to_be_in_viewport()
    page.keyboard.press("c")
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_on_a_phone_the_contents_are_a_button_beside_those_for_the_steps(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a2-s2", **PHONE)
    assert not page.is_visible(".rail")

    button = page.locator(".stepper-contents")
    assert min(button.bounding_box()[side] for side in ("width", "height")) >= 44
    button.tap()
    page.locator("dialog.aid-contents a", has_text="Forty noisy points").tap()

    page.wait_for_function("() => location.hash === '#a2-s1'")


def test_keys_of_one_letter_can_be_turned_off_for_good_and_spare_fields(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a1-s1")
    page.keyboard.press("?")
    box = page.get_by_role("checkbox", name="Keys of one letter")
    expect(box).to_be_checked()
    box.uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.reload()
    page.keyboard.press("/")
    page.wait_for_timeout(300)
    assert page.locator("dialog[open]").count() == 0

    page.locator(".tools [data-aid=help]").click()
    page.get_by_role("checkbox", name="Keys of one letter").check()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#search-words")).to_be_focused()
    page.keyboard.type("tc?j")
    assert page.locator("dialog[open]").count() == 1
    assert page.input_value("#search-words") == "tc?j"


# ------------------------------------------------------------------------------------------------------------ search


def test_the_search_fetches_its_index_when_it_opens_and_leads_to_a_step(open_page: Open):
    page = stirred(open_page, "index.html", reduced_motion="reduce")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-1]))

    page.locator(".tools [data-aid=search]").click()
    expect(page.locator(".search-told")).to_have_text("Chapters, figures, terms and references")
    assert [name for name in asked if name.startswith("search.")] == [
        page.get_attribute("[data-index]", "data-index").split("/")[-1]
    ]
    page.keyboard.type("pading must vot")  # a slip, and a beginning
    found = page.locator(".search-found a")
    expect(found.first).to_contain_text("Padding must not vote")
    expect(found.first).to_contain_text("act 3, step 4")
    assert page.locator(".search-found mark").count() > 0

    page.keyboard.press("ArrowDown")
    expect(found.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#search-words")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"{CHAPTER}#a3-s4$"))
    expect(page.locator("#a3-s4 h3")).to_be_focused()


def test_words_are_found_by_beginnings_and_slips_and_ranked_by_where_they_stand(open_page: Open):
    page = open_page("404.html")
    found = page.evaluate(
        """async () => {
          const script = document.querySelector("script[type=module]").src;
          const { excerpt, find, meanings, oneSlip, prepare, wordsOf } = await import(new URL("find.js", script));
          const entry = (kind, title, text, names = "") => ({ kind, title, place: "", url: title, names, text });
          const all = prepare([
            entry("step", "Other", "A softmax turns scores into weights."),
            entry("step", "Softmax", "A title."),
            entry("term", "share", "", "softmax"),
            entry("step", "Softmaxes", "More of them."),
            entry("step", "Naïve", "Nothing of the kind."),
          ]);
          const titles = (query) => find(all, query).map(({ entry }) => entry.title);
          return {
            words: wordsOf("Naïve Σ-softmax, 2.5 × d"),
            slips: [["weight", "weigth"], ["weight", "wight"], ["weight", "weights"], ["weight", "weird"], ["a", "a"]]
              .map(([one, other]) => oneSlip(one, other)),
            ranked: titles("softmax"),
            both: titles("softmax scores"),
            slip: titles("sofmtax"),
            accents: titles("naive"),
            short: [...meanings("sof", new Set(["sofa", "soft", "of"])).keys()],
            nothing: [titles(""), titles("  "), titles("xyzzy")],
            excerpt: excerpt(`${"before ".repeat(30)}the mark is here${" behind".repeat(30)}`, ["mark"], 60),
          };
        }"""
    )

    assert found["words"] == ["naive", "σ", "softmax", "2", "5", "d"]
    assert found["slips"] == [True, True, True, False, True]
    assert found["ranked"] == ["Softmax", "share", "Softmaxes", "Other"]
    assert found["both"] == ["Other"]
    assert found["slip"] == ["Softmax", "Softmaxes", "share", "Other"]
    assert found["accents"] == ["Naïve"]
    assert found["short"] == ["sofa", "soft"]
    assert found["nothing"] == [[], [], []]
    shown = found["excerpt"]
    assert [part["text"] for part in shown if part["hit"]] == ["mark"]
    assert shown[0]["text"] == "… "
    assert shown[-1]["text"] == " …"
    assert sum(len(part["text"]) for part in shown) < 80


# ------------------------------------------------------------------------------------------- code and the first page


def test_quoted_code_is_copied_also_where_it_was_folded_away(open_page: Open):
    page = stirred(open_page, f"{CHAPTER}#a3", permissions=["clipboard-read", "clipboard-write"])

    page.locator("#a3 .code-chip > summary").click()
    quote = page.locator("#a3 .code-chip .quote").first
    quote.get_by_role("button", name="Copy").click()

    expect(quote.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("def scaled_dot_product_scores(")


def test_the_miniature_of_the_first_page_plays_once_asks_for_no_run_and_keeps_calm_where_it_should(open_page: Open):
    asked: list[str] = []
    page = open_page("404.html")
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{open_page.address}index.html")  # type: ignore[attr-defined]
    live = page.locator('figure[data-kind="miniature"] .figure-live')
    button = live.get_by_role("button")
    expect(button).to_have_attribute("aria-label", "Pause the training")
    expect(button).to_have_attribute("aria-label", "Play the training", timeout=15_000)
    expect(live).to_contain_text("step 600 of 600")
    assert not [url for url in asked if "/data/" in url]

    calm = open_page("index.html", reduced_motion="reduce")
    live = calm.locator('figure[data-kind="miniature"] .figure-live')
    dark = "all => all.map((one) => +getComputedStyle(one).fillOpacity)"
    expect(live.get_by_role("button")).to_have_attribute("aria-label", "Play the training")
    learned = live.locator("rect").evaluate_all(dark)
    still = calm.locator(".figure-still .miniature-map rect").evaluate_all(
        "all => all.map((one) => +one.getAttribute('fill-opacity'))"
    )
    assert learned == pytest.approx(still, abs=0.015), "the trained map, as the build drew it"
    live.get_by_role("button").click()
    expect(live).not_to_contain_text("step 600 of")
    live.get_by_role("button").click()
    assert live.locator("rect").evaluate_all(dark) != learned
