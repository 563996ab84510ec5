"""Acts four and five of chapter two on the page: who asks, what asking costs, and which wiring a task wants."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from sitegen import content
from tests.browser.living import PHONE, Open, baked, block, faults, height, wake, wanderers

ROOT = Path(__file__).parents[2]
CHAPTER = "encoders-decoders/index.html"
ACT_4 = {  # figure -> its step, and states that differ
    "who-asks": ("a4-s1", [{"source": "all"}, {"source": "self"}, {"source": "learned"}]),
    "latents": ("a4-s2", [{"t": 0, "head": 2}, {"t": 60, "head": 1}, {"t": 200, "head": 2}]),
    "perceiver": ("a4-s3", [{"length": 64, "part": "all"}, {"length": 8192, "part": "cross"}]),
    "score-map": ("a4-s4", [{"length": 64}, {"length": 512}, {"length": 8192}]),
    "cost": ("a4-s5", [{"length": 64, "beside": "scores"}, {"length": 8192, "beside": "elsewhere"}]),
}
READINGS = {  # figure -> its step; an output, and what of the input it reads there
    "use-encoder": ("a5-s1", 3, 6),
    "use-both": ("a5-s2", 3, 5),
    "use-decoder": ("a5-s3", 5, 5),
    "use-latents": ("a5-s4", 2, 14),
}
BESTS = "ebdebdebbedb"  # the best fit of each task, by its letter
LETTERS = {"encoder": "e", "encoder–decoder": "b", "decoder-only": "d"}


@pytest.fixture(scope="module")
def tasks() -> list[dict[str, Any]]:
    """The cards as they are written in the chapter."""
    site, _ = content.gather(ROOT)
    figures = [step.figure for chapter in site.chapters for act in chapter.acts for step in act.steps]
    return next(figure.options["tasks"] for figure in figures if figure and figure.id == "sort")  # type: ignore[return-value]


@pytest.fixture(scope="module")
def cost() -> dict[str, Any]:
    """The run, with the series of its timings."""
    timings = json.loads((ROOT / "build/runs/perceiver-cost/timings.json").read_text("utf-8"))
    run = baked("perceiver-cost")
    return {**run, "series": run["series"] | timings["series"]}


def at(open_page: Open, figure: str, link: str, **options: Any) -> Any:
    """The page at a link, its figure alive."""
    return wake(open_page(f"{CHAPTER}{link}", **options), figure)


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 768), ("light", 1280), ("dark", 320)])
def test_every_drawing_is_legible_and_inside(open_page: Open, theme: str, width: int):
    page = open_page(f"{CHAPTER}#a4-s1", viewport={"width": width, "height": 844}, color_scheme=theme)

    found = [
        fault for figure in (*ACT_4, *READINGS) for fault in faults(wake(page, figure), figure)
        if width > 320 or " px" not in fault  # the narrow drawing is drawn for 346 and scaled below that
    ]  # fmt: skip

    assert found == []


def test_on_a_phone_drawings_fit_and_controls_are_large(open_page: Open):
    page = open_page(f"{CHAPTER}?sorted={BESTS}#a5-s5", **PHONE)
    wake(page, "sort")

    small = page.locator("#a5 :is(.choice, .sort button)").evaluate_all(
        "(all) => all.filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 44).map((one) => one.textContent)"
    )

    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heights = {figure: height(wake(page, figure), figure) for figure in (*ACT_4, *READINGS)}
    boxes = (
        page.locator("#a4, #a5")
        .locator(".figure-live .box[role=button]")
        .evaluate_all(
            "(all) => all.filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.textContent)"
        )
    )
    assert boxes == []
    assert max(heights.values()) <= 0.45 * 844, heights


@pytest.mark.parametrize(
    ("figure", "states"),
    [
        *((figure, states) for figure, (_, states) in ACT_4.items()),
        ("use-encoder", [{"use": 1, "place": 1}, {"use": 2, "place": 4}, {"use": 3, "place": 0}]),
        ("sort", [{"card": 1, "sorted": ""}, {"card": 4, "sorted": "eb-d"}, {"card": 12, "sorted": BESTS}]),
    ],
)
def test_a_picture_depends_on_its_state_alone(open_page: Open, figure: str, states: list[dict[str, Any]]):
    page = at(open_page, figure, f"#{ACT_4[figure][0]}" if figure in ACT_4 else "#a5-s1")

    assert wanderers(page, figure, states) == []


# ------------------------------------------------------------------------------------------------------ act four


def test_who_asks_lights_one_map_and_its_box(open_page: Open):
    page = at(open_page, "who-asks", "#a4-s1")
    drawing = page.locator("#who-asks .figure-live .diagram-wide")
    lit = "(all) => all.map((one) => `${one.classList[0]} ${one.dataset.part}`)"
    assert drawing.locator(".is-part").evaluate_all(lit) == ["small-map learned", "box learned"]

    drawing.get_by_role("button", name="cross-attention").press("Enter")

    expect(page).to_have_url(re.compile(r"\?source=cross#a4-s1"))
    assert drawing.locator(".is-part").evaluate_all(lit) == ["small-map cross", "box cross"]
    assert "another sequence asks" in page.locator("#who-asks .readout").text_content()


def test_latents_show_the_run_and_outline_the_rows_that_are_right(open_page: Open):
    run = baked("learned-queries")
    page = at(open_page, "latents", "?t=60#a4-s2")
    asked = run["examples"]["table"]
    grid = page.locator("#latents .heat-map")

    [weight] = block(run["series"]["cross_attention"], checkpoint=60, head=1, latent="c", input=asked["rows"][19])
    assert grid.get_by_role("gridcell", name=f"query c, key c: {weight:.2f}").count() == 1
    outlined = grid.locator(".is-peak").evaluate_all("(all) => all.map((one) => +one.parentNode.dataset.key)")
    assert outlined == asked["places"]
    digits = page.locator("#latents .latent-values text")
    assert digits.all_text_contents() == [row[1:] for row in asked["rows"]]
    assert digits.locator("xpath=self::*[@class='is-asked']").count() == 6
    [right] = block(run["series"]["accuracy"], checkpoint=60)
    [share] = block(run["series"]["row_weight"], checkpoint=60)
    said = f"Fresh answers right: {100 * right:.0f}%. Weight on the right row, both heads: {share:.2f}."
    assert page.locator("#latents .readout").text_content() == said

    page.locator("#latents .scrub-range").focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"\?t=200#a4-s2"))


def test_only_the_inputs_of_a_perceiver_grow(open_page: Open):
    page = at(open_page, "perceiver", "#a4-s3")
    live = page.locator("#perceiver .figure-live .diagram-wide")
    bars = (
        "(svg) => ['inputs', 'latents', 'longest'].map((one) => svg.querySelector(`.shape-${one}`).width.baseVal.value)"
    )
    before = live.evaluate(bars)

    page.locator("#perceiver .scrub-range").focus()
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"\?length=8192#a4-s3"))

    after = live.evaluate(bars)
    assert before[0] == pytest.approx(after[2] / 2)
    assert (after[0], after[1]) == (after[2], before[1])
    assert after[1] == pytest.approx(after[2] * 64 / 8192, abs=0.01)
    assert live.locator(".shape-length").all_text_contents() == ["8192", "8192"]
    live.get_by_role("button", name="cross-attention").press("Enter")
    said = page.locator("#perceiver .readout").text_content()
    assert said == "Each of 4 heads scores 64 × 8,192 pairs: 524,288."


def test_areas_and_counts_are_the_scores_of_the_run(open_page: Open, cost: dict[str, Any]):
    page = at(open_page, "score-map", "?length=1024#a4-s4")
    live = page.locator("#score-map .figure-live .diagram-wide")

    numbers = [int(text.replace(",", "")) for text in live.locator(".score-whole, .score-count").all_text_contents()]
    parts = live.locator(".score-part").evaluate_all(
        "(all) => all.map((one) => [one.width, one.height].map((size) => size.baseVal.value / one.dataset.side))"
    )

    whole, read, again, later = numbers
    [square] = block(cost["series"]["self_attention_scores"], length=1024)
    [rectangle] = block(cost["series"]["perceiver_scores"], length=1024)
    assert whole == again == square
    assert read + cost["parameters"]["num_blocks"] * later == rectangle
    assert parts == [[1, pytest.approx(64 / 1024, rel=0.01)], [pytest.approx(64 / 1024, rel=0.01)] * 2]


def test_the_cost_curve_is_what_the_machine_measured_and_marks_where_the_times_meet(
    open_page: Open, cost: dict[str, Any]
):
    page = at(open_page, "cost", "#a4-s5")
    series, live = cost["series"], page.locator("#cost .figure-live")
    slow, fast = series["self_attention_seconds"]["values"], series["perceiver_seconds"]["values"]
    place = "(all) => all.map((one) => [+one.getAttribute('cx'), +one.getAttribute('cy')])"

    assert f"equal at {series['crossing']['values'][0]:.0f}" in live.locator(".is-crossing").all_text_contents()
    heights = [y for _, y in live.locator(".cost-point").evaluate_all(place)]
    ranked = sorted(range(16), key=lambda point: -(slow + fast)[point])
    assert sorted(range(16), key=lambda point: heights[point]) == ranked, "the longer, the higher"
    [[x, _]] = live.locator(".cost-crossing").evaluate_all(place)
    xs = [x for x, _ in live.locator(".cost-point").evaluate_all(place)]
    assert xs[2] < x < xs[4]
    faster, grown = slow[-1] / fast[-1], slow[-1] / slow[-2]
    assert (
        f"the Perceiver is {faster:.2g} times as fast. The last doubling: ×\u00a0{grown:.1f} and ×\u00a0"
        in live.inner_text()
    )

    page.locator("#cost").get_by_role("button", name="the book’s GPU").click()
    expect(page).to_have_url(re.compile(r"\?beside=elsewhere#a4-s5"))
    assert live.locator(".cost-predicted:visible").count() == 0
    rings = live.locator(".cost-elsewhere").evaluate_all(
        "(all) => all.map((one) => one.outerHTML.split('a3.5').length - 1)"
    )
    assert rings == [4, 4]


def test_without_scripts_act_four_has_its_drawings_and_pictures(open_page: Open):
    page = open_page(f"{CHAPTER}#a4", java_script_enabled=False)

    assert page.locator("#meshes svg").get_attribute("aria-label").startswith("Three meshes")
    assert page.locator("#meshes .mesh-lines path").count() == 7 + 7 + 4
    for figure in ("who-asks", "perceiver", "score-map"):
        assert page.locator(f"#{figure} .figure-still .diagram-wide").is_visible()
    for figure in ("latents", "cost"):
        assert page.locator(f"#{figure} .figure-still img").get_attribute("alt")
    assert "timed on" in page.locator("#cost .made").inner_text()


# ------------------------------------------------------------------------------------------------------ act five


def test_an_output_lights_what_it_reads_and_nothing_else(open_page: Open):
    page = open_page(f"{CHAPTER}#a5-s1")

    for figure, (_, place, reads) in READINGS.items():
        wake(page, figure)
        drawing = page.locator(f"#{figure} .figure-live .diagram-wide")
        output = drawing.get_by_role("button", name=f"output {place}", exact=True)
        if output.get_attribute("aria-pressed") == "false":
            output.press("Enter")

        expect(output).to_have_attribute("aria-pressed", "true")
        assert drawing.locator(".piece-key.is-part").count() == reads, figure
        lines = drawing.locator(".reads.is-part").evaluate_all("(all) => all.map((one) => one.dataset.part)")
        assert set(lines) == {f"o{place}"}, figure
    # the third word reads the five vectors of the memory, the start and two words: eight lines
    ways = page.locator("#use-both .figure-live .reads.is-part").get_attribute("d")
    assert ways.count("M") == 5 + 3
    assert page.locator("#use-both .figure-live .piece-value.is-part").count() == 5


def test_a_use_has_its_own_words_and_all_of_it_is_in_the_address(open_page: Open):
    page = at(open_page, "use-encoder", "#a5-s1")
    shown = "(all) => all.filter((one) => getComputedStyle(one).display !== 'none').map((one) => one.textContent)"

    page.locator("#use-encoder").get_by_role("button", name="tags").click()
    page.locator("#use-encoder .figure-live").get_by_role("button", name="output 3").press("Enter")

    expect(page).to_have_url(re.compile(r"\?use=2&place=3#a5-s1"))
    page.reload()
    wake(page, "use-encoder")
    texts = page.locator("#use-encoder .figure-live .diagram-wide .piece-query text").evaluate_all(shown)
    assert texts == ["DET", "NOUN", "AUX", "ADV", "ADJ"]
    assert page.locator("#use-encoder .readout").text_content() == (
        "“film” reads itself, 2 before it and 3 after it, and gives “NOUN”."
    )


def test_a_task_is_sorted_by_keyboard_and_its_reason_is_told(open_page: Open, tasks: list[dict[str, Any]]):
    page = at(open_page, "sort", "#a5-s5")
    answer = page.locator("#sort .sort-answer")
    assert (answer.get_attribute("role"), answer.text_content().strip()) == ("status", "")

    page.locator("#sort").get_by_role("button", name="encoder", exact=True).press("Enter")
    expect(answer).to_have_text(f"✓ encoder. {tasks[0]['why']}")
    page.locator("#sort").get_by_role("button", name="Next").press("Enter")
    expect(page.locator("#sort .sort-task")).to_have_text(tasks[1]["task"])
    page.locator("#sort").get_by_role("button", name="decoder-only").press("Enter")
    expect(answer).to_have_text(f"Also done. Best fit: encoder–decoder. {tasks[1]['why']}")
    page.locator("#sort").get_by_role("button", name="encoder", exact=True).press("Enter")
    expect(answer).to_have_text(f"Rather: encoder–decoder. {tasks[1]['why']}")

    expect(page).to_have_url(re.compile(r"\?sorted=ee&card=2#a5-s5"))
    assert page.locator("#sort .readout").text_content() == "2 of 12 sorted: 1 fit best, 0 also done, 1 fit elsewhere."
    page.locator("#sort").get_by_role("button", name="search, fits best").click()
    expect(page.locator("#sort .sort-place")).to_have_text("1 of 12")


def test_the_piles_hold_each_task_where_it_fits_best(open_page: Open, tasks: list[dict[str, Any]]):
    page = at(open_page, "sort", f"?sorted={BESTS}#a5-s5")

    piles = page.locator("#sort .sort-pile").evaluate_all(
        "(piles) => piles.map((pile) => [...pile.querySelectorAll('li:not([hidden])')].map((one) => one.textContent))"
    )

    assert "".join(LETTERS[task["answer"][0]] for task in tasks) == BESTS
    assert piles == [[task["name"] for task in tasks if task["answer"][0] == name] for name in LETTERS]
    assert "12 of 12 sorted: 12 fit best" in page.locator("#sort .readout").text_content()


@pytest.mark.parametrize("junk", ["?sorted=zz9%20&card=99#a5-s5", "?sorted=&card=-4#a5-s5"])
def test_an_address_with_junk_sorts_nothing(open_page: Open, junk: str):
    page = at(open_page, "sort", junk)

    assert page.locator("#sort .sort-pile li:visible").count() == 0
    assert page.locator("#sort .sort-place").text_content() in ("1 of 12", "12 of 12")


def test_without_scripts_the_answers_open_and_the_drawings_stand(open_page: Open, tasks: list[dict[str, Any]]):
    page = open_page(f"{CHAPTER}#a5", java_script_enabled=False)

    rows = page.locator("#sort .figure-still tbody tr")
    assert rows.locator("th").all_text_contents() == [task["task"] for task in tasks]
    rows.nth(4).locator("summary").click()
    assert tasks[4]["why"] in rows.nth(4).locator("details[open]").inner_text()
    for figure in READINGS:
        drawing = page.locator(f"#{figure} .figure-still .diagram-wide")
        assert drawing.is_visible()
        assert drawing.get_attribute("role") == "img"


def test_the_acts_have_at_most_1500_nodes_when_all_of_them_lives(open_page: Open):
    page = at(open_page, "sort", f"?sorted={BESTS}#a5-s5")
    for figure in (*READINGS, *ACT_4):
        wake(page, figure)

    nodes = page.evaluate("['a4', 'a5'].map((id) => document.getElementById(id).querySelectorAll('*').length)")
    assert max(nodes) <= 1_500, nodes
