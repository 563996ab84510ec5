"""Act three on the page: scores that grow with d, the softmax they saturate, padding, and the additive score."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, alive, baked, block, faults, height, wake, wanderers
from tests.browser.test_figures import CHAPTER, PHONE

FIGURES = {  # figure -> its kind, its step, and states that differ
    "variance": ("score-histogram", "a3-s1", [{"d": d, "scaling": "raw"} for d in (1, 16, 128, 512)]),
    "saturation": ("saturation", "a3-s2", [{"d": d} for d in (1, 16, 128, 512)]),
    "scaled": ("score-histogram", "a3-s3", [{"d": 2, "scaling": "scaled"}, {"d": 512, "scaling": "raw"}]),
    "masking": ("masking", "a3-s4", [{"mask": mask} for mask in ("none", "zero", "infinity")]),
    "additive": ("additive-score", "a3-s5", [{"part": part} for part in ("all", "pairs", "softmax")]),
}
DIMS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("dot-product-variance")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_every_figure_of_the_act_is_legible_and_inside(open_page: Open, theme: str, width: int):
    page = open_page(f"{CHAPTER}#a3-s1", viewport={"width": width, "height": 844}, color_scheme=theme)

    found = [fault for figure in FIGURES for fault in faults(wake(page, figure), figure)]

    assert found == []


def test_on_a_phone_every_figure_of_the_act_fits_and_its_controls_are_large(open_page: Open):
    page = open_page(f"{CHAPTER}#a3-s1", **PHONE)

    heights = {figure: height(wake(page, figure), figure) for figure in FIGURES}
    small = page.locator("#a3 :is(.choice, .play, .scrub-range)").evaluate_all(
        "(all) => all.filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 44).map((one) => one.className)"
    )

    assert max(heights.values()) <= 0.45 * 844, heights
    assert small == []


@pytest.mark.parametrize("figure", FIGURES)
def test_a_picture_depends_on_its_state_alone(open_page: Open, figure: str):
    kind, step, states = FIGURES[figure]
    page = alive(open_page, figure, step)

    assert page.locator(f"#{figure}").get_attribute("data-kind") == kind
    assert wanderers(page, figure, states) == []


def test_the_act_has_at_most_1500_nodes_when_all_of_it_lives(open_page: Open):
    page = open_page(f"{CHAPTER}#a3-s1")
    for figure in FIGURES:
        wake(page, figure)

    assert page.evaluate("document.querySelectorAll('#a3 *').length") <= 1_500


@pytest.mark.parametrize(
    ("link", "figure", "selector", "text"),
    [
        ("?d=16#a3-s1", "variance", ".histogram-label", "d = 16"),
        ("?d=16#a3-s2", "saturation", ".scrub-read", "d = 16"),
        ("?d=8&scaling=raw#a3-s3", "scaled", ".histogram-label", "d = 8"),
        ("?mask=infinity#a3-s4", "masking", ".choice[aria-pressed=true]", "−∞"),
        ("?part=tanh#a3-s5", "additive", ".box.is-part", "tanh"),
    ],
)
def test_a_link_to_a_step_restores_its_state_also_after_a_reload(
    open_page: Open, link: str, figure: str, selector: str, text: str
):
    query, _, step = link.partition("#")
    page = alive(open_page, figure, step, query)

    expect(page.locator(f"#{figure} .figure-live {selector}")).to_have_text(text)
    page.reload()
    wake(page, figure)

    expect(page.locator(f"#{figure} .figure-live {selector}")).to_have_text(text)
    expect(page).to_have_url(re.compile(re.escape(link)))


@pytest.mark.parametrize("d", DIMS)
def test_the_variance_read_out_is_the_measured_one_beside_d(open_page: Open, run: dict[str, Any], d: int):
    page = alive(open_page, "variance", "a3-s1", f"?d={d}")

    [variance] = block(run["series"]["variance"], d=d)
    assert page.locator("#variance .readout").text_content() == f"Variance {variance:.1f}; d itself is {d}."
    assert page.locator("#variance .histogram-label").text_content() == f"d = {d}"


def test_the_histogram_is_as_high_as_the_share_of_draws(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "variance", "a3-s1", "?d=8")

    said = page.locator("#variance .histogram").get_attribute("aria-label")

    assert f"highest bin {100 * max(block(run['series']['raw_histogram'], d=8)):.1f}%" in said


def test_the_slider_over_d_and_the_kind_of_score_are_in_the_address(open_page: Open):
    page = alive(open_page, "variance", "a3-s1")

    page.locator("#variance .scrub-range").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#variance").get_by_role("button", name="divided by the root of d").click()

    expect(page).to_have_url(re.compile(r"\?d=256&scaling=scaled#a3-s1"))
    assert page.locator("#variance .readout").text_content().startswith("Variance 1.001; the target is 1.")


def test_a_small_d_says_that_its_shape_is_not_a_bell_yet(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "scaled", "a3-s3", "?d=4")
    [distance] = block(run["series"]["distance_to_normal"], d=4)

    assert (
        f"not yet a bell: {100 * distance:.0f}% of the draws lie elsewhere"
        in page.locator("#scaled .readout").text_content()
    )


def test_saturation_prints_the_means_of_the_run_and_draws_its_example(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "saturation", "a3-s2", "?d=16")
    series = run["series"]

    printed = page.locator("#saturation .chart-value b").all_text_contents()
    bars = page.locator("#saturation .weight-panel").first.get_attribute("aria-label")

    means = [
        block(series[name], scaling=scaling, d=16)[0]
        for name in ("largest_weight", "entropy", "gradient_norm")
        for scaling in ("raw", "scaled")
    ]
    assert printed == [f"{mean:.2f}" for mean in means]
    example = block(series["example_weights"], scaling="raw", d=16)
    assert bars == f"softmax of q · k, one draw: {', '.join(f'{weight:.2f}' for weight in example)}"


@pytest.mark.parametrize(("mask", "series"), [("zero", "zero_masked_weights"), ("infinity", "masked_weights")])
def test_what_padding_takes_stands_behind_every_row(open_page: Open, run: dict[str, Any], mask: str, series: str):
    page = alive(open_page, "masking", "a3-s4", f"?mask={mask}")

    printed = page.locator("#masking .spent-value").all_text_contents()

    leaks = [
        sum(block(run["series"][series], sequence=sequence, query=query)[valid:])
        for sequence, valid in enumerate(run["parameters"]["valid_lens"])
        for query in range(2)
    ]
    assert printed == [f"{100 * leak:.0f}%" for leak in leaks]


def test_a_row_of_padding_alone_is_hatched_and_defined_as_zeros(open_page: Open):
    page = alive(open_page, "masking", "a3-s4", "?mask=infinity")
    grid = page.locator("#masking .heat-map")

    assert grid.locator(".is-masked").count() == 2 * (2 + 4 + 6)
    assert grid.locator(".map-hatch").is_visible()
    assert grid.get_by_role("gridcell", name="query D q2, key k1: masked").count() == 1
    assert "its rows are defined as all 0" in page.locator("#masking .readout").text_content()


def test_the_leak_of_the_bug_is_the_number_of_the_prose(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "masking", "a3-s4")
    share = f"{run['metrics']['padding_weight_with_zero']['value']:.0%}"

    assert f"B and C spend {share} of their weight on padding" in page.locator("#masking .readout").text_content()
    assert share in page.locator("#a3-s4 .prose").text_content().replace("\u202f", "").replace("\u00a0", "")


def test_the_additive_score_is_labelled_with_the_shapes_of_the_run(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "additive", "a3-s5")
    drawing = page.locator("#additive .figure-live .diagram")

    text = drawing.text_content()
    for name in ("queries", "keys", "hidden", "scores"):
        shape = ", ".join(map(str, run["examples"]["additive_shapes"][name]))
        assert f"({shape})" in text, name
    drawing.get_by_role("button", name="sum of every pair").press("Enter")
    expect(page.locator("#additive .readout")).to_contain_text("2 × 3 × 5 pairs of 8 numbers")
    expect(page).to_have_url(re.compile(r"\?part=pairs#a3-s5"))
