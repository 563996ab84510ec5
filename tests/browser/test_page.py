"""The page in a real browser: reading, linking, printing, and doing without."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.browsing import scroll_through, served, settle

CHAPTER = "attention-and-transformers/index.html"
ACTIVE = "() => [...document.querySelectorAll('[aria-current=step]')].map((step) => step.id)"
STEPS = "() => [...document.querySelectorAll('.step[id]')].map((step) => step.id)"
OPEN = "() => document.querySelectorAll('details').forEach((one) => (one.open = true))"
# What is read after each press of the button, as soon as it is another step.
PRESSED = """async (times) => {
  const frame = () => new Promise(requestAnimationFrame);
  const current = () => document.querySelector("[aria-current=step]")?.id;
  const read = [];
  while (read.length < times) {
    const before = current();
    document.querySelector(".stepper button[title='Next step']").click();
    for (let k = 0; k < 300 && current() === before; k += 1) await frame();
    read.push(current());
  }
  return read;
}"""

Open = Callable[..., Any]


def pages(site: Path) -> list[str]:
    """Every page, but of the figures' own pages, which are all made alike, only two."""
    every = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    of_figures = [path for path in every if path.startswith("figures/")]
    return [path for path in every if path not in of_figures[2:]]


def live(page: Any, figure: str) -> None:
    page.wait_for_selector(f"#{figure}[data-live=yes]", state="attached")


def test_every_page_reads_to_its_end_without_a_complaint_or_a_request_that_fails(open_page: Open, site: Path):
    for path in pages(site):
        page = open_page("404.html")
        failed: list[str] = []
        page.on("requestfailed", lambda request, failed=failed: failed.append(f"{request.url}: {request.failure}"))
        # what the page before was still asking for does not count
        page.once("framenavigated", lambda _, failed=failed: failed.clear())
        page.goto(page.url.replace("404.html", path))
        page.evaluate(OPEN)
        scroll_through(page)

        assert (
            page.eval_on_selector_all("[data-live]", "all => all.map((one) => one.dataset.live)").count("failed") == 0
        )
        assert failed == []


def test_every_figure_with_a_script_comes_to_life_and_puts_its_still_away(open_page: Open):
    page = open_page(CHAPTER)
    page.evaluate(OPEN)
    scroll_through(page)

    for figure in page.query_selector_all("figure[data-script]"):
        assert figure.get_attribute("data-live") == "yes"
        assert figure.query_selector(".figure-live").is_visible()
        assert not figure.query_selector(".figure-still").is_visible()


def test_a_deep_link_restores_step_state_and_focus(open_page: Open):
    page = open_page(f"{CHAPTER}?t=128&nonsense=1#a6-s3")
    live(page, "replay")
    settle(page)

    assert page.evaluate(ACTIVE) == ["a6-s3"]
    assert "step 128 of 600" in page.inner_text("#replay .figure-live")
    assert page.evaluate("document.activeElement.closest('.step').id") == "a6-s3"
    page.wait_for_function("() => location.search === '?t=128'")
    assert urlsplit(page.url).fragment == "a6-s3"


def test_a_reload_restores_what_the_reader_changed(open_page: Open):
    page = open_page(f"{CHAPTER}#a6-s3")
    live(page, "replay")
    page.focus("#replay input[type=range]")
    page.keyboard.press("End")
    page.wait_for_function("() => location.search === '?t=600'")

    page.reload()
    live(page, "replay")
    settle(page)

    assert page.evaluate(ACTIVE) == ["a6-s3"]
    assert "step 600 of 600" in page.inner_text("#replay .figure-live")


def test_reset_takes_the_figure_and_the_address_back_to_the_step(open_page: Open):
    page = open_page(f"{CHAPTER}?t=128#a6-s3")
    live(page, "replay")

    page.click("#replay .figure-reset")

    page.wait_for_function("() => location.search === ''")
    assert "step 0 of 600" in page.inner_text("#replay .figure-live")
    assert not page.is_visible("#replay .figure-reset")
    assert page.evaluate("document.activeElement !== document.body")


def test_reading_and_dragging_never_add_to_the_history(open_page: Open):
    page = open_page(CHAPTER)
    before = page.evaluate("history.length")
    for step in page.evaluate(STEPS)[1::9]:
        page.evaluate("(id) => document.getElementById(id).scrollIntoView({ block: 'center' })", step)
        page.wait_for_function("(id) => location.hash === `#${id}`", arg=step)
    live(page, "replay")
    page.focus("#replay input[type=range]")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.search !== ''")

    assert page.evaluate("history.length") == before


def test_the_address_is_written_at_most_three_times_a_second(open_page: Open):
    page = open_page(f"{CHAPTER}#a6-s3")
    live(page, "replay")
    page.wait_for_timeout(400)
    page.evaluate(
        """() => {
          window.writes = [];
          const replace = history.replaceState.bind(history);
          history.replaceState = (...all) => { writes.push(performance.now()); replace(...all); };
        }"""
    )
    page.focus("#replay input[type=range]")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(50)
    page.wait_for_timeout(400)

    writes = page.evaluate("writes")
    assert 2 <= len(writes) < 12
    assert all(later - earlier >= 290 for earlier, later in pairwise(writes))


BESIDE = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  return [box(".stepper").right, box("[aria-current=step] .prose").left];
}"""


@pytest.mark.parametrize("zoom", [1, 1.25, 1.5])
def test_the_buttons_go_through_every_step_at_any_zoom(open_page: Open, zoom: float):
    viewport = {"width": round(1440 / zoom), "height": round(900 / zoom)}
    page = open_page(CHAPTER, viewport=viewport, device_scale_factor=zoom, reduced_motion="reduce")
    steps = page.evaluate(STEPS)
    page.goto(f"{page.url}#{steps[0]}")

    page.click(".stepper button[title='Next step']")
    page.wait_for_function("(id) => document.querySelector('[aria-current=step]')?.id === id", arg=steps[1])
    if viewport["width"] >= 1024:
        right, left = page.evaluate(BESIDE)
        assert 0 < right <= left, "the buttons stand beside the text"
    assert page.evaluate(PRESSED, len(steps) - 2) == steps[2:]
    page.click(".stepper button[title='Next step']")  # and on through the sections behind the acts
    section = page.get_attribute(".act ~ .section", "id")
    page.wait_for_function("(id) => location.hash === `#${id}`", arg=section)
    assert page.text_content(".stepper-place") == page.text_content(f"#{section} h2")
    assert page.is_visible(".stepper") == (viewport["width"] < 1024), "beside a wide section the rail does"
    page.keyboard.press("End")
    page.wait_for_selector(".stepper button[title='Next step'][aria-disabled=true]", state="attached")


def test_without_scripts_the_page_shows_every_text_and_every_still(open_page: Open):
    page = open_page(CHAPTER, java_script_enabled=False)

    assert page.locator(".step h3").count() >= 4
    for step in page.query_selector_all(".step"):
        assert step.is_visible()
    for still in page.query_selector_all(".figure-still"):
        folded = still.evaluate("still => still.closest('details:not([open])') !== null")
        assert folded or still.is_visible()
        assert folded or still.bounding_box()["height"] > 100
    assert not page.is_visible(".theme-switch")
    page.click("details.answer summary")
    assert page.is_visible("details.answer p")


@pytest.mark.parametrize(("width", "scripts"), [(320, True), (320, False), (768, True), (1024, True)])
def test_no_page_scrolls_sideways(open_page: Open, site: Path, width: int, scripts: bool):
    for path in pages(site):
        page = open_page(path, viewport={"width": width, "height": 640}, java_script_enabled=scripts)
        if scripts:
            scroll_through(page)
            page.evaluate(OPEN)
            settle(page)
        page.mouse.wheel(400, 0)

        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing(open_page: Open, site: Path, scheme: str, width: int):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for path in pages(site):
        page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce")
        scroll_through(page)
        page.evaluate(OPEN)
        settle(page)

        # without its own fetching of sheets, which a page's policy refuses where one imports another
        found = axe.run(page, options={"preload": False}).response["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found] == []


def test_a_page_asks_for_at_most_fifteen_files_at_first_and_an_act_alive_has_at_most_1500_elements(
    open_page: Open, site: Path
):
    # a figure's own page is there for the figure, and loads it at once
    for path in [path for path in pages(site) if not path.startswith("figures/")]:
        page = open_page("404.html")
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(page.url.replace("404.html", path))
        settle(page)
        page.wait_for_timeout(300)

        assert len([url for url in asked if not url.startswith("data:")]) <= 15

        scroll_through(page)
        elements = "all => all.map((act) => [act.id, act.querySelectorAll('*').length])"
        assert [act for act in page.eval_on_selector_all(".act", elements) if act[1] > 1500] == []


def test_the_site_works_under_any_prefix(open_page: Open, site: Path):
    with served(site, "/any/prefix/") as elsewhere:
        page = open_page(f"{CHAPTER}?t=128#a6-s3", at=elsewhere)
        live(page, "replay")
        assert "step 128 of 600" in page.inner_text("#replay .figure-live")
        page.click(".masthead-home")
        assert urlsplit(page.url).path == "/any/prefix/index.html"


@pytest.mark.parametrize(("system", "other"), [("dark", "light"), ("light", "dark")])
def test_the_theme_is_the_systems_until_the_reader_chooses(open_page: Open, system: str, other: str):
    paper = "() => getComputedStyle(document.body).backgroundColor"
    label = "() => document.querySelector('.theme-switch').ariaLabel"
    page = open_page(CHAPTER, color_scheme=system)
    before = page.evaluate(paper)
    assert page.evaluate(label) == f"Theme: as the system. Change to {other}"

    page.click(".theme-switch")  # the first click shows
    after = page.evaluate(paper)
    page.reload()

    assert after != before
    assert page.evaluate(paper) == after
    assert page.evaluate(label) == f"Theme: {other}. Change to {system}"

    page.click(".theme-switch")
    assert page.evaluate(paper) == before
    assert page.evaluate(label) == f"Theme: {system}. Change to as the system"

    page.click(".theme-switch")
    assert page.evaluate(paper) == before
    assert page.evaluate(label) == f"Theme: as the system. Change to {other}"


def test_a_failing_figure_keeps_its_picture_says_so_and_can_be_tried_again(open_page: Open):
    page = open_page("index.html")
    page.route(re.compile(r"reverse-digits\.[0-9a-f]+\.json"), lambda route: route.abort())
    page.goto(page.url.replace("index.html", f"{CHAPTER}#a6-s3"))
    page.wait_for_selector("#replay .figure-problem")
    assert page.is_visible("#replay .figure-still")

    page.unroute(re.compile(r"reverse-digits\.[0-9a-f]+\.json"))
    page.click("#replay .figure-problem button")

    live(page, "replay")
    assert not page.is_visible("#replay .figure-still")
    page.complaints.clear()  # the failure itself was wanted


@pytest.mark.parametrize("unreadable", ["{", "null"])
def test_one_figure_whose_state_cannot_be_read_keeps_its_still_and_all_others_live(open_page: Open, unreadable: str):
    page = open_page("404.html")

    def alter(route: Any) -> None:
        answer = route.fetch()
        pattern = r'(<figure[^>]* id="replay"[^>]* data-state=")[^"]*'
        body, count = re.subn(pattern, lambda found: found[1] + unreadable, answer.text())
        assert count == 1
        route.fulfill(response=answer, body=body)

    page.route(re.compile(r"/attention-and-transformers/index\.html$"), alter)
    page.goto(f"{open_page.address}attention-and-transformers/index.html#a6-s3")
    page.wait_for_selector("#replay[data-live=failed]")
    page.keyboard.press("Shift")  # an address holds its place only until the reader moves

    assert page.locator("#replay .figure-still img").is_visible()
    assert "its picture stands here" in page.inner_text("#replay .figure-problem")
    assert page.locator("#replay .figure-problem button").count() == 0, "another attempt would not help"
    for figure in ("decode", "block"):
        page.locator(f"#{figure} .figure-body").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{figure}[data-live=yes]")
    assert page.locator(".stepper").count() == 1
    page.complaints[:] = [one for one in page.complaints if "figure replay" not in one]


def test_nothing_moves_while_the_page_loads(open_page: Open):
    page = open_page("index.html")
    page.add_init_script(
        """window.shifts = 0;
        new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value; })
          .observe({ type: "layout-shift", buffered: true });"""
    )
    for fragment in ("", "#a6-s3"):
        page.goto("about:blank")
        page.goto(open_page.address + CHAPTER + fragment)
        settle(page)
        page.wait_for_timeout(500)

        assert page.evaluate("shifts") < 0.02


def test_a_number_from_a_run_tells_its_origin_by_click_and_by_key(open_page: Open):
    page = open_page(f"{CHAPTER}#a6-s3")
    value = page.locator("#a6-s3 .run-value").first
    value.click()
    assert page.inner_text(".origin").startswith("reverse-digits.")
    page.keyboard.press("Escape")
    assert not page.is_visible(".origin")
    value.focus()
    page.keyboard.press("Enter")
    assert page.is_visible(".origin")


def test_the_picture_of_the_opening_draws_each_weight_of_the_trained_map(open_page: Open, site: Path):
    page = open_page(CHAPTER)
    figure = page.locator('figure[data-kind="crossing"]')
    run = json.loads((site / "attention-and-transformers" / figure.get_attribute("data-run")).read_text("utf-8"))
    attention = run["series"]["cross_attention"]
    checkpoints, heads, queries, keys = attention["shape"]
    cells = queries * keys
    last = attention["values"][(checkpoints - 1) * heads * cells :]
    means = [sum(last[head * cells + cell] for head in range(heads)) / heads for cell in range(cells)]

    widths = figure.locator(".crossing-lines path").evaluate_all(
        "all => all.map((one) => +one.getAttribute('stroke-width'))"
    )

    assert widths == [pytest.approx(0.5 + 10 * mean, abs=0.006) for mean in means if mean >= 0.005]
    assert figure.locator(".crossing-key").all_text_contents() == list("725083")
    assert figure.locator(".crossing-query").all_text_contents() == list("380527")


def test_what_does_not_come_as_the_reader_stirs_is_asked_for_again_in_silence(open_page: Open):
    page = open_page("glossary/index.html")
    asked: list[str] = []
    page.on("requestfailed", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
    page.route("**/js/{origins,aids,exercises,provenance}.js", lambda route: route.abort())
    page.keyboard.press("Shift")
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/aids.js'))"
    )
    page.keyboard.press("?")  # asks for what cannot come
    settle(page)
    assert {"origins.js", "aids.js", "exercises.js", "provenance.js"} <= set(asked)

    page.unroute_all()
    page.wait_for_function(
        """() => {
          dispatchEvent(new Event("scroll"));
          return document.querySelector('link[href$="/aids.css"]');
        }""",
        polling=200,
    )
    assert [one for one in page.complaints if "ERR_FAILED" not in one] == []
    page.complaints.clear()
