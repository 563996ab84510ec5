"""A chapter as slides: all of it, in any size, by keys, remote controls and fingers, and back into the text."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle
from tests.browser.test_page import ACTIVE, CHAPTER, STEPS

DECK = "attention-and-transformers/?present"
Open = Callable[..., Any]


def chapters(site: Path) -> list[str]:
    """Path of every chapter of the site."""
    found = [
        page.parent.name for page in sorted(site.glob("*/index.html")) if "data-chapter=" in page.read_text("utf-8")
    ]
    assert found
    return [f"{slug}/" for slug in found]


def deck(open_page: Open, path: str, **options: Any) -> Any:
    """The slides of a chapter, once the first of them stands."""
    page = open_page(path, **options)
    page.wait_for_selector(".deck")
    settle(page)
    return page


def live(page: Any, figure: str) -> None:
    page.wait_for_selector(f"#{figure}.on-slide[data-live=yes] .figure-live:not(.is-drawing)")
    page.wait_for_selector(f"#{figure} .figure-body:not([data-measured])")
    settle(page)


def number(page: Any) -> int:
    return int(page.inner_text(".deck-place b"))


# ------------------------------------------------------------------------------------------------------ the slides

SLIDES = """async () => {
  const entry = document.querySelector("script[type=module]").src;
  const { partsOf } = await import(new URL("slides/parts.js", entry));
  const slides = partsOf(document.querySelector(".chapter")).flatMap((part) => part.slides);
  return slides.map(({ id, kind, place, figure, parts, heading }) => ({
    id, kind, place: place?.id ?? "", figure: figure?.id ?? null, step: parts[0].matches(".step") ? parts[0].id : null,
    heading: parts.some((part) => part.contains(heading)) && heading.textContent.trim() !== "",
  }));
}"""


def test_every_step_exercise_bridge_and_instrument_has_exactly_one_slide(open_page: Open, site: Path):
    for chapter in chapters(site):
        page = open_page(chapter)
        slides = page.evaluate(SLIDES)
        counted = "(selector) => document.querySelectorAll(selector).length"

        steps = page.evaluate(STEPS)
        assert [slide["step"] for slide in slides if slide["kind"] == "step"] == steps
        assert [slide["id"] for slide in slides if slide["kind"] == "step"] == steps
        assert [slide["place"] for slide in slides if slide["kind"] == "step"] == steps
        for kind, selector in (("act", ".act"), ("exercise", ".exercise"), ("bridge", ".bridge"), ("title", "h1")):
            assert sum(slide["kind"] == kind for slide in slides) == page.evaluate(counted, selector), kind
        instruments = page.eval_on_selector_all(".section .figure", "all => all.map((one) => one.id)")
        assert [slide["figure"] for slide in slides if slide["kind"] == "figure"] == instruments
        assert len({slide["id"] for slide in slides}) == len(slides)
        assert all(slide["heading"] for slide in slides)


# Goes through all slides with the key of a remote control; tells what does not fit or is not as it should be.
THROUGH = """async () => {
  const main = document.getElementById("main");
  const frame = () => new Promise(requestAnimationFrame);
  const faults = [];
  let slides = 0;
  let answers = 0;
  for (let shown = ""; slides < 500; ) {
    await frame(); await frame();
    const place = document.querySelector(".deck-place").textContent;
    if (place === shown) {
      answers += 1;
      if (answers > 1) break;
    } else {
      [shown, answers] = [place, 0];
      slides += 1;
      if (place !== `${slides} / ${place.split(" / ")[1]}`) faults.push(`slide ${slides} is called ${place}`);
    }
    const outer = main.getBoundingClientRect();
    const parts = [...main.querySelectorAll(".on-slide:not(.figure)")];
    if (!parts.some((part) => part.contains(document.activeElement))) faults.push(`${place}: the focus is elsewhere`);
    for (const part of parts) {
      for (const element of [part, ...part.querySelectorAll("h1, h2, h3, p, li, button, .equation, .scrolls")]) {
        const box = element.getBoundingClientRect();
        if (!element.checkVisibility() || element.matches(".visually-hidden")) continue;
        const [down, across] = [box.bottom <= outer.bottom + 1, box.left >= outer.left && box.right <= outer.right];
        const inside = box.top >= outer.top - 1 && down && across;
        const whole = element.scrollWidth <= element.clientWidth + 1 || getComputedStyle(element).display === "inline";
        if (!inside) faults.push(`${place}: ${element.textContent.trim().slice(0, 30)} is outside`);
        if (!whole) faults.push(`${place}: ${element.textContent.trim().slice(0, 30)} is cut off`);
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (element.matches("p, li") && size < 10) faults.push(`${place}: letters of ${size} pixels`);
      }
    }
    const key = new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(key);
  }
  return { slides, faults, all: Number(document.querySelector(".deck-place").textContent.split(" / ")[1]) };
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (844, 390)])
def test_a_remote_control_goes_through_all_slides_and_no_text_overflows(
    open_page: Open, site: Path, width: int, height: int
):
    for chapter in chapters(site):
        viewport = {"width": width, "height": height}
        page = deck(open_page, f"{chapter}?present", viewport=viewport, reduced_motion="reduce")
        before = page.evaluate("history.length")

        found = page.evaluate(THROUGH)

        assert found["faults"] == []
        assert found["slides"] == found["all"] > len(page.evaluate(STEPS))
        assert page.evaluate("history.length") == before
        assert page.evaluate("document.getAnimations().length") == 0


def test_a_deep_link_restores_slide_and_state_and_leaving_keeps_both(open_page: Open):
    page = deck(open_page, f"{DECK}&t=128#a6-s3")
    before = page.evaluate("history.length")
    live(page, "replay")

    for _ in range(2):  # the second time after a reload
        assert page.inner_text("#main .on-slide h3").strip() == "It learns to read backwards"
        assert page.locator("#replay .scrub-read").text_content() == "step 128 of 600"
        expect(page).to_have_url(re.compile(r"/\?present&t=128#a6-s3$"))
        page.reload()
        page.wait_for_selector(".deck")
        live(page, "replay")
    page.locator("#replay .scrub-range").press("End")
    expect(page).to_have_url(re.compile(r"\?present&t=600#a6-s3$"))
    page.keyboard.press("Escape")
    settle(page)

    assert page.evaluate(ACTIVE) == ["a6-s3"]
    assert page.evaluate("document.activeElement.closest('.step')?.id") == "a6-s3"
    assert page.locator("#replay .scrub-read").text_content() == "step 600 of 600"
    expect(page).to_have_url(re.compile(r"/\?t=600#a6-s3$"))
    assert page.locator("#a6-s3").evaluate("step => step.getBoundingClientRect().bottom > 0")
    assert page.locator(".deck").count() == 0
    assert "--stage" not in (page.locator("#replay .figure-body").get_attribute("style") or "")
    page.keyboard.press("p")  # and back, to the same slide

    page.wait_for_selector(".deck")
    expect(page).to_have_url(re.compile(r"\?present&t=600#a6-s3$"))
    assert page.evaluate("history.length") == before


@pytest.mark.parametrize(
    ("fragment", "heading"),
    [
        ("a3", "A score that is cheap and safe"),
        ("a1-e1", "A blend of years"),
        ("lab-position", "The shape of a position"),
    ],
)
def test_slides_that_are_no_step_have_addresses_too(open_page: Open, fragment: str, heading: str):
    page = deck(open_page, f"{DECK}#{fragment}")

    assert heading in page.evaluate("document.activeElement.textContent")
    expect(page).to_have_url(re.compile(rf"\?present#{fragment}$"))
    page.keyboard.press("Escape")

    assert heading in page.evaluate("document.activeElement.textContent")
    assert page.evaluate("document.activeElement.getBoundingClientRect().top < innerHeight")


# ------------------------------------------------------------------------------------------------------------ keys


def test_keys_turn_slides_unless_a_control_needs_them(open_page: Open):
    page = deck(open_page, f"{DECK}#a1-s5")
    live(page, "lookup")
    first = number(page)
    for key, by in (("ArrowRight", 1), ("ArrowDown", 0), ("PageUp", -1), ("ArrowUp", -1), (" ", 1), ("ArrowLeft", -1)):
        before = number(page)
        page.keyboard.press(key)
        assert number(page) == before + by, key  # down only shows the answer
    assert number(page) == first - 1

    slider = page.locator("#lookup .scrub-range")
    slider.focus()
    before = slider.input_value()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() != before
    assert number(page) == first - 1
    page.keyboard.press("PageDown")  # a remote control is never the slider's
    assert number(page) == first

    page.keyboard.press("End")
    assert number(page) == int(page.inner_text(".deck-place").split("/")[1])
    page.keyboard.press("Home")
    assert number(page) == 1
    page.keyboard.press("ArrowLeft")
    assert number(page) == 1


def test_arrows_inside_a_map_belong_to_the_map(open_page: Open):
    page = deck(open_page, f"{DECK}&t=600#a6-s3")
    live(page, "replay")
    here = number(page)
    page.locator("#replay .heat-map [tabindex='0']").first.focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")

    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("query 8, key 2: ")
    assert number(page) == here


def test_the_next_key_shows_an_answer_before_it_goes_on(open_page: Open):
    page = deck(open_page, f"{DECK}#a5-e2")
    here, answer = number(page), page.locator("#main details.answer.on-slide, #main .on-slide details.answer")
    heading = page.locator("#main .exercise.on-slide h3")
    assert not answer.locator("p:not(.prediction)").first.is_visible()
    where = heading.bounding_box()

    page.keyboard.press("ArrowRight")
    assert answer.locator("p:not(.prediction)").first.is_visible()
    assert heading.bounding_box() == where, "nothing moves when the answer appears"
    assert number(page) == here
    page.keyboard.press("ArrowRight")
    assert number(page) == here + 1
    page.keyboard.press("ArrowLeft")
    assert answer.locator("p:not(.prediction)").first.is_visible()
    page.keyboard.press("a")
    assert not answer.locator("p:not(.prediction)").first.is_visible()


def test_all_slides_the_keys_a_black_screen_and_the_words_are_a_key_away(open_page: Open):
    page = deck(open_page, f"{DECK}#a3-s3")
    live(page, "scaled")
    here = number(page)

    page.keyboard.press("o")
    assert page.locator(".deck-overview [aria-current]").inner_text().startswith("Divide by")
    page.keyboard.press("ArrowRight")  # behind a dialog nothing turns
    page.keyboard.press("Escape")
    assert number(page) == here
    page.keyboard.press("?")
    assert page.locator(".deck-keys").get_by_text("a black screen").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    assert page.locator(".deck-black").is_visible()
    page.keyboard.press("ArrowRight")
    assert page.locator(".deck-black").is_hidden()
    assert number(page) == here
    words = page.locator("#a3-s3 .prose > p:not(.symbols)")
    page.keyboard.press("w")
    assert not words.first.is_visible()
    assert page.locator("#a3-s3 .equation").is_visible()
    page.keyboard.press("w")
    assert words.first.is_visible()
    page.keyboard.press("c")
    page.locator(".deck-overview").get_by_role("button", name="Watch it learn").click()

    expect(page).to_have_url(re.compile(r"\?present#a4-s3$"))


# ------------------------------------------------------------------------------------------------------ the figures


def test_a_figure_is_shown_larger_and_what_is_pointed_at_is_what_is_meant(open_page: Open):
    page = deck(open_page, f"{DECK}#a2-s2", viewport={"width": 1920, "height": 1080})
    live(page, "samples")

    stage, body = (page.locator(f"#samples{part}").bounding_box() for part in ("", " .figure-body"))
    assert body["x"] >= stage["x"] - 1
    assert body["x"] + body["width"] <= stage["x"] + stage["width"] + 1
    assert stage["y"] - 1 <= body["y"]
    assert body["y"] + body["height"] <= stage["y"] + stage["height"] + 1
    letters = page.locator("#samples .scatter:visible text").first.evaluate(
        "(text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"
    )
    assert letters >= 0.02 * 1080

    slider, chart = page.locator("#samples .scrub-range"), page.locator("#samples .scatter:visible").bounding_box()
    for share in (0.3, 0.6, 0.9):
        page.mouse.click(chart["x"] + chart["width"] * share, chart["y"] + 80)
        settle(page)
        cursor = page.locator("#samples .scatter:visible .cursor").bounding_box()
        assert cursor["x"] + cursor["width"] / 2 == pytest.approx(chart["x"] + chart["width"] * share, abs=12), share
    assert float(slider.get_attribute("aria-valuetext")) > 4


def test_a_figure_without_room_scrolls_and_an_act_without_a_figure_is_a_slide(open_page: Open):
    page = deck(open_page, f"{DECK}#a6-s5", viewport={"width": 667, "height": 320})
    live(page, "vision")

    body = page.locator("#vision .figure-body")
    inside, outside = body.evaluate("(one) => [one.scrollHeight, one.clientHeight]")
    assert inside > outside
    assert body.evaluate("(one) => getComputedStyle(one).overflowY") == "auto"
    assert body.bounding_box()["height"] <= page.locator("#vision").bounding_box()["height"] + 1


# --------------------------------------------------------------------------------------------------- ways in and out


def test_slides_cost_nothing_until_they_are_asked_for_and_begin_at_what_is_read(open_page: Open):
    page = open_page("404.html")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(open_page.address + CHAPTER)
    settle(page)
    link = page.get_by_role("link", name="Present as slides")
    assert link.is_visible()
    assert [url for url in asked if "present" in url or "slides" in url] == []
    before = page.evaluate("history.length")

    link.click()
    page.wait_for_selector(".deck")
    assert number(page) == 1
    page.get_by_role("button", name="Next slide").click()
    assert number(page) == 2
    page.get_by_role("button", name="Back to the text").click()
    assert page.locator(".masthead").is_visible()

    assert page.evaluate("history.length") == before
    expect(page).to_have_url(re.compile(r"/index\.html(#a1-s1)?$"))


def test_without_scripts_the_address_of_a_slide_is_that_of_the_page(open_page: Open):
    page = open_page(f"{DECK}#a5-s2", java_script_enabled=False)

    assert page.locator("#a5-s2 h3").is_visible()
    assert page.locator("#a1-s1 h3").is_visible()
    assert page.locator(".present-link").is_hidden()


def test_a_finger_drawn_sideways_turns_slides_but_not_on_a_slider(open_page: Open):
    page = deck(open_page, f"{DECK}#a1-s3", viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    live(page, "lookup")
    session = page.context.new_cdp_session(page)
    here = number(page)

    def draw(x: float, y: float, by: float) -> None:
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            *(("touchMove", [{"x": x + by * part / 4, "y": y + part}]) for part in range(1, 5)),
            ("touchEnd", []),
        ):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        settle(page)

    draw(300, 350, -160)
    assert number(page) == here + 1
    draw(120, 350, 160)
    assert number(page) == here
    box = page.locator("#lookup .scrub-range").bounding_box()
    draw(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2, -100)
    assert number(page) == here


def test_a_link_on_a_slide_leads_to_a_slide_or_back_into_the_text(open_page: Open):
    page = deck(open_page, f"{DECK}#a2")
    before = page.evaluate("history.length")

    page.locator("#a2 .act-lead a[role=doc-biblioref]").first.click()

    expect(page.locator("#references")).to_be_in_viewport()
    assert page.locator(".deck").count() == 0
    assert page.evaluate("history.length") == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_slides(open_page: Open, scheme: str):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = deck(open_page, f"{DECK}#a5-s1", color_scheme=scheme, reduced_motion="reduce")
    live(page, "one-head")

    for more in ("", "ArrowRight", "End"):
        if more:
            page.keyboard.press(more)
            settle(page)
        found = axe.run(page).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found] == []


def test_paper_has_a_sheet_for_every_slide_with_its_picture_and_its_answer(open_page: Open, tmp_path: Path):
    page = deck(open_page, DECK)
    page.evaluate("() => { window.print = () => { window.printed = true; }; }")
    page.keyboard.press("p")
    page.wait_for_function("() => window.printed")
    document = tmp_path / "slides.pdf"
    missing = page.locator(".deck-paper img").evaluate_all("all => all.filter((one) => !one.naturalWidth).length")

    page.pdf(path=document, prefer_css_page_size=True)

    assert missing == 0
    sheets = text_of(document)
    assert len(sheets) == int(page.inner_text(".deck-place").split("/")[1])
    assert all(sheet.strip() for sheet in sheets)
    assert "Not at all. The same three tokens" in " ".join(" ".join(sheets).split())
    assert page.locator(".deck-paper").count() == 0, "it goes when it is printed"


def text_of(document: Path) -> list[str]:
    """The text of each sheet."""
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed")
    told = subprocess.run(["pdftotext", "-layout", str(document), "-"], capture_output=True, text=True, check=True)
    return told.stdout.split("\f")[:-1]
